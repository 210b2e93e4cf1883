// The steps of a job, in the order in which they are taken.

import type { Job } from "$lib/stores/installations.svelte";

export interface StepView {
  id: string;
  word: string;
  state: "waiting" | "doing" | "done" | "failed" | "cancelled";
}

type Word = [id: string, word: string];

const download: Word[] = [
  ["prerequisites", "Check what it needs"],
  ["download", "Download"],
];
const install: Word[] = [
  ...download,
  ["register", "Configure, and store secrets"],
  ["start", "Start, and list its tools"],
];
const compare: Word[] = [
  ...download,
  ["start", "Start it beside the current version"],
  ["replay", "Repeat recorded calls"],
];
const update: Word[] = [...download, ["start", "Try the new version"], ["switch", "Change the version"]];
const words: Record<string, Word[]> = {
  prepare: download,
  program: [["download", "Install"]],
  compare,
  update,
  rollback: update,
};

const states: Record<string, StepView["state"]> = {
  running: "doing",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
};

/** stepsOf returns the steps of a job with the state of each. */
export function stepsOf(job: Pick<Job, "kind" | "step" | "state">): StepView[] {
  const all = words[job.kind] ?? install;
  const at = all.findIndex(([id]) => id === job.step);
  return all.map(([id, word], i) => ({
    id,
    word,
    state: job.state === "done" || i < at ? "done" : i === at ? (states[job.state] ?? "waiting") : "waiting",
  }));
}
