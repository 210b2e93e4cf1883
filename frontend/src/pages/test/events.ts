// Conversion of messages that a server sent without a request to entries of the list of events.

import type { Messages } from "$lib/api/socket";
import { isObject, own, print } from "$lib/form/json";

export type EventKind = "notification" | "log" | "progress" | "elicitation" | "sampling" | "roots";

export interface ServerEvent {
  id: number;
  at: string;
  kind: EventKind;
  /** The level of a log message. */
  level?: string;
  title: string;
  /** The message as JSON or text. */
  detail: string;
}

export const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

const MAX_DETAIL = 100_000;
let next = 1;

const event = (at: string, kind: EventKind, title: string, detail: unknown, level?: string): ServerEvent => ({
  id: next++,
  at,
  kind,
  level,
  title: title.slice(0, 2_000),
  detail: (typeof detail === "string" ? detail : print(detail)).slice(0, MAX_DETAIL),
});

export function ofNotification({ method, params, ts }: Messages["notification"]): ServerEvent {
  if (method !== "notifications/message" || !isObject(params)) return event(ts, "notification", method, params);
  const [level, data, logger] = [own(params, "level"), own(params, "data"), own(params, "logger")];
  const said = typeof data === "string" ? data : print(data, 0);
  const from = typeof logger === "string" && logger ? `${logger}: ` : "";
  return event(ts, "log", from + said, params, typeof level === "string" ? level : "info");
}

export function ofProgress({ payload, ts }: Messages["progress"]): ServerEvent {
  const { progress = 0, total, message } = payload;
  const share = total ? `${progress} of ${total}` : String(progress);
  return event(ts, "progress", [String(payload.token ?? ""), share, message].filter(Boolean).join(" · "), payload);
}

export const ofQuestion = (message: Messages["elicitation_request"]): ServerEvent =>
  event(
    message.ts,
    message.mode === "sampling" ? "sampling" : "elicitation",
    message.message,
    message.request ?? message.url ?? message.requestedSchema,
  );

export const ofRootsRequest = (at: string, text: string): ServerEvent =>
  event(at, "roots", "The server asked for its roots (roots/list)", text);

export const ofSampling = ({ entry }: Messages["log_entry"]): ServerEvent =>
  event(entry.timestamp, "sampling", `${entry.tool} ${entry.success ? "succeeded" : "failed"}`, {
    asked: entry.args,
    answered: entry.response,
  });
