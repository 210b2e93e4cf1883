// What is said of editors: one word, one icon and one tone for each state, and sentences.

import CircleAlert from "@lucide/svelte/icons/circle-alert";
import CircleCheck from "@lucide/svelte/icons/circle-check";
import CircleDashed from "@lucide/svelte/icons/circle-dashed";
import CircleSlash from "@lucide/svelte/icons/circle-slash";
import Hourglass from "@lucide/svelte/icons/hourglass";
import Wrench from "@lucide/svelte/icons/wrench";
import type { Schemas } from "$lib/api/client";
import { sentence } from "$lib/format";
import { visible } from "$lib/verbatim";
import type { State } from "$lib/ui/state";

type ChangeRecord = Schemas["EditorRecord"];
type Editor = Schemas["EditorStatus"];
type EditorFile = Schemas["EditorFileStatus"];

type Look = Omit<State, "id">;

const absent: Look = {
  word: "Not registered",
  tone: "neutral",
  icon: CircleDashed,
  title: "Our entry is not there",
};
const looks: Record<string, Look> = {
  absent,
  registered: { word: "Registered", tone: "good", icon: CircleCheck, title: "Our entry is in its configuration" },
  stale: { word: "Needs repair", tone: "warn", icon: Wrench, title: "Our entry starts the wrong program" },
  dropped: { word: "Needs repair", tone: "warn", icon: Wrench, title: "Our entry was taken out by something else" },
  foreign: { word: "Name is taken", tone: "warn", icon: CircleAlert, title: "Another entry has our name" },
  unreadable: { word: "Cannot be changed", tone: "bad", icon: CircleSlash, title: "We leave its file alone" },
  waiting: {
    word: "Waits until it is closed",
    tone: "accent",
    icon: Hourglass,
    title: "The change is made when the editor is closed",
  },
};
const readOnly: Look = { ...absent, word: "Only read", title: "Our entry cannot be put in; servers can be read" };

/** lookOf tells how an editor stands. */
export const lookOf = ({ state, registrable }: Editor): Look =>
  state === "absent" && !registrable ? readOnly : (looks[state] ?? absent);

/** explain says what is the matter with a file; empty when nothing is. */
export function explain({ name }: Editor, { state, command, problem }: EditorFile): string {
  const starts = command ? `starts ${visible(command)}` : "starts another program";
  switch (state) {
    case "stale":
      return sentence(problem ?? "") || `Our entry ${starts}, which is not where this program is.`;
    case "dropped":
      return "Our entry was put in here, and something else has taken it out.";
    case "foreign":
      return `The entry “discover” in it is not ours: it ${starts}. It stays until you replace it.`;
    case "waiting":
      return `It is changed as soon as ${name} is closed, for ${name} would undo it.`;
  }
  return sentence(problem ?? "");
}

/** listed joins names as a sentence does. */
export const listed = (names: readonly string[]): string =>
  names.length > 4
    ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`
    : [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");

const past: Record<string, (where: string) => string> = {
  register: (where) => `Our entry is in ${where}.`,
  unregister: (where) => `Our entry is out of ${where}.`,
  undo: (where) => `Undone in ${where}.`,
};

/** said says what was done and where. */
export const said = (action: string, where: string): string => past[action]?.(where) ?? "";

/** deedOf says what a change in the history was. */
export function deedOf({ action, name, entries, undoes }: ChangeRecord): string {
  const what = listed(entries) || "our entry";
  if (undoes || action === "undo") return `Undone in ${name}: ${what}`;
  return action === "register" ? `Added ${what} to ${name}` : `Took ${what} out of ${name}`;
}
