#!/usr/bin/env bash
# Builds the dashboard into frontend/dist, which the Go programs embed. Does nothing when it is up to date.
set -euo pipefail
cd "$(dirname "$0")/../frontend"

# A hash of the sources: modification times mean nothing after a clone.
sum=$(find . ../backend/base/words/words.json -path ./node_modules -prune -o -path ./dist -prune -o -path ./placeholder -prune -o -path ./tests -prune -o -type f -print0 |
  sort -z | xargs -0 cksum | cksum)
stamp=dist/.built
if [ -f dist/index.html ] && [ "$(cat "$stamp" 2>/dev/null)" = "$sum" ]; then exit; fi

../build/setup.sh frontend
printf 'building the dashboard\n' >&2
find dist -mindepth 1 ! -name .gitkeep -delete
node node_modules/vite/bin/vite.js build --logLevel warn
printf '%s\n' "$sum" >"$stamp"
