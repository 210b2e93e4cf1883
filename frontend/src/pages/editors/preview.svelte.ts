// The requested change that the preview dialog of the editors page shows.

import { editors } from "$lib/stores/editors.svelte";
import type { Schemas } from "$lib/api/client";
import type { ChangeRequest } from "./change.svelte";

type Editor = Schemas["EditorStatus"];

class Preview {
  request = $state.raw<ChangeRequest>();

  open = (request: ChangeRequest): void => void (this.request = request);
  close = (): void => void (this.request = undefined);
}

export const preview = new Preview();

const has = ({ state }: Editor): boolean => ["registered", "stale", "waiting"].includes(state);

/** addable returns the editors on this machine that lack a working Agent Discover entry and can get one. */
export const addable = (): Editor[] =>
  editors.here.filter(
    ({ registrable, state }) => registrable && (state === "absent" || state === "stale" || state === "dropped"),
  );

/** removable returns the editors that have the Agent Discover entry. */
export const removable = (): Editor[] => editors.here.filter(has);

export const addAll = (): void => preview.open({ action: "register", verb: "Add to", all: true });
export const removeAll = (): void => preview.open({ action: "unregister", verb: "Remove from", all: true });

/** requestsFor returns the possible changes of an editor, the most useful first. */
export function requestsFor(editor: Editor): ChangeRequest[] {
  const { id, state, registrable } = editor;
  const register = (verb: string, replace = false): ChangeRequest => ({
    action: "register",
    verb,
    editors: [id],
    replace,
  });
  const remove: ChangeRequest = { action: "unregister", verb: "Remove from", editors: [id] };
  if (state === "stale") return [register("Repair"), remove];
  if (state === "dropped") return [register("Repair")];
  if (editor.files.some(({ outdated }) => outdated)) return [register("Update"), remove];
  if (has(editor)) return [remove];
  if (!registrable || state === "unreadable") return [];
  return [state === "foreign" ? register("Replace in", true) : register("Add to")];
}
