#!/usr/bin/env bash
# Fuzzes every operation in /openapi.json with Schemathesis, against a hub that the script starts.
#
#   build/schemathesis.sh [EXAMPLES]   EXAMPLES is the largest number of requests for each operation, 50 by default
#
# It needs Python 3.10, and PyPI the first time; it installs Schemathesis into the user's cache folder.
set -euo pipefail
cd "$(dirname "$0")/.."

version=4.32.5
examples=${1:-50}
venv=${XDG_CACHE_HOME:-$HOME/.cache}/agent-discover/schemathesis-$version
work=$(mktemp -d)
hub=

# shellcheck disable=SC2317 # a trap calls it
clean() {
  [ -z "$hub" ] || kill -TERM "$hub" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap clean EXIT

[ -x "$venv/bin/schemathesis" ] || {
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version"
}
CGO_ENABLED=0 go build -o "$work/agent-discover" ./backend/cmd/agent-discover

# Schemathesis adds servers with random words as commands, which the hub then starts. An empty PATH, also in the login
# shell's environment, ensures that no random word names a program.
cat >"$work/shell" <<'EOF'
#!/bin/sh
printf '%s\n' --agent-discover-environment--
printf 'PATH=/nonexistent\n'
EOF
chmod 755 "$work/shell"
env -i HOME="$work" SHELL="$work/shell" PATH=/nonexistent LANG=C.UTF-8 AGENT_DISCOVER_HOME="$work/data" \
  AGENT_DISCOVER_KEYCHAIN=off AGENT_DISCOVER_PASSPHRASE=schemathesis \
  AGENT_DISCOVER_REGISTRY_URL=off AGENT_DISCOVER_PORT=0 "$work/agent-discover" serve >"$work/log" 2>&1 &
hub=$!
ask() { env HOME="$work" AGENT_DISCOVER_HOME="$work/data" "$work/agent-discover" token --json | "$venv/bin/python" -c "import json,sys; print(json.load(sys.stdin)['$1'])"; }
for _ in {1..100}; do
  ask url >"$work/url" 2>/dev/null && break
  sleep 0.1
done

code=0
# Schemathesis reads this file in the folder where it runs. Other users could see a token in its arguments.
printf 'headers = { Authorization = "Bearer %s" }\n' "$(ask token)" >"$work/schemathesis.toml"
(
  cd "$work"
  SCHEMATHESIS_HOOKS=schemathesis_hooks PYTHONPATH=$OLDPWD/build PYTHONDONTWRITEBYTECODE=1 \
    "$venv/bin/schemathesis" run "$(cat url)/openapi.json" \
    --exclude-path /api/stop --exclude-path /api/pause --max-examples "$examples" --request-timeout 30 \
    --checks honest_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,ignored_auth \
    --continue-on-failure --warnings off
) || code=$?
if ! kill -0 "$hub" 2>/dev/null || grep -q panic "$work/log"; then
  echo "The hub crashed. Its output:"
  tail -n 50 "$work/log"
  code=1
fi
exit "$code"
