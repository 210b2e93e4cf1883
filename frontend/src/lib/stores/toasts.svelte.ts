// Toasts: short messages about completed or failed actions, some with a button such as Undo.

import { sentence } from "../format.ts";

export interface Toast {
  id: number;
  text: string;
  kind: "done" | "failed" | "note";
  /** The button of the toast, such as Undo. */
  action?: { label: string; run: () => void };
  /** The subject of the toast and its state, such as ["paused", true]. A later report about the same subject replaces it. */
  about?: readonly [subject: string, is: unknown];
}

const SHOWN = 6_000; // ms
const SHOWN_FAILED = 12_000;

class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;
  #ends = new Map<number, () => void>();

  /** show adds a toast and returns its id. ended is called when the toast disappears, by timeout or by a click. */
  show(text: string, options: Partial<Omit<Toast, "id" | "text">> & { ms?: number; ended?: () => void } = {}): number {
    const { kind = "done", action, about, ended } = options;
    if (about) this.#drop((toast) => toast.about?.[0] === about[0]);
    const id = this.#next++;
    this.list = [...this.list.slice(-4), { id, text, kind, action, about }];
    const timer = setTimeout(() => this.dismiss(id), options.ms ?? (kind === "failed" ? SHOWN_FAILED : SHOWN));
    this.#ends.set(id, () => {
      clearTimeout(timer);
      ended?.();
    });
    return id;
  }

  /** failed shows the message of a thrown value. */
  failed(problem: unknown): void {
    this.show(sentence(problem instanceof Error ? problem.message : String(problem)), { kind: "failed" });
  }

  /** settle removes the toast about a subject if the toast reports another state than is. */
  settle(subject: string, is: unknown): void {
    this.#drop(({ about }) => about?.[0] === subject && about[1] !== is);
  }

  #drop(outdated: (toast: Toast) => boolean): void {
    for (const { id } of this.list.filter(outdated)) this.dismiss(id);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
    this.#ends.get(id)?.();
    this.#ends.delete(id);
  }
}

export const toasts = new Toasts();
