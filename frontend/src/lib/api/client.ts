// The hub's REST operations, typed by its own OpenAPI document (schema.d.ts is generated: npm run types).

import type { Client } from "openapi-fetch";
import type { components, paths } from "./schema";
import type { Connection } from "./window.ts";

export type Schemas = components["schemas"];

/** What the hub answered when it did not do what was asked. Its message may be shown. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** HTTP status; 0 when no answer came. */
    readonly status: number,
  ) {
    super(message);
  }
}

let connection: Connection = { url: location.origin, token: "" };
let goAhead = () => {};
const connected = new Promise<void>((resolve) => (goAhead = resolve));

/** connect says where the hub is from now on. What was asked before waits for it. */
export function connect(to: Connection): void {
  connection = to;
  goAhead();
}

/** The address of a path on the hub, without credentials. */
export const address = (path: string): string => connection.url + path;

/** request asks the hub for a path, with the token; for what is no JSON, such as exports. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  await connected;
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

/** asking returns what asks for paths of the document by a method. */
const asking =
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

/** GET, POST, PUT and DELETE for the paths of the document: `await take(api.GET("/api/servers"))`. */
export const api = {
  GET: asking("GET"),
  POST: asking("POST"),
  PUT: asking("PUT"),
  DELETE: asking("DELETE"),
} as Pick<Client<paths>, "GET" | "POST" | "PUT" | "DELETE">;

/** take awaits an answer and returns its body; it throws an ApiError with the hub's own words otherwise. */
export async function take<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  if (response.ok) return data as T;
  throw new ApiError(wordsOf(error) ?? `The hub answered ${response.status}.`, response.status);
}

function wordsOf(error: unknown): string | undefined {
  if (typeof error === "object" && error !== null && "error" in error) return String(error.error);
  return undefined;
}

/** messageOf returns what to tell a person about something that was thrown. */
export function messageOf(problem: unknown): string {
  if (problem instanceof Error) return problem.message;
  return String(problem);
}
