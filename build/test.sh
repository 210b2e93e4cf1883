#!/usr/bin/env bash
# Runs the named parts of the tests and sums up their results (build/testsum).
#
#   build/test.sh PART…         lint, pages, race, race-all, rest, tests, dashboard, desktop, tray, windows,
#                               windows-tests, editors, market, unit, cover; PART,PART runs one after another, and
#                               PARTS+PARTS two lists at the same time
#   build/test.sh check FOLDER  format, vet, lint and tests of backend/FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

# Go compiles for the tests as make compiles the programs, so that both share its cache. Without debug information, the
# linker takes half the time.
export GOFLAGS="${GOFLAGS:-} -trimpath -ldflags=-w"

coverage=$PWD/coverage
mark() { printf '{"Action":"%s",%s}\n' "$@"; }

# run NAME CHECK COMMAND…: runs a command between two marks, so that the summary sees its exit code through the pipe.
# CHECK is true for a command that is one test itself, false for one that reports tests with go test -json. A check that
# exits with 77 could not run on this machine; it counts as skipped.
run() {
  local name=$1 check=$2 code=0
  shift 2
  mark open "\"Section\":\"$name\",\"Check\":$check"
  "$@" 2>&1 </dev/null || code=$?
  mark close "\"Code\":$code"
}

# Keep the cache of staticcheck beside Go's build cache, not in the home folder.
STATICCHECK_CACHE=$(go env GOCACHE)/staticcheck
export STATICCHECK_CACHE

tool() { go tool -modfile=build/tools/go.mod "$@"; }

# formatted FOLDER: fails and lists the Go files below FOLDER that gofumpt would change.
formatted() {
  local files
  files=$(tool gofumpt -l "$1") || return
  [ -z "$files" ] || {
    printf 'not formatted; run gofumpt -w on:\n%s\n' "$files"
    return 1
  }
}

# vulnerable: fails when the code calls a function with a known vulnerability. It is skipped without network, because
# govulncheck downloads its database; set GOVULNDB to use another database.
vulnerable() {
  local report code=0
  report=$(tool govulncheck ./backend/... 2>&1) || code=$?
  printf '%s\n' "$report"
  case $report in
    *"fetching vulnerabilities"*) return 77 ;;
  esac
  return "$code"
}

# foreign GOOS GOARCH PACKAGE…: the packages that another system may compile differently: those with other files there, and
# those that call the system themselves.
foreign() {
  local files='{{.ImportPath}} {{.GoFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}' calls='{{.ImportPath}} {{.Imports}} {{.TestImports}} {{.XTestImports}} '
  {
    comm -13 <(go list -f "$files" "${@:3}" | sort) <(GOOS=$1 GOARCH=$2 go list -f "$files" "${@:3}" | sort)
    go list -f "$calls" "${@:3}" | grep -E '[[ ](syscall|golang\.org/x/sys/[a-z]+)[] ]'
  } | cut -d' ' -f1 | sort -u |
    GOOS=$1 GOARCH=$2 xargs go list -e -f '{{if or .GoFiles .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}'
}

lint() {
  run gofumpt true formatted .
  run "go vet" true go vet -tags=desktop,clients,guard,market ./...
  # vet checks the types of tests too, which is most of what compiling them would find; the programs are linked.
  # shellcheck disable=SC2046
  run "go vet for Windows" true env GOOS=windows go vet $(foreign windows amd64 ./backend/...)
  # shellcheck disable=SC2046
  run "go vet for macOS" true env GOOS=darwin GOARCH=arm64 go vet $(foreign darwin arm64 ./backend/... ./app/...)
  # No Go file is specific to macOS on Intel, so a build for it would find nothing more.
  run "build for macOS on Apple silicon" true env GOOS=darwin GOARCH=arm64 go build -o "$coverage/agent-discover-arm64" ./backend/cmd/agent-discover
  run "go vet of the icons' generator" true go -C build/icons/generate vet ./...
  run "go vet of the evaluation's baselines" true go -C build/eval vet ./...
  run staticcheck true tool staticcheck -checks=all -tags=desktop,clients,guard,market ./...
  run errcheck true tool errcheck -tags=desktop -ignoretests -exclude build/errcheck.txt ./...
  run govulncheck true vulnerable
}

