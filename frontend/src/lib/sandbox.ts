// The levels at which the processes of servers are confined.

import type { Schemas } from "./api/client.ts";

export type Level = Schemas["Sandbox"]["level"];

/** The levels with their names and with descriptions of what a server may do, the loosest level first. */
export const levels: Record<Level, { word: string; text: string }> = {
  off: { word: "Off", text: "It can do everything that you can do on this computer." },
  guard: {
    word: "Guard",
    text: "Your keys and passwords are hidden from it, and it can write only to its own folder, your roots, caches and temporary folders.",
  },
  strict: {
    word: "Strict",
    text: "It can read only the system and what you allow, and it has no network unless you allow it. It does not start if this cannot be enforced.",
  },
};

export const levelOptions = Object.entries(levels).map(([value, { word }]) => ({ value, label: word }));

export const isLevel = (text: string): text is Level => Object.hasOwn(levels, text);
