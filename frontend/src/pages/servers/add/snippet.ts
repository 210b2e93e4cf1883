// Servers out of what other programs keep them in: Claude, Cursor, VS Code, Zed, Windsurf, Codex, opencode, and ours.

import { looksSecret } from "./credentials.ts";
import { nameFrom, newDraft, suggestName, targetOf, unfilled, type Draft, type Transport } from "./draft.ts";
import { JsonError, parseJson, type Json } from "./jsonc.ts";
import { split } from "../../../lib/commandline.ts";
import { nameProblem } from "../../../lib/names.ts";

/** What a text holds. */
export interface Snippet {
  drafts: Draft[];
  /** Why nothing came of it, with line and reason where it is no JSON. */
  problem?: string;
}

/** What is there already: names to their command line or address. */
export type Known = ReadonlyMap<string, string>;

type Members = Record<string, Json>;
type Named = [name: string, entry: Json];

const containers = ["mcpServers", "mcp_servers", "context_servers", "servers", "mcp", "amp.mcpServers", "mcp.servers"];
const DEEPEST = 4;

/** readSnippet finds the servers in a text, with names that are free. */
export function readSnippet(text: string, known: Known = new Map()): Snippet {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (problem) {
    if (problem instanceof JsonError) return { drafts: [], problem: otherThanJson(text) ?? problem.message };
    throw problem;
  }
  const found = serversIn(value, 0);
  if (found.length === 0) return { drafts: [], problem: nothing(value) };
  const taken = new Set(known.keys());
  return {
    drafts: found.map(([name, entry]) => {
      const draft = named(draftOf(entry), name, taken);
      taken.add(draft.name);
      const twin = [...known].find(([, target]) => target === targetOf(draft))?.[0];
      if (!twin || draft.problem) return draft;
      return { ...draft, chosen: false, notes: [`“${twin}” is the same and is here already.`, ...draft.notes] };
    }),
  };
}

