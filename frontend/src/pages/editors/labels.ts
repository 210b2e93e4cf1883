// Texts about editors: the label of each state, problems of files, and descriptions of changes.

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

type Label = Omit<State, "id">;

const absent: Label = {
  word: "Not registered",
  tone: "neutral",
  icon: CircleDashed,
  title: "Agent Discover is not in its configuration",
};
const labels: Record<string, Label> = {
  absent,
  registered: { word: "Registered", tone: "good", icon: CircleCheck, title: "Agent Discover is in its configuration" },
  stale: {
    word: "Needs repair",
    tone: "warn",
    icon: Wrench,
    title: "The entry of Agent Discover starts the wrong program",
  },
  dropped: {
    word: "Needs repair",
    tone: "warn",
    icon: Wrench,
    title: "Another program removed the entry of Agent Discover",
  },
  foreign: {
    word: "Name taken",
    tone: "warn",
    icon: CircleAlert,
    title: "Another program's entry has the name “discover”",
  },
  unreadable: {
    word: "Cannot be changed",
    tone: "bad",
    icon: CircleSlash,
    title: "Agent Discover does not change this file",
  },
  waiting: {
    word: "Pending",
    tone: "accent",
    icon: Hourglass,
    title: "The change is made once the editor is closed",
  },
};
const readOnly: Label = {
  ...absent,
  word: "Read only",
  title: "Servers can be imported from it, but Agent Discover cannot be added",
};

/** labelOf returns the word, icon, tone and tooltip for the state of an editor. */
export const labelOf = ({ state, registrable }: Editor): Label =>
  state === "absent" && !registrable ? readOnly : (labels[state] ?? absent);

/** explain describes the problem with an editor's file, or returns "". */
export function explain({ name }: Editor, { state, command, problem, outdated }: EditorFile): string {
  const starts = command ? `starts ${visible(command)}` : "starts another program";
  switch (state) {
    case "stale":
      return sentence(problem ?? "") || `The entry of Agent Discover ${starts}, which is another location.`;
    case "dropped":
      return "Another program removed the entry of Agent Discover.";
    case "foreign":
      return `The entry “discover” belongs to another program: it ${starts}. It stays until you replace it.`;
    case "waiting":
      return `The change is made once ${name} is closed: a running ${name} would overwrite it.`;
  }
  if (outdated) return `The entry does not say that it is for ${name}, or what ${name} is shown.`;
  return sentence(problem ?? "");
}

/** listed joins names with commas and "and", and abbreviates long lists. */
export const listed = (names: readonly string[]): string =>
  names.length > 4
    ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`
    : [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");

const past: Record<string, (where: string) => string> = {
  register: (where) => `Added Agent Discover to ${where}.`,
  unregister: (where) => `Removed Agent Discover from ${where}.`,
  show: (where) => `Changed what ${where} is shown.`,
  undo: (where) => `Undone in ${where}.`,
};

/** describeAction describes a completed action: "Added Agent Discover to Cursor." */
export const describeAction = (action: string, where: string): string => past[action]?.(where) ?? "";

/** describeRecord describes a change of the history: "Added Agent Discover to Cursor". */
export function describeRecord({ action, name, entries, undoes }: ChangeRecord): string {
  const what = listed(entries) || "Agent Discover";
  if (undoes || action === "undo") return `Undone in ${name}: ${what}`;
  return action === "register" ? `Added ${what} to ${name}` : `Removed ${what} from ${name}`;
}
