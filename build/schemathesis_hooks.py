"""A Schemathesis check: a response of 500 or higher is a failure unless its message names a cause outside the hub."""

import re

import schemathesis

# Messages of 5xx responses that do not mean a bug in the hub: a server cannot be started, or this machine lacks a
# keychain or a program.
HONEST = re.compile(r'^(Failed to activate|[Ss]erver "|command ")|not found on PATH|keychain', re.DOTALL)


@schemathesis.check
def honest_server_error(ctx, response, case):
    if response.status_code < 500:
        return
    try:
        message = response.json()["error"]
    except Exception:
        message = ""
    if not HONEST.search(message):
        raise AssertionError(f"{response.status_code}: {response.text[:300]}")
