// The steps of the planned first run, in short sentences.

import { plural } from "$lib/format";
import { secretPlace } from "$lib/words";
import type { Setup } from "./setup.svelte";

/** summaryOf returns what a run with the current selection does, such as "Moves 1 credential to the keychain". */
export function summaryOf({ targets, planned, servers }: Setup): string[] {
  const imported = (planned?.servers ?? []).filter(({ status }) => status === "imported");
  const moved = imported.reduce((sum, { moved }) => sum + moved.length, 0);
  const started = imported.filter(({ waiting, disabled }) => !waiting && !disabled).length;
  const removed = (planned?.taken ?? []).reduce((sum, { entries, problem }) => sum + (problem ? 0 : entries.length), 0);
  const steps: [n: number, text: string][] = [
    [targets.length, `Adds one entry to ${plural(targets.length, "editor")}`],
    [imported.length, `Imports ${plural(imported.length, "server")}`],
    [moved, `Moves ${plural(moved, "credential")} to ${secretPlace(servers.vault)}`],
    [removed, `Removes ${plural(removed, "entry", "entries")} from editors`],
    [started, `Starts ${plural(started, "server")} once`],
  ];
  return steps.flatMap(([n, text]) => (n ? text : []));
}
