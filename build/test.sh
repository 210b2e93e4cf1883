#!/usr/bin/env bash
# Runs the named parts of the tests, lint, unit, dashboard, race, desktop, tray and editors, and sums them up (build/testsum).
set -euo pipefail
cd "$(dirname "$0")/.."

coverage=$PWD/coverage
mark() { printf '{"Action":"%s",%s}\n' "$@"; }

# run NAME CHECK COMMAND…: between two marks, so that the summary sees exit codes through the pipe.
run() {
  local name=$1 check=$2 code=0
  shift 2
  mark open "\"Section\":\"$name\",\"Check\":$check"
  "$@" 2>&1 </dev/null || code=$?
  mark close "\"Code\":$code"
}

tool() { go tool -modfile=build/tools/go.mod "$@"; }

formatted() {
  local files
  files=$(tool gofumpt -l .) || return
  [ -z "$files" ] || {
    printf 'not formatted, gofumpt -w mends it:\n%s\n' "$files"
    return 1
  }
}

lint() {
  run gofumpt true formatted
  run "go vet" true go vet -tags=desktop,clients ./...
  run "go vet of the icons' generator" true go -C build/icons/generate vet ./...
  run "go vet of the evaluation's baselines" true go -C build/eval vet ./...
  run staticcheck true tool staticcheck -checks=all -tags=desktop,clients ./...
  run errcheck true tool errcheck -tags=desktop -ignoretests -exclude build/errcheck.txt ./...
  build/setup.sh frontend
  run "dashboard: types, lint, format" true npm --silent --prefix frontend run check
}

unit() {
  # Processes that tests start from a binary built with -cover write here.
  export AGENT_DISCOVER_TEST_GOCOVERDIR=$coverage/children
  mkdir -p "$coverage/unit" "$coverage/children"
  # What only plays a server for tests is no code to be covered.
  local covered
  covered=$(go list ./backend/... | grep -v -e /testing/ | paste -sd, -)
  run "tests" false go test -json -count=1 -timeout=12m -covermode=atomic -coverpkg="$covered" ./... \
    -args -test.gocoverdir="$coverage/unit"
  unset AGENT_DISCOVER_TEST_GOCOVERDIR
  run coverage false profiles
  run "the baselines of the search" true go -C build/eval test -count=1 ./...
}

profiles() {
  local process
  for process in unit children; do
    [ -z "$(ls "$coverage/$process")" ] ||
      go tool covdata textfmt -i="$coverage/$process" -o="$coverage/$process.txt" || return
  done
}

# The dashboard, in a real browser against real hubs.
dashboard() {
  run "build the dashboard and the hub" true make --no-print-directory build
  local node
  node=$(build/setup.sh node-path)
  run "the dashboard" false env -C frontend PATH="${node%/*}:$PATH" node node_modules/vitest/vitest.mjs run --reporter=./tests/support/reporter.ts
}

race() {
  # Rooms of functions alone, without a goroutine or anything shared, have nothing to race for; nor has what asks one
  # thing after the other, as the scripts of the command line and the recorded exchanges do.
  local raced
  raced=$(go list ./backend/... | grep -v -E '/(bundle|configdiff|schemacompat|configedit)$')
  # shellcheck disable=SC2086
  CGO_ENABLED=1 run "tests with the race detector" false go test -json -race -count=1 -timeout=12m \
    -skip='^(TestCommandLine|TestRecordedExchangesAreAnsweredAlike|TestTypedSecretIsNotShown)$' $raced
}

desktop() {
  build/setup.sh desktop-test
  run "build the hub and the window" true make --no-print-directory build desktop
  run "the window for Windows" true env GOOS=windows go build -tags=production -o "$coverage/desktop.exe" .
  local tags=-tags=desktop,production,webkit2_41
  CGO_ENABLED=1 run "go vet the window" true go vet "$tags" . ./app
  CGO_ENABLED=1 run "staticcheck the window" true tool staticcheck -checks=all "$tags" . ./app
  CGO_ENABLED=1 run "errcheck the window" true tool errcheck "$tags" -ignoretests -exclude build/errcheck.txt . ./app
  CGO_ENABLED=1 run "the window" false go test -json -count=1 -timeout=8m "$tags" -run='^TestTheWindow' ./app
}

tray() {
  build/setup.sh desktop-test
  run "build the hub for the tray" true make --no-print-directory build
  run "build the tray" true make --no-print-directory tray
  run "the tray for Windows" true env GOOS=windows go build -tags=tray -o "$coverage/tray.exe" ./app/tray
  CGO_ENABLED=1 run "go vet the tray" true go vet -tags=tray,desktop ./app/tray
  CGO_ENABLED=1 run "staticcheck the tray" true tool staticcheck -checks=all -tags=tray,desktop ./app/tray
  CGO_ENABLED=1 run "errcheck the tray" true tool errcheck -tags=tray,desktop -ignoretests -exclude build/errcheck.txt ./app/tray
  run "the tray" false go test -json -count=1 -timeout=5m -tags=desktop -run='Tray' ./app/tray
}

# Real AI clients, connecting through the entry that we write.
editors() {
  run "build the hub" true make --no-print-directory build
  local node
  node=$(build/setup.sh node-path)
  PATH="${node%/*}:$PATH" run "AI clients" false go test -json -count=1 -timeout=15m -tags=clients ./build/clients
}

rm -rf "$coverage"
mkdir -p "$coverage"
# What is shipped is built without cgo; so it is tested that way.
export CGO_ENABLED=0
go build -o bin/testsum ./build/testsum
for part in "$@"; do "$part"; done |
  bin/testsum -profiles="$coverage/*.txt" -merged="$coverage/backend.out"
