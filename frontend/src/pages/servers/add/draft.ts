// A server that is about to be added, wherever it came from.

import { credentialsIn, isCredential } from "./credentials.ts";
import { reserved } from "../../../lib/names.ts";
import { lineOf } from "../../../lib/commandline.ts";

export type Transport = "stdio" | "streamable-http" | "sse";

export interface Draft {
  name: string;
  description: string;
  transport: Transport;
  command: string;
  args: string[];
  url: string;
  env: Record<string, string>;
  headers: Record<string, string>;
  tags: string[];
  /** By name; they go to the keychain and nowhere else. */
  secrets: Record<string, string>;
  /** False where it was switched off, or is here already. */
  chosen: boolean;
  /** What a person should know before it is added. */
  notes: string[];
  /** Why it cannot be added. */
  problem?: string;
}

/** A credential that stands as it is in a draft, and the name that it gets as a secret. */
export interface Found {
  where: string;
  name: string;
}

export const newDraft = (given: Partial<Draft> = {}): Draft => ({
  name: "",
  description: "",
  transport: "stdio",
  command: "",
  args: [],
  url: "",
  env: {},
  headers: {},
  tags: [],
  secrets: {},
  chosen: true,
  notes: [],
  ...given,
});

/** What a server runs, or where it is, on one line. */
export const targetOf = (draft: Pick<Draft, "transport" | "command" | "args" | "url">): string =>
  draft.transport === "stdio" ? lineOf(draft.command, draft.args) : draft.url;

/** credentialsOf finds what had better go to the keychain. */
export function credentialsOf(draft: Draft): Found[] {
  const named = (kind: "env" | "headers") =>
    Object.entries(draft[kind])
      .filter(([name, value]) => isCredential(name, value))
      .map(([name]) => ({ where: `${kind}.${name}`, name }));
  const args = credentialsIn(draft.args).map(({ index, name }) => ({ where: `args[${index}]`, name }));
  return draft.transport === "stdio" ? [...named("env"), ...args] : named("headers");
}

/** withSecrets moves the credentials of a draft that were found to its secrets; references stand where they were. */
export function withSecrets(draft: Draft, keep: readonly Found[] = credentialsOf(draft)): Draft {
  const out = { ...draft, env: { ...draft.env }, headers: { ...draft.headers }, secrets: { ...draft.secrets } };
  out.args = [...draft.args];
  for (const { where, name } of keep) {
    const [kind = "", place = ""] = where.split(/\.(.*)/s);
    if (kind === "env" || kind === "headers") {
      out.secrets[name] = draft[kind][place] ?? "";
      delete out[kind][place]; // a secret of this name gets there by itself
    }
  }
  for (const { index, name, before, value } of credentialsIn(draft.args)) {
    if (!keep.some(({ where }) => where === `args[${index}]`)) continue;
    let as = name;
    for (let n = 2; Object.hasOwn(out.secrets, as) && out.secrets[as] !== value; n++) as = `${name}-${n}`;
    out.secrets[as] = value;
    out.args[index] = `${before}\${secret:${as}}`;
  }
  return out;
}

/** What another program would have filled in: ${input:key}, ${env:TOKEN}. */
export const unfilled = /\$\{(?!secret:)[^}]*\}/;

/** filled puts values into the places of a draft, env.NAME or headers.NAME, where nobody else would. */
export function filled(draft: Draft, values: Readonly<Record<string, string>>): Draft {
  const out = { ...draft, env: { ...draft.env }, headers: { ...draft.headers } };
  for (const [where, value] of Object.entries(values)) {
    const [kind = "", name = ""] = where.split(/\.(.*)/s);
    if (!value || (kind !== "env" && kind !== "headers")) continue;
    out[kind][name] = draft[kind][name]?.replace(unfilled, () => value) ?? "";
    out.notes = out.notes.filter((note) => !note.startsWith(`${name} has `));
  }
  return out;
}

/** nameFrom makes a name that the hub takes of any text, and that nobody has. */
export function nameFrom(text: string, taken: ReadonlySet<string> = new Set()): string {
  const clean = text
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/_{2,}/g, "_")
    .slice(0, 60)
    .replace(/^[-.]+|[-._]+$/g, "");
  const base = clean && !reserved.has(clean) ? clean : `${clean || "server"}-1`;
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
  return name;
}

const runners = /^(npx|npm|bunx|pnpm|yarn|uvx|uv|pipx|node|bun|deno|python3?|docker|podman|cmd|bash|sh|env)(\.\w+)?$/i;

/** suggestName names a server by its package, its program or its host. */
export function suggestName(draft: Pick<Draft, "transport" | "command" | "args" | "url">): string {
  if (draft.transport !== "stdio") {
    const host = URL.canParse(draft.url) ? new URL(draft.url).hostname : "";
    const parts = host.split(".").filter((part) => !/^(www|mcp|api|com|org|net|io|dev|ai|app)$/.test(part));
    return nameFrom(/^[\d.:[\]]+$/.test(host) ? host : (parts.at(-1) ?? host));
  }
  const program = draft.command.split(/[\\/]/).at(-1) ?? "";
  const source = runners.test(program) ? (packageIn(draft.args) ?? program) : program;
  const last = source
    .replace(/(.)(@|==)[^/]*$/, "$1")
    .split(/[\\/]/)
    .filter((part) => !/^(dist|build|src|index\.\w+|main\.\w+|server\.\w+)$/.test(part))
    .at(-1);
  return nameFrom(
    (last ?? source)
      .replace(/\.(js|mjs|cjs|ts|py|exe|cmd|bat|sh)$/i, "")
      .replace(/^(mcp-server|server|mcp)-(?=.)/, "")
      .replace(/-(mcp-server|mcp|server)$/, ""),
  );
}

/** packageIn finds what a runner is told to run: the first argument that is neither an option nor a word of its own. */
const packageIn = (args: readonly string[]): string | undefined => {
  const last = args.findLast((arg) => /^[\w.-]+\/[\w./-]+(:[\w.-]+)?$/.test(arg));
  if (args[0] === "run" && last) return last.replace(/:[\w.-]+$/, "");
  return args.find(
    (arg, i) => !arg.startsWith("-") && !/^(run|exec|dlx|x|tool|\/c)$/i.test(arg) && args[i - 1] !== "-e",
  );
};

/** tagsOf reads tags that were typed in one field. */
export const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];
