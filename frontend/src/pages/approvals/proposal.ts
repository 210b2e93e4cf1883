// The parts of a proposed server that the user reviews, and their changes.

import type { Server } from "$lib/api/socket";
import { pieces, quoted } from "$lib/verbatim";

/** A variable or header. credential: its value is a credential. */
export interface Setting {
  name: string;
  value: string;
  credential: boolean;
  /** Whether the variable affects which code is loaded, or from where. */
  steers: boolean;
}

/**
 * An argument of a command line, in quotes if needed. flagged: a credential, which every user of the machine can see.
 */
export interface Word {
  text: string;
  flagged: boolean;
}

export const isRemote = (server: Server): boolean => server.transport !== "stdio";

const flags = (server: Server): Set<string> => new Set(server.plaintext ?? []);

/** words returns the program and the arguments of a server. */
export function words(server: Server): Word[] {
  const open = flags(server);
  return [server.command ?? "", ...(server.args ?? [])].map((word, i) => ({
    text: quoted(word),
    flagged: i > 0 && open.has(`args[${i - 1}]`),
  }));
}

const STEERING =
  /^(PATH|(LD|DYLD)_.*|(NODE|BUN|DENO)_(OPTIONS|PATH|EXTRA_CA_CERTS)|PYTHON(PATH|STARTUP|HOME)|RUBYOPT|PERL5(OPT|LIB)|JAVA_TOOL_OPTIONS|(BASH_)?ENV|GIT_.*|NPM_CONFIG_.*|(UV|PIP)_.*|(HTTPS?|ALL)_PROXY|SSL_CERT_.*|DOCKER_HOST|XDG_.*|HOME)$/i;

const settings = (values: Record<string, string> | undefined, prefix: string, open: Set<string>): Setting[] =>
  Object.entries(values ?? {})
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, value]) => ({
      name,
      value,
      credential: open.has(`${prefix}.${name}`),
      steers: prefix === "env" && STEERING.test(name),
    }));

export const variables = (server: Server): Setting[] => settings(server.env, "env", flags(server));
export const headers = (server: Server): Setting[] => settings(server.headers, "headers", flags(server));

/** secretsOf returns the names of the secrets that the server would receive. */
export function secretsOf(server: Server): string[] {
  const texts = [...(server.args ?? []), ...Object.values(server.env), ...Object.values(server.headers ?? {})];
  const named = [...texts, server.homepage ?? ""].flatMap((text) =>
    [...text.matchAll(/\$\{secret:([^}]+)\}/g)].map((match) => match[1] ?? ""),
  );
  return [...new Set([...named, ...(server.secret_names ?? [])])].sort();
}

/** originOf describes the source of a proposal. */
export function originOf(server: Server): string {
  if (server.source === "manual") return "Proposed by an agent";
  if (server.source === "setup-file") return "From a setup file that an agent named";
  return `Proposed by an agent, from: ${server.source}`;
}

/** A difference between two states of a server. "" stands for a value that does not exist. */
export interface Change {
  what: string;
  before: string;
  after: string;
}

/** changes returns the differences between two states of a server. */
export function changes(before: Server, after: Server): Change[] {
  const line = (server: Server) =>
    words(server)
      .map((word) => word.text)
      .join(" ");
  const named = (kind: string, prefix: string, one: Record<string, string> = {}, other: Record<string, string> = {}) =>
    [...new Set([...Object.keys(one), ...Object.keys(other)])]
      .filter((name) => one[name] !== other[name])
      .sort()
      .map((name) => ({
        what: `${kind} ${name}`,
        before: flags(before).has(`${prefix}.${name}`) ? "a credential" : (one[name] ?? ""),
        after: flags(after).has(`${prefix}.${name}`) ? "another credential" : (other[name] ?? ""),
      }));
  return [
    { what: "Command", before: line(before), after: line(after) },
    { what: "Address", before: before.homepage ?? "", after: after.homepage ?? "" },
    { what: "Transport", before: before.transport, after: after.transport },
    ...named("Variable", "env", before.env, after.env),
    ...named("Header", "headers", before.headers, after.headers),
  ].filter((change) => change.before !== change.after);
}

/**
 * suspiciousCharacters counts hidden characters and non-Latin letters in the command, address and variables of a
 * server.
 */
export function suspiciousCharacters(server: Server): { hidden: number; foreign: number } {
  const texts = [
    server.command ?? "",
    ...(server.args ?? []),
    server.homepage ?? "",
    ...Object.entries(server.env).flat(),
  ];
  const found = texts.flatMap((text) => pieces(text));
  return {
    hidden: found.filter((piece) => piece.kind === "escaped").length,
    foreign: found.filter((piece) => piece.kind === "foreign").length,
  };
}
