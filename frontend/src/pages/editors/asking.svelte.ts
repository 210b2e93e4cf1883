// The change of editors' files that is previewed now. The page has one dialog for it.

import { editors } from "$lib/stores/editors.svelte";
import type { Schemas } from "$lib/api/client";
import type { Wish } from "./proposal.svelte";

type Editor = Schemas["EditorStatus"];

class Asking {
  wish = $state.raw<Wish>();

  ask = (wish: Wish): void => void (this.wish = wish);
  close = (): void => void (this.wish = undefined);
}

export const asking = new Asking();

const has = ({ state }: Editor): boolean => ["registered", "stale", "waiting"].includes(state);

/** addable returns the editors on this machine that lack a working entry and can get one. */
export const addable = (): Editor[] =>
  editors.here.filter(
    ({ registrable, state }) => registrable && (state === "absent" || state === "stale" || state === "dropped"),
  );

/** removable returns the editors that have our entry. */
export const removable = (): Editor[] => editors.here.filter(has);

export const addAll = (): void => asking.ask({ action: "register", verb: "Add to", all: true });
export const removeAll = (): void => asking.ask({ action: "unregister", verb: "Remove from", all: true });

/** wishesFor returns the possible changes of an editor, the likeliest first. */
export function wishesFor(editor: Editor): Wish[] {
  const { id, state, registrable } = editor;
  const register = (verb: string, replace = false): Wish => ({ action: "register", verb, editors: [id], replace });
  const remove: Wish = { action: "unregister", verb: "Remove from", editors: [id] };
  if (state === "stale") return [register("Repair"), remove];
  if (state === "dropped") return [register("Repair")];
  if (has(editor)) return [remove];
  if (!registrable || state === "unreadable") return [];
  return [state === "foreign" ? register("Replace in", true) : register("Add to")];
}
