#!/usr/bin/env bash
# Writes again the data folder of the last release, which a test of backend/cli updates: builds the program of
# the commit that has released it, and lets it run. RELEASE names another version of CHANGELOG.md.
set -euo pipefail
cd "$(dirname "$0")/.."

release=${RELEASE:-$(grep -m1 -oE '^## [0-9.]+' CHANGELOG.md | cut -c4-)}
commit=$(git log --format=%H -S"## $release (" -- CHANGELOG.md | tail -1)
work=$(mktemp -d)
trap 'git worktree remove --force "$work/tree" || true; rm -rf "$work"' EXIT
git worktree add --quiet --detach "$work/tree" "$commit"
CGO_ENABLED=0 go -C "$work/tree" build -o "$work/agent-discover" \
  -ldflags "-X github.com/agent-discover/agent-discover/backend/base/version.built=$release" ./backend/cmd/agent-discover
go test -count=1 -v -run='^TestDataOfTheLastReleaseIsWritten$' ./backend/cli -release="$work/agent-discover"
