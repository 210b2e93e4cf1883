#!/usr/bin/env bash
# Starts the hub, adds three servers if it has none, shows a tool being found and called, and keeps running. It keeps its data
# in bin/data, apart from that of an installed Agent Discover, unless AGENT_DISCOVER_HOME names another folder.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=$PWD/bin/agent-discover
folder=${AGENT_DISCOVER_HOME:-$PWD/bin/data}
export AGENT_DISCOVER_HOME=$folder
hub='' tray='' window='' spawned=''
log=$(mktemp) hub_log=$(mktemp)

say() { printf '%s\n' "$@"; }
hub_runs() { "$binary" status --json >/dev/null 2>&1; }

# spawn COMMAND…: starts a program in its own process group, so that Ctrl-C reaches only this script, which then stops all
# programs gracefully. It sets spawned to the process id.
spawn() {
  set -m
  "$@" </dev/null &
  set +m
  spawned=$!
}

# end PID NAME: ends a program that spawn started, and waits for it. It does nothing if the program has ended.
end() {
  [ -n "$1" ] && kill -0 "$1" 2>/dev/null || return 0
  say "Stopping the $2."
  kill -TERM "$1" || true
  wait "$1" || true
}

# shellcheck disable=SC2317 # a trap calls it
finish() {
  trap - INT TERM EXIT
  say ""
  end "$window" window
  end "$tray" tray
  end "$hub" hub
  rm -f "$log" "$hub_log"
}

start_hub() {
  spawn "$binary" serve >"$hub_log" 2>&1
  hub=$spawned
  for _ in {1..300}; do
    if hub_runs; then return; fi
    kill -0 "$hub" 2>/dev/null || break
    sleep 0.1
  done
  say "The hub did not start. Its output:" >&2
  cat "$hub_log" >&2
  exit 1
}

add() {
  local name=$1 description=$2
  shift 2
  say "  adding         $name: $*"
  "$binary" servers add "$name" --description "$description" -- "$@" >/dev/null
}

trap finish EXIT
# Ctrl-C is the normal way to end this script.
trap 'exit 0' INT TERM

if hub_runs; then
  say "Using the hub that is already running for $folder."
else
  say "Starting the hub for $folder."
  start_hub
fi

# Without --prefer-offline npx looks for newer versions at every start.
npx=(npx -y --prefer-offline)
case $("$binary" servers list --json | tr -d '[:space:]') in
  '[]' | null)
    say "No servers are configured yet. Adding three from npm, which their first start downloads:"
    add everything "Reference server with tools of every kind: echo, sums, images, progress" \
      "${npx[@]}" @modelcontextprotocol/server-everything
    add filesystem "Reads and writes files in $PWD" "${npx[@]}" @modelcontextprotocol/server-filesystem "$PWD"
    add memory "Stores facts in a knowledge graph" "${npx[@]}" @modelcontextprotocol/server-memory
    ;;
esac
# The demo servers whose tools are not known yet, because they are new or their download was interrupted.
wait_for=$("$binary" servers list --json | node -e '
  const servers = JSON.parse(require("fs").readFileSync(0, "utf8")) ?? [];
  const demo = ["everything", "filesystem", "memory"];
  console.log(servers.filter((s) => demo.includes(s.name) && s.approved && !s.tool_count).map((s) => s.name).join());')

say "" "What an agent does:"
CGO_ENABLED=0 go run ./build/demo -binary "$binary" -wait "$wait_for"

say "" "AI editors on this machine, and whether they have the entry of Agent Discover:"
"$binary" editors list | sed 's/^/  /'
cat <<EOF

The commands below are for this hub:  export AGENT_DISCOVER_HOME='$folder'
Add the entry (shows every change first):  $binary editors register --all
Or add it by hand:  {"mcpServers":{"discover":{"command":"$binary","args":["mcp","--surface","meta"]}}}

EOF
# screen: succeeds if a window can be shown.
screen() { [ "$(uname -s)" != Linux ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; }

# build PART NAME: prints one line and fails if the machine lacks what the build needs.
build() {
  make --no-print-directory "$1" >"$log" 2>&1 && return
  say "Could not build the $2: $(grep -v '^make' "$log" | tail -n 1) (see make $1)"
  return 1
}

if screen; then
  say "Building the tray icon and the window. The first time, this takes minutes."
  if build tray "tray icon"; then
    spawn bin/agent-discover-tray
    tray=$spawned
  fi
  if build desktop window; then
    spawn bin/agent-discover-desktop >"$log" 2>&1
    window=$spawned
  fi
fi
if [ -n "$window" ]; then
  say "The window opens."
else
  say "Open the dashboard in the browser: $binary open"
fi

if [ -z "$hub" ]; then
  say "The hub keeps running."
  [ -z "$window" ] || wait "$window" || true
  exit
fi
say "The hub is running. Press Ctrl-C to stop it${window:+ and the window}."
wait "$hub" && code=0 || code=$?
if [ "$code" = 0 ]; then
  say "The hub was stopped."
  exit
fi
say "The hub exited with code $code. Its output:" >&2
cat "$hub_log" >&2
exit "$code"
