// Tasks of a server: calls that go on while their client does something else. Their states are untrusted.

import { isObject, own, parse } from "../../lib/form/json.ts";

export interface Task {
  id: string;
  status: string;
  message: string;
  /** When the server created the task, as the server wrote it. */
  began: string;
  /** How often to ask for the state, in ms. */
  interval: number;
}

/** The extension of MCP 2026-07-28 for tasks. With it, the server decides which calls run as tasks. */
export const EXTENSION = "io.modelcontextprotocol/tasks";

const text = (value: unknown): string => (typeof value === "string" ? value.slice(0, 2_000) : "");

/** taskOf reads the state of a task; undefined if the value is not a task. */
export function taskOf(value: unknown): Task | undefined {
  if (!isObject(value)) return undefined;
  const id = own(value, "taskId");
  const interval = Number(own(value, "pollInterval") ?? own(value, "pollIntervalMs"));
  if (typeof id !== "string" || !id) return undefined;
  return {
    id,
    status: text(own(value, "status")),
    message: text(own(value, "statusMessage")),
    began: text(own(value, "createdAt")),
    interval: Math.min(Math.max(interval || 2_000, 1_000), 60_000),
  };
}

/** startedBy returns the task that a call has started; undefined if the text is a result. */
export function startedBy(result: string): Task | undefined {
  if (!result.includes('"task"')) return undefined;
  const parsed = parse(result);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  return taskOf(own(parsed.value, "resultType") === "task" ? parsed.value : own(parsed.value, "task"));
}

/** isOver reports whether a task does not change any more. */
export const isOver = ({ status }: Task): boolean => ["completed", "failed", "cancelled"].includes(status);

/**
 * resultIn returns the result that the state of a completed task contains in MCP 2026-07-28. For a failed task, it
 * returns a result with the message of the error.
 */
export function resultIn(state: unknown): unknown {
  if (!isObject(state)) return undefined;
  const failure = own(state, "error");
  if (!isObject(failure)) return own(state, "result");
  return { content: [{ type: "text", text: text(own(failure, "message")) }], isError: true };
}
