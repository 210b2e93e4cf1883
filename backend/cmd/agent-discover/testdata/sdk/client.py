"""client.py: as client.mjs, for the official Python SDK (mcp 2.x) on PYTHONPATH."""

import asyncio
import json
import os
import sys

import httpx2
import mcp
import mcp_types
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def visit(server):
    at, own = server["at"], server.get("own", False)

    async def attempt(did, action, mine=None):
        try:
            result = await asyncio.wait_for(action(), 60)
        except TimeoutError:  # the client never reads some answers that it refuses
            print(json.dumps({"at": at, "did": did, "error": "no answer"}), flush=True)
            os._exit(0)
        except Exception as error:
            print(json.dumps({"at": at, "did": did, "error": (str(error) or repr(error))[:600]}), flush=True)
            return []
        items = [i for i in mine(result)] if mine else []
        failed = bool(getattr(result, "is_error", False))
        print(json.dumps({"at": at, "did": did, "count": len(items), "failed": failed}), flush=True)
        return items

    async def everything(client):
        named = lambda items: [i.name for i in items if own or i.name.startswith("odd__")]
        at_odd = lambda uris: [str(u) for u in uris if own or str(u).startswith("odd+")]
        tools = await attempt("tools/list", client.list_tools, lambda r: named(r.tools))
        prompts = await attempt("prompts/list", client.list_prompts, lambda r: named(r.prompts))
        resources = await attempt("resources/list", client.list_resources, lambda r: at_odd(i.uri for i in r.resources))
        templates = lambda r: at_odd(i.uri_template for i in r.resource_templates)
        await attempt("resources/templates/list", client.list_resource_templates, templates)
        if server.get("use"):
            for name in tools:
                await attempt("tools/call " + name, lambda: client.call_tool(name, {}))
            for name in prompts:
                await attempt("prompts/get " + name, lambda: client.get_prompt(name))
                ref = mcp_types.PromptReference(name=name)
                await attempt("completion/complete " + name, lambda: client.complete(ref, {"name": "x", "value": ""}))
            for uri in resources:
                await attempt("resources/read " + uri, lambda: client.read_resource(uri))

        for call in server.get("calls") or []:
            await attempt("calls " + json.dumps(call), lambda: client.call_tool(call["name"], call["arguments"]))

    if command := server.get("command"):
        transport = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    else:
        headers = {"Authorization": "Bearer " + server["token"]}
        transport = streamable_http_client(server["url"], http_client=httpx2.AsyncClient(headers=headers))
    try:
        async with mcp.Client(transport, mode="auto" if server.get("modern") else "legacy") as client:
            print(json.dumps({"at": at, "did": "connect"}), flush=True)
            await everything(client)
    except Exception as error:
        print(json.dumps({"at": at, "did": "connect", "error": (str(error) or repr(error))[:600]}), flush=True)


async def main():
    for server in json.load(sys.stdin):
        await visit(server)


asyncio.run(main())
