// The server to inspect, which is either configured or ad hoc.

import { address, ApiError, api, request, take } from "$lib/api/client";
import { isObject, own, parse } from "$lib/form/json";
import { hub } from "$lib/stores/hub.svelte";

/** A running ad-hoc server. */
export interface AdHocServer {
  handle: string;
  /** The server's name in WebSocket messages. */
  serverName: string;
  /** The command or address that the user entered. */
  label: string;
  /** The end of the time to live, in ms since 1970. */
  expiresAt: number;
}

export class Target {
  readonly #base: string;

  private constructor(
    base: string,
    /** The server's name in WebSocket messages. */
    readonly server: string,
    /** The id of a configured server; undefined for an ad-hoc server. */
    readonly id?: string,
  ) {
    this.#base = base;
  }

  static configured = (server: { id: number; name: string }): Target =>
    new Target(`/api/servers/${server.id}`, server.name, String(server.id));

  static adHoc = ({ handle, serverName }: AdHocServer): Target =>
    new Target(`/api/transient/${encodeURIComponent(handle)}`, serverName);

  /** url returns the full URL of an operation on the server, for use outside the dashboard. */
  url = (path: string): string => address(this.#base + path);

  /** text sends a request and returns the answer unchanged. A stopped server is started. */
  async text(path: string, body?: object, signal?: AbortSignal): Promise<string> {
    const init: RequestInit =
      body === undefined
        ? { signal }
        : { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" }, signal };
    if (!this.#up()) await this.start();
    let answer = await request(this.#base + path, init);
    // The server may have stopped since its last state was received: start it and try again.
    if (!answer.ok && this.id && (await failure(answer.clone())).code === "server_stopped") {
      await this.start();
      answer = await request(this.#base + path, init);
    }
    if (!answer.ok) throw await failure(answer);
    return answer.text();
  }

  /** ask sends a request whose answer is a JSON object. */
  async ask(path: string, body?: object): Promise<Record<string, unknown>> {
    const parsed = parse(await this.text(path, body));
    if (!parsed.ok || !isObject(parsed.value)) throw new ApiError("The answer is not a JSON object.", 200);
    return parsed.value;
  }

  /** rpc sends a JSON-RPC request to the server and returns the result. An error of the server is thrown. */
  async rpc(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const answer = await this.ask("/request", { method, params });
    const [result, error] = [own(answer, "result"), own(answer, "error")];
    if (isObject(error))
      throw new ApiError(`${String(own(error, "message"))} (code ${String(own(error, "code"))})`, 200);
    return isObject(result) ? result : {};
  }

  /** put sends a change to the hub. */
  async put(path: string, body: object): Promise<void> {
    const headers = { "Content-Type": "application/json" };
    const answer = await request(this.#base + path, { method: "PUT", body: JSON.stringify(body), headers });
    if (!answer.ok) throw await failure(answer);
  }

  /** #up reports whether the hub would forward a request: it does so only to servers that are always listed or running. */
  #up(): boolean {
    const server = this.id ? hub.server(Number(this.id)) : undefined;
    return !server || server.active || server.running;
  }

  #starting: Promise<unknown> | undefined;

  /** start starts a configured server, which stops again when idle. */
  async start(): Promise<void> {
    if (!this.id) return;
    this.#starting ??= take(api.POST("/api/servers/{id}/refresh", { params: { path: { id: this.id } } })).finally(
      () => (this.#starting = undefined),
    );
    await this.#starting;
  }
}

async function failure(answer: Response): Promise<ApiError> {
  const parsed = parse(await answer.text());
  const [error, code] = ["error", "code"].map((name) =>
    parsed.ok && isObject(parsed.value) ? own(parsed.value, name) : undefined,
  );
  return new ApiError(
    typeof error === "string" ? error : `The hub answered with status ${answer.status}.`,
    answer.status,
    typeof code === "string" ? code : "",
  );
}
