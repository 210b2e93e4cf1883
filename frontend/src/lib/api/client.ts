// The hub's REST operations, typed by its OpenAPI document (npm run types generates schema.d.ts).

import type { Client } from "openapi-fetch";
import type { components, paths } from "./schema";
import type { Connection } from "./window.ts";

export type Schemas = components["schemas"];

/** An error response of the hub. Its message is written for people. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** The HTTP status; 0 if there was no response. */
    readonly status: number,
    /**
     * The kind of error, for programs: "not_found", "denied" and others of the schema Failure; "" if there was no
     * response.
     */
    readonly code = "",
  ) {
    super(message);
  }
}

let connection: Connection | undefined;
let url = location.origin;
let goAhead = () => {};
const connected = new Promise<void>((resolve) => (goAhead = resolve));

/** connect sets the hub's address and token. Requests made before the first call wait for it. */
export function connect(to: Connection): void {
  connection = to;
  url = to.url;
  goAhead();
}

/**
 * disconnect makes requests fail until the next call of connect, because another program may have taken the port of a
 * hub that ended.
 */
export function disconnect(): void {
  connection = undefined;
}

/** The URL of a path on the hub, without credentials. */
export const address = (path: string): string => url + path;

/** request sends an HTTP request with the token. Use it directly for responses that are not JSON, such as exports. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  await connected;
  if (!connection) throw new ApiError("The hub does not answer.", 0);
  const headers = new Headers(init.headers);
  if (connection.token) headers.set("Authorization", `Bearer ${connection.token}`);
  try {
    return await fetch(connection.url + path, { ...init, headers });
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new ApiError("The hub does not answer.", 0);
  }
}

interface Given {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> };
  body?: unknown;
  signal?: AbortSignal;
}

/** requester returns a function that sends requests with an HTTP method. */
const requester =
  (method: string) =>
  async (path: string, { params, body, signal }: Given = {}): Promise<object> => {
    const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params?.path?.[name])));
    const values = Object.entries(params?.query ?? {}).filter(([, value]) => value !== undefined && value !== null);
    const query = new URLSearchParams(values.map(([name, value]) => [name, String(value)])).toString();
    const response = await request(query ? `${place}?${query}` : place, {
      method,
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
    const text = await response.text();
    if (response.ok) return { data: text ? (JSON.parse(text) as unknown) : undefined, response };
    try {
      return { error: JSON.parse(text) as unknown, response };
    } catch {
      return { error: text, response };
    }
  };

/** GET, POST, PUT and DELETE for the paths of the OpenAPI document: `await take(api.GET("/api/servers"))`. */
export const api = {
  GET: requester("GET"),
  POST: requester("POST"),
  PUT: requester("PUT"),
  DELETE: requester("DELETE"),
} as Pick<Client<paths>, "GET" | "POST" | "PUT" | "DELETE">;

/** take returns the body of a response, or throws an ApiError with the hub's message. */
export async function take<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  if (response.ok) return data as T;
  const failure = (typeof error === "object" ? error : null) as Partial<Schemas["Failure"]> | null;
  throw new ApiError(
    failure?.error ?? `The hub answered with status ${response.status}.`,
    response.status,
    failure?.code ?? "",
  );
}

/** messageOf returns the message of a thrown value, which need not be an Error. */
export function messageOf(problem: unknown): string {
  if (problem instanceof Error) return problem.message;
  return String(problem);
}