function otherThanJson(text: string): string | undefined {
  const first = text.trim().split("\n", 1)[0] ?? "";
  if (/^\[+[\w.-]+("[^"]*")?\]+$/.test(first))
    return "This is TOML. Paste the JSON of it, or add the server by its command.";
  if (/^(\$ )?(npx|uvx|node|docker|python3?|bunx|deno|claude|codex)\s/.test(first))
    return "This is a command line. Choose “Local” above and paste it there.";
  if (/^https?:\/\/\S+$/.test(first)) return "This is an address. Choose “Remote” above and paste it there.";
  if (/^[\w-]+:\s*$/m.test(first)) return "This is YAML. Paste the JSON of it, or add the server by its command.";
  return undefined;
}

function nothing(value: Json): string {
  if (members(value) && Object.keys(value as Members).length === 0) return "The braces are empty.";
  return "This is JSON, but there is no server in it: something with a “command” or a “url”.";
}

const members = (value: Json | undefined): Members | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;

const isEntry = (value: Json | undefined): boolean => {
  const entry = members(value);
  return entry !== undefined && ["command", "url", "serverUrl", "httpUrl"].some((name) => Object.hasOwn(entry, name));
};

function serversIn(value: Json, depth: number): Named[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.filter((item) => isEntry(item)).map((item) => ["", item]);
  const all = members(value);
  if (!all) return [];
  if (isEntry(all)) return [["", all]];
  const found = containers.flatMap((container) => contained(all[container], depth));
  if (found.length > 0) return found;
  const entries = Object.entries(all);
  if (entries.some(([, entry]) => isEntry(entry))) return entries.filter(([, entry]) => isEntry(entry));
  return entries.flatMap(([, inner]) => (members(inner) ? serversIn(inner, depth + 1) : []));
}

/** contained reads what stands under a name such as mcpServers: each member is a server, whatever is in it. */
function contained(value: Json | undefined, depth: number): Named[] {
  if (Array.isArray(value)) return value.filter((item) => members(item)).map((item) => ["", item]);
  const all = members(value);
  if (!all) return [];
  const further = serversIn(
    Object.fromEntries(Object.entries(all).filter(([name]) => containers.includes(name))),
    depth + 1,
  );
  if (further.length > 0) return further;
  return Object.entries(all).filter(([, entry]) => members(entry));
}

function named(draft: Draft, given: string, taken: ReadonlySet<string>): Draft {
  const wanted = given || draft.name;
  const name = nameFrom(wanted || suggestName(draft), taken);
  if (!wanted || name === wanted) return { ...draft, name };
  const why = taken.has(wanted) ? "is taken" : (nameProblem(wanted) ?? "cannot be used");
  return {
    ...draft,
    name,
    notes: [`“${wanted}” ${why.replace(/\.$/, "")}; this one becomes “${name}”.`, ...draft.notes],
  };
}

function draftOf(value: Json): Draft {
  const entry = members(value) ?? {};
  const draft = newDraft({
    name: text(entry.name),
    description: text(entry.description),
    tags: texts(entry.tags),
    chosen: entry.disabled !== true && entry.enabled !== false,
  });
  if (!draft.chosen) draft.notes.push("It was switched off where it comes from.");
  const address = text(entry.httpUrl) || text(entry.serverUrl) || text(entry.url);
  if (address) remote(draft, entry, address);
  else local(draft, entry);
  draft.secrets = record(draft, entry.secrets, "secrets");
  explain(draft);
  return draft;
}

function remote(draft: Draft, entry: Members, address: string): void {
  draft.url = address.trim();
  draft.transport = transportOf(entry, draft.url);
  draft.headers = record(draft, entry.headers ?? entry.http_headers ?? members(entry.requestInit)?.headers, "headers");
  const variable = text(entry.bearer_token_env_var);
  if (variable) draft.headers.Authorization = `Bearer \${env:${variable}}`;
  if (!URL.canParse(draft.url) || !/^https?:/.test(draft.url))
    draft.problem = `“${draft.url}” is no http or https address.`;
}

function transportOf(entry: Members, address: string): Transport {
  const said = (text(entry.type) || text(entry.transport)).toLowerCase();
  if (said === "sse") return "sse";
  return !said && !entry.httpUrl && /\/sse\/?($|[?#])/.test(address) ? "sse" : "streamable-http";
}

function local(draft: Draft, entry: Members): void {
  const nested = members(entry.command); // Zed as it was: {"path": …, "args": […], "env": {…}}
  const source = nested ?? entry;
  const command = nested ? nested.path : entry.command;
  const line = Array.isArray(command) ? texts(command) : [text(command)];
  draft.command = line[0] ?? "";
  draft.args = [...line.slice(1), ...texts(source.args)];
  if (draft.args.length === 0 && /\s/.test(draft.command) && !/^["']?([A-Za-z]:)?[\\/]/.test(draft.command)) {
    [draft.command = "", ...draft.args] = split(draft.command).words;
  }
  draft.env = record(draft, source.env ?? source.environment, "env");
  if (text(entry.cwd))
    draft.notes.push("Its working folder (“cwd”) is left out: the hub starts servers in your home folder.");
  if (text(entry.envFile)) draft.notes.push("Its “envFile” is left out: give the variables that the server needs.");
  if (draft.command) return;
  draft.problem =
    entry.settings !== undefined || entry.source === "extension"
      ? "An extension of Zed starts this one; there is no command to take over."
      : "It has neither a “command” nor a “url”.";
}

/** explain tells of texts that another program would have filled in, or nobody yet. */
function explain(draft: Draft): void {
  const places = {
    ...draft.env,
    ...draft.headers,
    ...Object.fromEntries(draft.args.map((arg, i) => [`argument ${i + 1}`, arg])),
  };
  if (draft.url) places.url = draft.url;
  for (const [name, value] of Object.entries(places)) {
    const variable = unfilled.exec(value)?.[0];
    if (variable) draft.notes.push(`${name} has ${variable}, which nothing fills in here.`);
    else if (
      !looksSecret(value) &&
      /^(<[^>]+>|\[[A-Z_ -]+\]|x{4,}|.*\b(your|my)[-_ ].*(key|token|secret|password|id)\b.*|changeme|\.\.\.|…)$/i.test(
        value,
      )
    )
      draft.notes.push(`${name} is “${value}”, which looks like a placeholder.`);
  }
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const texts = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : []).filter((item) => item !== null && typeof item !== "object").map(String);

/** record reads named texts: {"A": "b"}, and ["A=b"] too. */
function record(draft: Draft, value: Json | undefined, what: string): Record<string, string> {
  const lines: [string, Json][] = Array.isArray(value)
    ? texts(value).map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)])
    : Object.entries(members(value) ?? {});
  const out: [string, string][] = [];
  for (const [name, item] of lines) {
    if (typeof item === "object" && item !== null) draft.notes.push(`${what}.${name} is no text and is left out.`);
    else if (item !== null) out.push([name, String(item)]);
  }
  return Object.fromEntries(out);
}
