// Tasks of a server: calls that go on while their client does something else. Their states are untrusted.

import { isObject, own, parse } from "$lib/form/json";

export interface Task {
  id: string;
  status: string;
  message: string;
  /** When the server began it, as the server wrote it. */
  began: string;
  /** How often to ask for the state, in ms. */
  interval: number;
}

const text = (value: unknown): string => (typeof value === "string" ? value.slice(0, 2_000) : "");

/** taskOf reads the state of a task; undefined if it is none. */
export function taskOf(value: unknown): Task | undefined {
  if (!isObject(value)) return undefined;
  const id = own(value, "taskId");
  const interval = Number(own(value, "pollInterval"));
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
  return parsed.ok && isObject(parsed.value) ? taskOf(own(parsed.value, "task")) : undefined;
}

/** isOver reports whether a task does not change any more. */
export const isOver = ({ status }: Task): boolean => ["completed", "failed", "cancelled"].includes(status);