# pages: types, lint and format of the dashboard.
pages() {
  build/setup.sh frontend
  run "dashboard: types, lint, format" true npm --silent --prefix frontend run check
}

# longest: the packages whose tests take the longest. They are named first, so that none of them runs alone at the end.
longest=(./backend/cmd/agent-discover ./backend/scenarios/... ./backend/cli ./backend/servers/upstream ./backend/editors/registration
  ./backend/store ./backend/market/installer ./backend/market/updates ./backend/editors/importer)

# unraced: the packages whose tests make test runs without the race detector; make race runs them with it. Their tests
# run whole hubs and programs, or do one thing after another. The scenarios of both protocol eras are not among them,
# because they have the most concurrent sessions.
unraced='/backend/(cmd/agent-discover|cli|hub|scenarios/(dashboard|editors|market|original|servers|signin|surfaces|trust)'
unraced+='|editors/(bundle|configdiff|configedit|importer|registration)|market/(installer|updates)|store|base/(jsonscan|safetext|tokens)'
unraced+='|discovery/(eval|findreply|lexicon|minilm)|trust/evaluation|servers/secretscan|doors/names|protocol/(mcpshape|schemacompat))$'

# consecutive: tests that make race leaves out: the recorded exchanges, long texts and results, processes that are
# killed, and other programs. They run hardly anything concurrently, and the race detector would only slow them down.
consecutive='^(TestLongRunsAreCountedInLittleTime|TestRecordedExchangesAreAnsweredAlike|TestKilledProcesses.*|TestNothingIsLostBeside.*)$'

# uninstrumented: packages that are compiled without the race detector, also by tests that build a program. The detector
# would find nothing in them and slow the tests down: SQLite is translated from C and does not lock with Go's means, and
# the others only compute.
uninstrumented=(modernc.org/... golang.org/x/crypto/... compress/... github.com/pressly/goose/v3/internal/sqlparser)
for package in base/tokens discovery/lexicon discovery/minilm trust/injection trust/normalize; do
  uninstrumented+=("github.com/agent-discover/agent-discover/backend/$package")
done

# raced FLAG|PACKAGE…: tests with the race detector. lint has vetted them. The scenarios often wait, so more packages
# than processors run at once.
raced() {
  # shellcheck disable=SC2046
  GOFLAGS="$GOFLAGS $(printf -- '-gcflags=%s=-race=false ' "${uninstrumented[@]}")" CGO_ENABLED=1 \
    run "tests with the race detector" false go test -json -race -vet=off -count=1 -p "$(($(nproc) + 3))" -timeout=40m "$@"
}

# shared: the packages of backend/ in which goroutines share most.
shared() { go list "${longest[@]}" ./backend/... | grep -v -E "$unraced"; }

# race: the tests of the packages that shared lists, with the race detector.
race() {
  # shellcheck disable=SC2046
  raced $(shared)
}

# race_all: the tests of all packages of backend/ with the race detector.
race_all() { raced -skip="$consecutive" "${longest[@]}" ./backend/...; }

# rest: every Go test that needs no display and that race leaves out.
rest() {
  # shellcheck disable=SC2046
  run "tests" false go test -json -vet=off -count=1 -p "$(($(nproc) + 3))" -timeout=40m \
    $(go list "${longest[@]}" ./... | grep -v -x -F -f <(shared))
  baselines
}

# baselines: the tests of build/eval, which is a module of its own.
baselines() { run "the evaluation's baselines" true go -C build/eval test -count=1 ./...; }

# tests: every Go test that needs no display, without the race detector.
tests() {
  run "tests" false go test -json -count=1 -timeout=40m "${longest[@]}" ./...
  baselines
}

