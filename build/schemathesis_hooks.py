"""What counts as a failure of the hub when Schemathesis runs against it."""

import re

import schemathesis

# Failures of something that is not the hub, in the hub's own words: a server that cannot be started, and a keychain or
# a program that this machine does not have. Anything else of 500 and over is a mistake of ours.
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
