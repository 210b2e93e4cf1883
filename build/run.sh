#!/usr/bin/env bash
# Starts the hub, gives it three servers when it has none, shows one tool found and called, and keeps running.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=$PWD/bin/agent-discover
folder=${AGENT_DISCOVER_HOME:-$HOME/.agent-discover}
hub='' tray='' window='' spawned=''
log=$(mktemp) hub_log=$(mktemp)

say() { printf '%s\n' "$@"; }
hub_runs() { "$binary" status --json >/dev/null 2>&1; }

# spawn COMMAND…: starts a program in a process group of its own, so that Ctrl-C reaches this script only, which then
# ends everything gently; its number is in spawned.
spawn() {
  set -m
  "$@" </dev/null &
  set +m
  spawned=$!
}

# end NUMBER WHAT
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
  say "The hub did not get ready. It said:" >&2
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
# Ctrl-C is how this ends on a good day.
trap 'exit 0' INT TERM

if hub_runs; then
  say "A hub runs already for $folder; using it."
else
  say "Starting the hub for $folder."
  start_hub
fi

# Without --prefer-offline npx asks the registry at every start whether it has something newer.
npx=(npx -y --prefer-offline)
case $("$binary" servers list --json | tr -d '[:space:]') in
  '[]' | null)
    say "No server is registered yet. These three come from npm, the first start downloads them:"
    add everything "Reference server with a tool of every kind: echo, sums, images, progress" \
      "${npx[@]}" @modelcontextprotocol/server-everything
    add filesystem "Reads and writes files below $PWD" "${npx[@]}" @modelcontextprotocol/server-filesystem "$PWD"
    add memory "Remembers facts in a knowledge graph" "${npx[@]}" @modelcontextprotocol/server-memory
    ;;
esac
# Those of ours that have no tools yet, now or because their download was broken off.
wait_for=$("$binary" servers list --json | node -e '
  const servers = JSON.parse(require("fs").readFileSync(0, "utf8")) ?? [];
  const ours = ["everything", "filesystem", "memory"];
  console.log(servers.filter((s) => ours.includes(s.name) && s.approved && !s.tool_count).map((s) => s.name).join());')

say "" "What an agent does with it:"
CGO_ENABLED=0 go run ./build/demo -binary "$binary" -wait "$wait_for"

say "" "The AI editors that are here, and whether our entry is in them:"
"$binary" editors list | sed 's/^/  /'
cat <<EOF

To put it in, which shows every change first:  $binary editors register --all
By hand it is this:  {"mcpServers":{"discover":{"command":"$binary","args":["mcp"]}}}

EOF
# screen: somebody could see a window.
screen() { [ "$(uname -s)" != Linux ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; }

# build PART WHAT: fails with one line where the machine lacks what it needs.
build() {
  make --no-print-directory "$1" >"$log" 2>&1 && return
  say "The $2 cannot be built here: $(grep -v '^make' "$log" | tail -n 1) (make $1 shows more)"
  return 1
}

if screen; then
  say "Building the tray icon and the window, which takes minutes the first time."
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
  say "The dashboard is in the browser: $binary open"
fi

if [ -z "$hub" ]; then
  say "The hub was running before and goes on."
  [ -z "$window" ] || wait "$window" || true
  exit
fi
say "The hub is running. Ctrl-C stops ${window:+all of }it."
wait "$hub" && code=0 || code=$?
if [ "$code" = 0 ]; then
  say "The hub was stopped."
  exit
fi
say "The hub ended with exit code $code. It said:" >&2
cat "$hub_log" >&2
exit "$code"