# cover: the Go tests that need no display, with the coverage of backend/.
cover() {
  # Child processes of tests that were built with -cover write their coverage to this folder.
  export AGENT_DISCOVER_TEST_GOCOVERDIR=$coverage/children
  mkdir -p "$coverage/unit" "$coverage/children"
  local covered
  covered=$(go list ./backend/... | grep -v /testing/ | paste -sd, -)
  run "tests" false go test -json -count=1 -timeout=40m -covermode=atomic -coverpkg="$covered" "${longest[@]}" ./... \
    -args -test.gocoverdir="$coverage/unit"
  unset AGENT_DISCOVER_TEST_GOCOVERDIR
  run coverage false profiles
}

profiles() {
  local process
  for process in unit children; do
    [ -z "$(ls "$coverage/$process")" ] ||
      go tool covdata textfmt -i="$coverage/$process" -o="$coverage/$process.txt" || return
  done
}

# slow: the packages whose tests start whole hubs, companions, browsers or editors.
slow='/backend/(scenarios/[a-z]+|cli|cmd/agent-discover)$|/build/(clients|conformance|soak|windows)$'

# unit: the quick tests; results of unchanged packages come from Go's cache.
unit() {
  # shellcheck disable=SC2046
  run "unit tests" false go test -json -timeout=5m $(go list ./... | grep -v -E "$slow")
}

# check FOLDER: formatting, vet, lint and tests of the packages below backend/FOLDER.
check() {
  local folder=$1
  [ -d "backend/$folder" ] || {
    printf 'backend/%s does not exist; the packages are:\n' "$folder" >&2
    go list ./backend/... | sed 's,.*/backend/,  ,' >&2
    exit 1
  }
  run gofumpt true formatted "backend/$folder"
  run "go vet" true go vet "./backend/$folder/..."
  run staticcheck true tool staticcheck -checks=all "./backend/$folder/..."
  run errcheck true tool errcheck -ignoretests -exclude build/errcheck.txt "./backend/$folder/..."
  run imports false go test -json ./backend
  run tests false go test -json -count=1 -timeout=40m "./backend/$folder/..."
}

# dashboard: its tests in a real browser against real hubs.
dashboard() {
  run "build the dashboard and the hub" true make --no-print-directory build
  local node
  node=$(build/setup.sh node-path)
  run "the dashboard" false env -C frontend PATH="${node%/*}:$PATH" node node_modules/vitest/vitest.mjs run --reporter=./tests/support/reporter.ts
}

desktop() {
  build/setup.sh desktop-test
  run "build the hub and the window" true make --no-print-directory build desktop
  local tags=-tags=desktop,production,webkit2_41
  CGO_ENABLED=1 run "go vet the window" true go vet "$tags" . ./app
  CGO_ENABLED=1 run "staticcheck the window" true tool staticcheck -checks=all "$tags" . ./app
  CGO_ENABLED=1 run "errcheck the window" true tool errcheck "$tags" -ignoretests -exclude build/errcheck.txt . ./app
  CGO_ENABLED=1 run "the window" false go test -json -count=1 -timeout=30m "$tags" -run='^TestTheWindow' ./app
}

tray() {
  build/setup.sh desktop-test
  run "build the hub for the tray" true make --no-print-directory build
  run "build the tray" true make --no-print-directory tray
  CGO_ENABLED=1 run "go vet the tray" true go vet -tags=tray,desktop ./app/tray
  CGO_ENABLED=1 run "staticcheck the tray" true tool staticcheck -checks=all -tags=tray,desktop ./app/tray
  CGO_ENABLED=1 run "errcheck the tray" true tool errcheck -tags=tray,desktop -ignoretests -exclude build/errcheck.txt ./app/tray
  run "the tray" false go test -json -count=1 -timeout=30m -tags=desktop -run='Tray' ./app/tray
}

