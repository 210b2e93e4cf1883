// The levels at which the processes of servers are confined.

import type { Schemas } from "./api/client.ts";

export type Level = Schemas["Sandbox"]["level"];

/** The levels with their names and with descriptions of what a server may do, the loosest level first. */
export const levels: Record<Level, { word: string; text: string }> = {
  off: { word: "Off", text: "It can do everything that you can do on this computer." },
  guard: {
    word: "Guard",
    text: "It can use only the system, its own files, your roots and what you allow.",
  },
  strict: {
    word: "Strict",
    text: "As Guard, without a network unless you allow it. It does not start if this cannot be enforced.",
  },
};

export const levelOptions = Object.entries(levels).map(([value, { word }]) => ({ value, label: word }));

export const isLevel = (text: string): text is Level => Object.hasOwn(levels, text);
