// The configuration of a server to be added.

import type { Level } from "$lib/sandbox";
import type { Parsed } from "$lib/stores/lookup.svelte";

export type Transport = "stdio" | "streamable-http" | "sse";

export interface Draft {
  name: string;
  description: string;
  transport: Transport;
  command: string;
  args: string[];
  /** The working folder of a local server; empty for the home folder. */
  cwd: string;
  /** The server's own time limits, such as 5m; empty for those of the settings. */
  start_timeout: string;
  call_timeout: string;
  url: string;
  env: Record<string, string>;
  headers: Record<string, string>;
  tags: string[];
  /** How the processes of a local server are confined. */
  sandbox?: Level;
  /** Secret values by name. They are stored in the keychain only. */
  secrets: Record<string, string>;
  /** Whether the configuration contains credentials, which the hub moves to the keychain. */
  credentials: boolean;
}

type Placeholder = Parsed["missing"][number];

/** The values that the user entered for placeholders, by keyOf. */
export type Values = Readonly<Record<string, string>>;

export const keyOf = ({ where, text }: Placeholder): string => `${where} ${text}`;

/** labelOf returns the display name of a place: "argument 1" for args[0], NAME for env.NAME. */
export function labelOf(where: string): string {
  const argument = /^args\[(\d+)\]$/.exec(where)?.[1];
  return argument ? `argument ${Number(argument) + 1}` : where.replace(/^(env|headers)\./, "");
}

/** secretsOf returns the names of the secrets that the hub stores for a parsed server. */
export const secretsOf = (server: Parsed, values: Values = {}): string[] => [
  ...server.secrets.map(({ name }) => name),
  ...server.missing.filter((one) => one.secret && values[keyOf(one)]).map(({ secret }) => secret),
];

/**
 * draftOf returns the draft of a parsed server with the values of its placeholders. Credentials stay in it as they are:
 * the hub moves them to the keychain.
 */
export function draftOf(server: Parsed, values: Values = {}): Draft {
  const draft: Draft = {
    ...{ name: server.name, description: server.description, tags: server.tags },
    transport: server.transport as Transport,
    ...{ command: server.command, url: server.url, args: [...server.args] },
    ...{ cwd: server.cwd, start_timeout: server.start_timeout, call_timeout: server.call_timeout },
    ...{ env: { ...server.env }, headers: { ...server.headers } },
    ...{ secrets: {}, credentials: server.secrets.some(({ where }) => where) },
  };
  for (const one of server.missing) {
    const value = values[keyOf(one)];
    if (!value) continue;
    edit(draft, one.where, (text) => text.replaceAll(one.text, () => (one.secret ? one.reference : value)));
    if (one.secret) draft.secrets[one.secret] = value;
  }
  for (const { where, name, value } of server.secrets) if (!where) draft.secrets[name] = value;
  return draft;
}

/** asSecrets moves variables or headers that the user has marked as secret to the secrets of a draft. */
export function asSecrets(draft: Draft, kind: "env" | "headers", names: readonly string[]): Draft {
  for (const name of names) {
    draft.secrets[name] = draft[kind][name] ?? "";
    delete draft[kind][name];
  }
  return draft;
}

/** edit replaces the text at a place of a draft. */
function edit(draft: Draft, where: string, to: (text: string) => string): void {
  const [kind = "", name = ""] = where.split(/\.(.*)/s);
  const index = Number(/^args\[(\d+)\]$/.exec(where)?.[1] ?? -1);
  if (where === "command" || where === "url" || where === "cwd") draft[where] = to(draft[where]);
  else if (index >= 0) draft.args[index] = to(draft.args[index] ?? "");
  else if ((kind === "env" || kind === "headers") && Object.hasOwn(draft[kind], name))
    draft[kind][name] = to(draft[kind][name] ?? "");
}

/** runOf returns the working folder and the time limits of a draft, as typed. */
export const runOf = (cwd: string, start: string, call: string) => ({
  ...{ cwd: cwd.trim(), start_timeout: start.trim(), call_timeout: call.trim() },
});

/** tagsOf parses tags that are separated by commas. */
export const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];
