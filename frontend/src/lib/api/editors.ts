// What the hub tells of editors. The shapes are those of backend/registration, backend/intake and backend/checkup.

import { request, ApiError } from "./client.ts";

export type EditorState = "absent" | "registered" | "stale" | "foreign" | "dropped" | "unreadable" | "waiting";

export interface EditorFile {
  path: string;
  exists: boolean;
  state: EditorState;
  command?: string;
  problem?: string;
  snippet?: string;
}

export interface Editor {
  id: string;
  name: string;
  detected: boolean;
  evidence: string[] | null;
  verified: boolean;
  registrable: boolean;
  importable: boolean;
  state: EditorState;
  files: EditorFile[] | null;
  running: boolean;
  reload: string;
  reload_hint: string;
  needs_reload: boolean;
  list_changed: string;
  max_tools: number;
  max_name: number;
  managed: string[] | null;
  note?: string;
  new: boolean;
}

export interface EditorList {
  editors: Editor[] | null;
  auto_register: boolean;
  entry: { command: string; args: string[] | null };
}

export interface DiffLine {
  kind: string;
  text: string;
  old?: number;
  new?: number;
}

export interface Plan {
  editor: string;
  path: string;
  action: string;
  nothing: boolean;
  writer?: string;
  wait: boolean;
  diff: DiffLine[] | null;
  before: string;
  problem?: string;
  snippet?: string;
}

export interface Outcome {
  editor: string;
  path: string;
  status: string;
  change?: string;
  problem?: string;
  snippet?: string;
  reload?: string;
}

export interface ChangeRecord {
  id: string;
  editor: string;
  name: string;
  path: string;
  action: string;
  entries: string[] | null;
  at: string;
  by: string;
  undoes?: string;
  undone: boolean;
  exact: boolean;
  possible: boolean;
  why?: string;
}

export interface Source {
  editor: string;
  name: string;
  path: string;
  entry: string;
  disabled: boolean;
  can_take: boolean;
}

export interface Candidate {
  id: string;
  name: string;
  sources: Source[] | null;
  here: string;
  secrets: string[] | null;
  problem: string;
  warnings: string[] | null;
  command: string;
}

export interface Question {
  key: string;
  title: string;
  description: string;
  kind: string;
  default: string;
  required: boolean;
  secret: boolean;
}

export interface Scan {
  candidates: Candidate[] | null;
  problems: { editor: string; path: string; error: string }[] | null;
  questions?: Question[] | null;
}

export interface Arrival {
  id: string;
  name: string;
  status: string;
  problem?: string;
  moved: string[] | null;
  kept: string[] | null;
}

export interface Taken {
  editor: string;
  path: string;
  entries: string[] | null;
  change?: string;
  problem?: string;
}

export interface Report {
  servers: Arrival[] | null;
  taken: Taken[] | null;
}

export interface Exported {
  editor: string;
  path: string;
  format: string;
  text: string;
  left: string[] | null;
}

export interface Cost {
  editor: string;
  name: string;
  servers: number;
  known: number;
  tools: number;
  today: number;
  through: number;
}

export interface Finding {
  kind: string;
  level: string;
  editors: string[] | null;
  subject: string;
  text: string;
  advice: string;
}

export interface Checkup {
  costs: Cost[] | null;
  findings: Finding[] | null;
}

/** ask asks the hub for something about editors. */
export async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await request(`/api/editors${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const said = (await answer.json().catch(() => ({}))) as T & { error?: string };
  if (!answer.ok) throw new ApiError(said.error ?? `The hub answered ${answer.status}.`, answer.status);
  return said;
}
