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
  url: string;
  env: Record<string, string>;
  headers: Record<string, string>;
  tags: string[];
  /** How the processes of a local server are confined. */
  sandbox?: Level;
  /** Secret values by name. They are stored in the keychain only. */
  secrets: Record<string, string>;
}

/** A credential in a configuration: its place (env.NAME, headers.NAME, args[0] or url), secret name and value. */
export type Credential = Parsed["secrets"][number];

type Placeholder = Parsed["missing"][number];

/** The values that the user entered for placeholders, by keyOf. */
export type Values = Readonly<Record<string, string>>;

export const keyOf = ({ where }: Placeholder | Credential, text: string): string => `${where} ${text}`;

/** labelOf returns the display name of a place: "argument 1" for args[0], NAME for env.NAME. */
export function labelOf(where: string): string {
  const argument = /^args\[(\d+)\]$/.exec(where)?.[1];
  return argument ? `argument ${Number(argument) + 1}` : where.replace(/^(env|headers)\./, "");
}

/** credentialsOf returns the credentials that the hub found, and those that the user entered for placeholders. */
export const credentialsOf = (server: Parsed, values: Values = {}): Credential[] => [
  ...server.secrets,
  ...server.missing.flatMap((one) => {
    const value = values[keyOf(one, one.text)];
    return one.secret && value ? [{ where: one.where, name: one.secret, value }] : [];
  }),
];

/**
 * draftOf returns the draft of a parsed server: it fills in placeholders and turns the credentials in keep into
 * secrets.
 */
export function draftOf(server: Parsed, keep: readonly Credential[] = server.secrets, values: Values = {}): Draft {
  const draft: Draft = {
    ...{ name: server.name, description: server.description, tags: server.tags },
    transport: server.transport as Transport,
    ...{ command: server.command, url: server.url, args: [...server.args] },
    ...{ env: { ...server.env }, headers: { ...server.headers }, secrets: {} },
  };
  for (const one of server.missing) {
    const value = values[keyOf(one, one.text)];
    if (value) edit(draft, one.where, (text) => text.replaceAll(one.text, () => value));
  }
  for (const { where, name, value } of keep) {
    let secret = value;
    edit(draft, where, (text) => {
      if (where !== `env.${name}` && where !== `headers.${name}`)
        return text.replaceAll(value, () => `\${secret:${name}}`);
      secret = text; // the server gets a secret of this name without a reference
      return undefined;
    });
    draft.secrets[name] = secret;
  }
  return draft;
}

/** edit replaces the text at a place of a draft. A result of undefined removes the variable or header. */
function edit(draft: Draft, where: string, to: (text: string) => string | undefined): void {
  const [kind = "", name = ""] = where.split(/\.(.*)/s);
  const index = Number(/^args\[(\d+)\]$/.exec(where)?.[1] ?? -1);
  if (where === "command" || where === "url") draft[where] = to(draft[where]) ?? "";
  else if (index >= 0) draft.args[index] = to(draft.args[index] ?? "") ?? "";
  else if ((kind === "env" || kind === "headers") && Object.hasOwn(draft[kind], name)) {
    const text = to(draft[kind][name] ?? "");
    if (text === undefined) delete draft[kind][name];
    else draft[kind][name] = text;
  }
}

/** tagsOf parses tags that are separated by commas. */
export const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];
