// Whom the tester asks: a configured server, or one that lives for a test only.

import { address, ApiError, api, request, take } from "$lib/api/client";
import { isObject, own, parse } from "$lib/form/json";
import { hub } from "$lib/stores/hub.svelte";

/** A server that was started for a test. */
export interface Transient {
  handle: string;
  /** As messages of the socket call it. */
  serverName: string;
  /** What it runs or where it is, as a person wrote it. */
  label: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export class Target {
  readonly #base: string;

  private constructor(
    base: string,
    /** As messages of the socket call it. */
    readonly server: string,
    /** The id of a configured server. */
    readonly id?: string,
  ) {
    this.#base = base;
  }

  static configured = (server: { id: number; name: string }): Target =>
    new Target(`/api/servers/${server.id}`, server.name, String(server.id));

  static transient = ({ handle, serverName }: Transient): Target =>
    new Target(`/api/transient/${encodeURIComponent(handle)}`, serverName);

  /** The address of one of its operations, for use elsewhere. */
  url = (path: string): string => address(this.#base + path);

  /** text asks for something and returns the answer as it came. A server that does not run is started. */
  async text(path: string, body?: object, signal?: AbortSignal): Promise<string> {
    const init: RequestInit =
      body === undefined
        ? { signal }
        : { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" }, signal };
    if (!this.#up()) await this.start();
    let answer = await request(this.#base + path, init);
    // It may have stopped just now.
    if (answer.status === 400 && this.id && (await said(answer.clone())) === "Server not active") {
      await this.start();
      answer = await request(this.#base + path, init);
    }
    if (!answer.ok) throw new ApiError(await said(answer), answer.status);
    return answer.text();
  }

  /** ask asks for something that is a JSON object. */
  async ask(path: string, body?: object): Promise<Record<string, unknown>> {
    const parsed = parse(await this.text(path, body));
    if (!parsed.ok || !isObject(parsed.value)) throw new ApiError("The answer is no JSON object.", 200);
    return parsed.value;
  }

  /** Whether the hub would pass a question on: it does for servers that are active or run. */
  #up(): boolean {
    const server = this.id ? hub.server(Number(this.id)) : undefined;
    return !server || server.active || server.running;
  }

  #starting: Promise<unknown> | undefined;

  /** start starts a configured server for the test; it stays as it is switched, and stops when idle. */
  async start(): Promise<void> {
    if (!this.id) return;
    this.#starting ??= take(api.POST("/api/servers/{id}/refresh", { params: { path: { id: this.id } } })).finally(
      () => (this.#starting = undefined),
    );
    await this.#starting;
  }
}

async function said(answer: Response): Promise<string> {
  const parsed = parse(await answer.text());
  const error = parsed.ok && isObject(parsed.value) ? own(parsed.value, "error") : undefined;
  return typeof error === "string" ? error : `The hub answered ${answer.status}.`;
}
