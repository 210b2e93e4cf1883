#!/usr/bin/env bash
# Starts the hub, gives it three servers when it has none, shows one tool found and called, and keeps running.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=$PWD/bin/agent-discover
folder=${AGENT_DISCOVER_HOME:-$HOME/.agent-discover}
hub=

say() { printf '%s\n' "$@"; }
hub_runs() { "$binary" status --json >/dev/null 2>&1; }

# shellcheck disable=SC2317 # a trap calls it
stop_hub() {
  trap - INT TERM EXIT
  if kill -0 "$hub" 2>/dev/null; then
    say "" "Stopping the hub."
    kill -TERM "$hub" || true
    wait "$hub" || true
  fi
  rm -f "$log"
}

start_hub() {
  log=$(mktemp)
  # A process group of its own: Ctrl-C reaches this script only, which then stops the hub gently.
  set -m
  "$binary" serve </dev/null >"$log" 2>&1 &
  set +m
  hub=$!
  trap stop_hub EXIT
  # Ctrl-C is how this ends on a good day.
  trap 'exit 0' INT TERM

  for _ in {1..300}; do
    if hub_runs; then return; fi
    kill -0 "$hub" 2>/dev/null || break
    sleep 0.1
  done
  say "The hub did not get ready. It said:" >&2
  cat "$log" >&2
  exit 1
}

add() {
  local name=$1 description=$2
  shift 2
  say "  adding         $name: $*"
  "$binary" servers add "$name" --description "$description" -- "$@" >/dev/null
}

if hub_runs; then
  say "A hub runs already for $folder; using it."
else
  say "Starting the hub for $folder."
  start_hub
fi

# Without --prefer-offline npx asks the registry at every start whether it has something newer.
npx=(npx -y --prefer-offline)
wait_for=
case $("$binary" servers list --json | tr -d '[:space:]') in
  '[]' | null)
    say "No server is registered yet. These three come from npm, the first start downloads them:"
    add everything "Reference server with a tool of every kind: echo, sums, images, progress" \
      "${npx[@]}" @modelcontextprotocol/server-everything
    add filesystem "Reads and writes files below $PWD" "${npx[@]}" @modelcontextprotocol/server-filesystem "$PWD"
    add memory "Remembers facts in a knowledge graph" "${npx[@]}" @modelcontextprotocol/server-memory
    wait_for=everything,filesystem,memory
    ;;
esac

say "" "What an agent does with it:"
CGO_ENABLED=0 go run ./build/demo -binary "$binary" -wait "$wait_for"

cat <<EOF

For an editor, this is the one entry:

  {"mcpServers":{"discover":{"command":"$binary","args":["mcp"]}}}

EOF
if [ -z "$hub" ]; then
  say "The hub was running before and goes on."
  exit
fi
say "The hub is running. Ctrl-C stops it."
wait "$hub" && code=0 || code=$?
say "The hub ended with exit code $code. It said:" >&2
cat "$log" >&2
exit "$code"
