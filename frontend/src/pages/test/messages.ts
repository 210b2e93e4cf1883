// The JSON-RPC messages between the hub and a server. Their texts are untrusted.

import type { ServerMessage } from "$lib/api/socket";
import { isObject, own, parse, print } from "$lib/form/json";

/** methodOf returns the method of a message. For an answer it is that of the request, if the request is known. */
export function methodOf(message: ServerMessage, all: ServerMessage[]): string {
  if (message.method) return message.method;
  const at = all.indexOf(message);
  const request = all.findLast(
    (other, i) => i < at && other.id === message.id && other.method && other.direction !== message.direction,
  );
  return request?.method ?? "";
}

/** isFailure reports whether a message is an error answer. */
export function isFailure(message: ServerMessage): boolean {
  if (message.method || !message.text.includes('"error"')) return false;
  const parsed = parse(message.text);
  return parsed.ok && isObject(parsed.value) && own(parsed.value, "error") !== undefined;
}

/** pretty returns the text of a message, indented if it is whole JSON. */
export function pretty(message: ServerMessage): string {
  const parsed = message.cut ? undefined : parse(message.text);
  return parsed?.ok ? print(parsed.value, 2, message.text) : message.text;
}

/**
 * repeatOf returns the query parameters of the page on which the user can send a request again. The page is the
 * filled-in form of the tool or prompt, the resource, or a form for any JSON-RPC request. repeatOf returns undefined
 * for other messages and for the handshake.
 */
export function repeatOf(message: ServerMessage): Record<string, string | undefined> | undefined {
  if (message.direction !== "sent" || !message.id || message.cut) return undefined;
  const parsed = parse(message.text);
  const params = parsed.ok && isObject(parsed.value) ? own(parsed.value, "params") : undefined;
  if (params !== undefined && !isObject(params)) return undefined;
  if (message.method === "initialize" || message.method === "server/discover") return undefined;
  const given = params ?? {};
  const name = String(own(given, "name") ?? "");
  const args = print(own(given, "arguments") ?? {}, 0);
  switch (message.method) {
    case "tools/call":
      return { tab: "tools", tool: name, args };
    case "prompts/get":
      return { tab: "prompts", prompt: name, args };
    case "resources/read":
      return { tab: "resources", list: undefined, uri: String(own(given, "uri") ?? "") };
  }
  // The hub adds the metadata of the protocol again.
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => key !== "_meta"));
  return { tab: "messages", send: message.method, params: print(rest) };
}
