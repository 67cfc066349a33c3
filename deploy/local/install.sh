#!/usr/bin/env bash
# Installs the npm packages of package-lock.json when they are missing or outdated.
set -euo pipefail
cd "$(dirname "$0")/../.."

node deploy/local/isInstalled.mjs && exit 0

# Two commands at once must not both rewrite node_modules.
exec 9<package-lock.json
flock --timeout 600 9
node deploy/local/isInstalled.mjs && exit 0

echo 'installing npm packages …' >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! timeout 600 npm ci --loglevel=error --fetch-timeout=60000 >"$log" 2>&1; then
  echo 'npm ci failed:' >&2
  sed -E -e 's#[a-z]+://[^ ]+#<registry>#g' \
    -e 's#(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET) [^ ]+#\1#g' "$log" | tail -n 20 >&2
  exit 1
fi
