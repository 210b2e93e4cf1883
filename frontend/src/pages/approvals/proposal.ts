// The parts of a proposed server that the user reviews, and their changes.

import type { Server } from "$lib/api/socket";
import { quoted } from "$lib/verbatim";
import { marksAt, type Mark } from "./consequence";

/** A variable or header of a server, and what is suspicious about it. */
export interface Setting {
  name: string;
  value: string;
  marks: Mark[];
}

/** The program or an argument of a command line, in quotes if needed, and what is suspicious about it. */
export interface Word {
  text: string;
  marks: Mark[];
}

export const isRemote = (server: Server): boolean => server.transport !== "stdio";

/** words returns the program and the arguments of a server. */
export function words(server: Server): Word[] {
  return [server.command ?? "", ...(server.args ?? [])].map((word, i) => ({
    text: quoted(word),
    marks: marksAt(server, i ? `args[${i - 1}]` : "command"),
  }));
}

const settings = (server: Server, values: Record<string, string> | undefined, prefix: string): Setting[] =>
  Object.entries(values ?? {})
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, value]) => ({ name, value, marks: marksAt(server, `${prefix}.${name}`) }));

export const variables = (server: Server): Setting[] => settings(server, server.env, "env");
export const headers = (server: Server): Setting[] => settings(server, server.headers, "headers");

/** secretsOf returns the names of the secrets that the server would receive. */
export function secretsOf(server: Server): string[] {
  return [...new Set([...(server.secret_references ?? []), ...(server.secret_names ?? [])])].sort();
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
  const named = (kind: string, one: Record<string, string> = {}, other: Record<string, string> = {}) =>
    [...new Set([...Object.keys(one), ...Object.keys(other)])]
      .filter((name) => one[name] !== other[name])
      .sort()
      .map((name) => ({
        what: `${kind} ${name}`,
        before: one[name] ?? "",
        after: other[name] ?? "",
      }));
  return [
    { what: "Command", before: line(before), after: line(after) },
    { what: "Working folder", before: before.cwd ?? "", after: after.cwd ?? "" },
    { what: "Address", before: before.homepage ?? "", after: after.homepage ?? "" },
    { what: "Transport", before: before.transport, after: after.transport },
    ...named("Variable", before.env, after.env),
    ...named("Header", before.headers, after.headers),
  ].filter((change) => change.before !== change.after);
}
