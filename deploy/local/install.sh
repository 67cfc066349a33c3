#!/usr/bin/env bash
# Installs the npm packages of package-lock.json when they are missing or outdated.
set -euo pipefail
cd "$(dirname "$0")/../.."

node deploy/local/checkNode.mjs
node deploy/local/isInstalled.mjs && exit 0

# Two commands at once must not both rewrite node_modules.
exec 9<package-lock.json
flock --timeout 600 9
node deploy/local/isInstalled.mjs && exit 0

echo 'installing npm packages …' >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Not `npm ci`: it refuses a lock file without the optional packages of other platforms, which npm leaves
# out where a registry does not carry them. Versions and checksums are those of the lock file either way.
if ! timeout 600 npm install --no-save --loglevel=error --no-update-notifier --fetch-timeout=60000 \
  >"$log" 2>&1; then
  echo 'npm install failed:' >&2
  sed -E -e 's#[a-z]+://[^ ]+#<registry>#g' \
    -e 's#(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET) [^ ]+#\1#g' "$log" | head -n 20 >&2
  exit 1
fi
