"""An MCP server of both eras, made with the Python SDK, whose tools ask the client. Its argument is a port for HTTP; without one it speaks stdio."""

import sys

import mcp_types
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("asking")


class Person(BaseModel):
    name: str


@server.tool()
async def ask(ctx: Context) -> str:
    """Ask the user for a name"""
    return repr(await ctx.elicit("Name?", Person))


@server.tool()
async def sample(ctx: Context) -> str:
    """Ask the model for a text"""
    text = mcp_types.TextContent(type="text", text="hello")
    return repr(await ctx.session.create_message(messages=[mcp_types.SamplingMessage(role="user", content=text)], max_tokens=5))


@server.tool()
async def roots(ctx: Context) -> str:
    """List the roots of the client"""
    return repr(await ctx.session.list_roots())


@server.tool()
async def era(ctx: Context) -> str:
    """Tell the version of MCP"""
    return ctx.request_context.protocol_version


if len(sys.argv) > 1:
    server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
