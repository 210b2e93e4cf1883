// The parts of a proposed server that the user reviews, and their changes.

import type { Server } from "$lib/api/socket";
import { quoted, visible } from "$lib/verbatim";
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

/** originOf describes the source of a proposal. */
export function originOf(server: Server): string {
  const agent = server.proposed_by ? `an agent in ${visible(server.proposed_by)}` : "an agent";
  if (server.source === "manual") return `Proposed by ${agent}`;
  const editor = /^editor:(.+)$/.exec(server.source)?.[1];
  if (editor) return `Imported from ${editor}, where it was switched off`;
  if (server.source === "pasted") return "From a pasted configuration, where it was switched off";
  if (server.source === "copy") return "From a copy of the database, with which it was repaired";
  if (server.source === "setup-file")
    return server.proposed_by ? `From a setup file that ${agent} named` : "From a setup file that a program named";
  return server.proposed_by
    ? `Proposed by ${agent}, from: ${server.source}`
    : `Added by a program, from: ${server.source}`;
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
    { what: "Address", before: before.homepage ?? "", after: after.homepage ?? "" },
    { what: "Transport", before: before.transport, after: after.transport },
    ...named("Variable", before.env, after.env),
    ...named("Header", before.headers, after.headers),
  ].filter((change) => change.before !== change.after);
}
