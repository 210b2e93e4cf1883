"""accept.py: as accept.mjs, for the Python SDK (mcp 2.x) on PYTHONPATH."""

import json
import sys

import mcp_types
from mcp_types import _v2025_11_25, _v2026_07_28

modules = {"Python": mcp_types, "Python 2025-11-25": _v2025_11_25, "Python 2026-07-28": _v2026_07_28}
items = {"tool": "Tool", "prompt": "Prompt", "resource": "Resource", "resource template": "ResourceTemplate"}
results = {"tools/call": "CallToolResult", "prompts/get": "GetPromptResult", "resources/read": "ReadResourceResult"}
results["completion/complete"] = "CompleteResult"
names = {**items, **results, "serverInfo": "Implementation", "capabilities": "ServerCapabilities"}
modern = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}

for line in sys.stdin:
    given = json.loads(line)
    refused = {}
    for sdk, module in modules.items():
        value = given["value"]
        if module is _v2026_07_28 and given["kind"] in results and isinstance(value, dict):
            value = {**value, **modern}
        try:
            getattr(module, names[given["kind"]]).model_validate(value)
        except Exception as error:
            refused[sdk] = str(error)
    print(json.dumps(refused), flush=True)
