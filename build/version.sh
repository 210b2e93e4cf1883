#!/usr/bin/env bash
# Prints the version of a build: the number in backend/base/version/VERSION and, where Git knows them, the commits that follow
# the one that set it, as 0.9.0+12.gabc1234 (.dirty if files were changed since the last one).
set -euo pipefail
cd "$(dirname "$0")/.."

file=backend/base/version/VERSION
build=''
if since=$(git log -1 --format=%H -- "$file" 2>/dev/null) && [ -n "$since" ]; then
  count=$(git rev-list --count "$since..HEAD")
  changed=$(git status --porcelain --untracked-files=no)
  [ "$count" = 0 ] && [ -z "$changed" ] || build=+$count.g$(git rev-parse --short HEAD)${changed:+.dirty}
fi
printf '%s%s\n' "$(cat "$file")" "$build"
