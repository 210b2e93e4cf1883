// The configuration of a server while the user edits it.

import type { Server } from "$lib/api/socket";
import { runOf, tagsOf } from "../add/draft";
import { pairsOf, textsOf, type Pair } from "../NamedValues.svelte";

/** The configuration in the format of the REST API. */
export type Values = {
  description: string;
  transport: string;
  command: string;
  args: string[];
  cwd: string;
  start_timeout: string;
  call_timeout: string;
  homepage: string;
  env: Record<string, string>;
  headers: Record<string, string>;
  tags: string[];
};

/** The configuration in the format of the form fields. */
type Fields = Omit<Values, "env" | "headers" | "tags"> & { env: Pair[]; headers: Pair[]; tags: string };

type Key = keyof Values;

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const fieldsOf = (values: Values): Fields => ({
  ...values,
  args: [...values.args],
  env: pairsOf(values.env),
  headers: pairsOf(values.headers),
  tags: values.tags.join(", "),
});

const valuesOf = (fields: Fields): Values => ({
  description: fields.description,
  transport: fields.transport,
  command: fields.command.trim(),
  args: [...fields.args],
  ...runOf(fields.cwd, fields.start_timeout, fields.call_timeout),
  homepage: fields.homepage.trim(),
  env: textsOf(fields.env),
  headers: textsOf(fields.headers),
  tags: tagsOf(fields.tags),
});

const valuesOfServer = (server: Server): Values =>
  valuesOf({
    description: server.description,
    transport: server.transport,
    command: server.command ?? "",
    args: server.args ?? [],
    ...runOf(server.cwd ?? "", server.start_timeout ?? "", server.call_timeout ?? ""),
    homepage: server.homepage ?? "",
    env: pairsOf(server.env),
    headers: pairsOf(server.headers),
    tags: (server.tags ?? []).join(", "),
  });

/**
 * ServerEdit merges the user's edits with changes that the hub reports, field by field. An edited field keeps its text
 * until the edit is saved or discarded; every other field follows the server.
 *
 * The hub reports a change twice, in the response to a PUT and over the socket, and either may come first. Socket
 * messages are in order, so a value that arrives over the socket during a PUT is newer than the value in the response.
 */
export class ServerEdit {
  fields = $state<Fields>() as Fields;
  /** The values that the fields were last filled with. */
  #base = $state.raw<Values>() as Values;
  /** The newest values of the server. */
  #latest = $state.raw<Values>() as Values;
  /** The latest values that arrived over the socket. */
  #reported: Values;

  constructor(server: Server) {
    this.#reported = this.#latest = valuesOfServer(server);
    this.discard();
  }

  /** The values that saving would send. */
  values = $derived(valuesOf(this.fields));
  /** Whether there is something to save. */
  changed = $derived(!same(this.values, this.#latest));
  /** Whether a field that the user edited was changed elsewhere to a different value. */
  conflict = $derived(
    this.#keys.some((key) => !same(this.#latest[key], this.#base[key]) && !same(this.#latest[key], this.values[key])),
  );

  get latest(): Values {
    return this.#latest;
  }

  get #keys(): Key[] {
    return Object.keys(this.#latest) as Key[];
  }

  /** discard resets all fields to the values of the server. */
  discard(): void {
    this.fields = fieldsOf(this.#latest);
    this.#base = this.#latest;
  }

  /** follow merges the values of a server that arrived over the socket. */
  follow(server: Server): void {
    const reported = valuesOfServer(server);
    const mine = this.values;
    for (const key of this.#keys) {
      if (same(reported[key], this.#reported[key])) continue;
      const edited = !same(mine[key], this.#base[key]) && !same(mine[key], reported[key]);
      this.#take(key, reported, edited);
      if (!edited) this.#base = { ...this.#base, [key]: reported[key] };
    }
    this.#reported = reported;
  }

  /** put sends values by a request and merges the response with what the user typed meanwhile. */
  async put(sent: Values, request: (body: Values) => Promise<Server>): Promise<void> {
    const [before, typed] = [this.#reported, this.values];
    const answer = valuesOfServer(await request(sent));
    const mine = this.values;
    for (const key of this.#keys) {
      const newest = same(this.#reported[key], before[key]) ? answer : this.#reported;
      const edited = !same(mine[key], typed[key]) || (!same(mine[key], this.#base[key]) && !same(mine[key], sent[key]));
      this.#take(key, newest, edited);
      this.#base = { ...this.#base, [key]: newest[key] };
    }
  }

  /** #take stores the newest value of a field and shows it unless the field was edited. */
  #take(key: Key, from: Values, edited: boolean): void {
    this.#latest = { ...this.#latest, [key]: from[key] };
    if (!edited && !same(this.values[key], from[key])) Object.assign(this.fields, { [key]: fieldsOf(from)[key] });
  }
}