# windows: the three programs for Windows, and where wine is installed a first use of them.
windows() {
  run "the hub for Windows" true env GOOS=windows go build -o "$coverage/agent-discover.exe" ./backend/cmd/agent-discover
  run "the window for Windows" true env GOOS=windows go build -tags=production -o "$coverage/agent-discover-desktop.exe" .
  run "the tray for Windows" true env GOOS=windows go build -tags=tray -o "$coverage/agent-discover-tray.exe" ./app/tray
  run "go vet the programs for Windows" true env GOOS=windows go vet -tags=desktop,production,tray,smoke . ./app/... ./build/windows/smoke
  if ! command -v wine >/dev/null || ! command -v x86_64-w64-mingw32-gcc >/dev/null; then
    run "the hub under wine" true missing "wine is not installed; run make test-windows"
    return
  fi
  build/setup.sh windows-test
  run "a Windows for the tests" true build/windows.sh prepare
  run "the hub under wine" false build/windows.sh smoke
}

missing() {
  printf '%s\n' "$1"
  return 77
}

# windows_tests: the Go tests and a first use of the program, on Windows under wine.
windows_tests() {
  build/setup.sh windows-test
  run "a Windows for the tests" true build/windows.sh prepare
  run "the tests under wine" false build/windows.sh tests
  run "the hub under wine" false build/windows.sh smoke
}

# editors: real AI clients connect through the entries that Agent Discover writes into their files.
editors() {
  run "build the hub" true make --no-print-directory build
  local node
  node=$(build/setup.sh node-path)
  PATH="${node%/*}:$PATH" run "AI clients" false go test -json -count=1 -timeout=40m -tags=clients ./build/clients
}

# market: the client and the copy of the official registry, against the real registry server, and real servers of all kinds.
market() {
  run "the official registry" false go test -json -count=1 -timeout=10m -tags=market ./build/market
  run "real servers" false go test -json -count=1 -timeout=30m -tags=market -run='^Test(Real|AReal|ABundleIsInstalled|RemoteServersAreInstalled|AnImageIsInstalled)' ./backend/scenarios/market
  run "build the hub" true make --no-print-directory build
  local node
  node=$(build/setup.sh node-path)
  run "from a search to an answered call in six clicks" true env -C frontend PATH="${node%/*}:$PATH" node tests/newcomer.ts
}

# in_order PART,PART…: runs parts one after another.
in_order() {
  local part
  for part in ${1//,/ }; do "${part//-/_}"; done
}

# together PARTS OTHERS: runs two lists of parts at the same time, since neither keeps two processors busy. The results of
# the second list are shown after those of the first.
together() {
  local results=$coverage/$2.json other code=0
  in_order "$2" >"$results" &
  other=$!
  trap 'trap - TERM; kill 0' INT TERM # a shell without job control protects background processes from Ctrl-C
  in_order "$1"
  wait "$other" || code=$?
  trap - INT TERM
  cat "$results"
  return "$code"
}

rm -rf "$coverage"
mkdir -p "$coverage"
# The tests run without cgo, because releases are built without it.
export CGO_ENABLED=0
go build -o bin/testsum ./build/testsum
# The packages that run whole programs share them. Tests run some of the programs as other users.
AGENT_DISCOVER_TEST_PROGRAMS=$(mktemp -d)
export AGENT_DISCOVER_TEST_PROGRAMS
trap 'rm -rf "$AGENT_DISCOVER_TEST_PROGRAMS"' EXIT
chmod 755 "$AGENT_DISCOVER_TEST_PROGRAMS"
if [ "$1" = check ]; then
  check "$2" | bin/testsum
  exit
fi
for part in "$@"; do
  case $part in
    *+*) together "${part%%+*}" "${part#*+}" ;;
    *) in_order "$part" ;;
  esac
done |
  if [ "$1" = cover ]; then
    bin/testsum -profiles="$coverage/*.txt" -merged="$coverage/backend.out"
  else
    bin/testsum
  fi
