"""Reads the needs in build/model/data and the tools that meet them."""

import json
import pathlib
import re

MAX_TEXT = 2000  # bytes of a tool's text, as in backend/discovery/embedding


class Tool:
    """A tool, and the texts by which the product may embed it: one for each name that its server could have."""

    def __init__(self, server, name, description):
        self.server, self.name = server, name
        self.texts = [text(alias, name, description) for alias in (server, short(server))]


class Need:
    """A need, and the indices of the tools that meet it."""

    def __init__(self, text, tools):
        self.text, self.tools = text, tools


def text(server, name, description):
    """Returns the text that the product embeds for a tool (embedding.Text)."""
    return cut(words(server) + " " + words(name) + ". " + " ".join(cut(description, 2 * MAX_TEXT).split()), MAX_TEXT)


def cut(text, most):
    """Returns the beginning of a text, in at most that many bytes."""
    return text.encode()[:most].decode("utf-8", "ignore")


def words(name):
    """Splits a name into lower-case words."""
    return " ".join(re.findall(r"[^\W_]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name))).lower()


def short(server):
    """Returns the name that a person might give a server: without its publisher, "mcp" and "server"."""
    parts = words(server.split("__")[-1]).split()
    return " ".join(part for part in parts if part not in ("mcp", "server")) or server


def lines(path):
    """Returns the values of a file with a JSON value on each line."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def read(folder, catalogue):
    """Returns all tools, and the needs of the training data. Needs of tools that are not in the catalogue are left out."""
    tools, places = [], {}

    def add(server, name, description):
        places[f"{server}/{name}"] = len(tools)
        tools.append(Tool(server, name, description))

    for path in sorted(pathlib.Path(catalogue).glob("*.json")):
        for tool in json.loads(path.read_text("utf-8"))["tools"]:
            add(path.stem, tool["name"], tool.get("description") or "")
    entries = [entry for path in sorted(pathlib.Path(folder).glob("*.jsonl")) for entry in lines(path)]
    for entry in entries:
        tool = entry.get("tool")
        if tool and f"{tool['server']}/{tool['name']}" not in places:  # several lines may be for one tool
            add(tool["server"], tool["name"], tool["description"])
    needs = []
    for entry in entries:
        tool = entry.get("tool")
        ids = [f"{tool['server']}/{tool['name']}"] if tool else entry["tools"]
        right = [places[id] for id in ids + entry.get("also", []) if id in places]
        if right:
            needs += [Need(need, right) for need in entry["needs"]]
    return tools, needs


class Set:
    """A labelled set that measures the search: the texts of its tools, and its queries that have right tools."""

    def __init__(self, folder):
        tools = lines(folder / "tools.jsonl")
        places = {tool["id"]: i for i, tool in enumerate(tools)}
        self.name = folder.name
        self.texts = [text(tool.get("server") or "", tool["name"], tool.get("description") or "") for tool in tools]
        self.servers = [tool.get("server") or "" for tool in tools]
        queries = [query for query in lines(folder / "queries.jsonl") if query["relevant"]]
        self.queries = [Need(query["query"], [places[id] for id in query["relevant"]]) for query in queries]
        self.kinds = [query.get("kind", "") for query in queries]
