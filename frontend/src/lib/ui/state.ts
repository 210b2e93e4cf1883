// The word, icon and tone of each server state.

import CircleAlert from "@lucide/svelte/icons/circle-alert";
import CircleOff from "@lucide/svelte/icons/circle-off";
import CircleDashed from "@lucide/svelte/icons/circle-dashed";
import CirclePlay from "@lucide/svelte/icons/circle-play";
import CirclePause from "@lucide/svelte/icons/circle-pause";
import CircleDot from "@lucide/svelte/icons/circle-dot";
import KeyRound from "@lucide/svelte/icons/key-round";
import Hourglass from "@lucide/svelte/icons/hourglass";
import LoaderCircle from "@lucide/svelte/icons/loader-circle";
import Pencil from "@lucide/svelte/icons/pencil";
import ShieldQuestion from "@lucide/svelte/icons/shield-question-mark";
import TriangleAlert from "@lucide/svelte/icons/triangle-alert";
import type { Component } from "svelte";
import type { Server } from "../api/socket.ts";
import { words } from "../words.ts";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

export interface State {
  id: keyof typeof words.servers;
  word: string;
  tone: Tone;
  icon: Component;
  /** The tooltip of the state. */
  title: string;
}

const looks: Record<State["id"], Pick<State, "tone" | "icon">> = {
  sign_in: { tone: "warn", icon: KeyRound },
  failing: { tone: "bad", icon: CircleAlert },
  calls_fail: { tone: "bad", icon: TriangleAlert },
  incomplete: { tone: "warn", icon: Pencil },
  waiting: { tone: "warn", icon: Hourglass },
  held: { tone: "warn", icon: ShieldQuestion },
  starting: { tone: "accent", icon: LoaderCircle },
  running: { tone: "good", icon: CirclePlay },
  new: { tone: "neutral", icon: CircleDot },
  paused: { tone: "neutral", icon: CirclePause },
  disabled: { tone: "neutral", icon: CircleOff },
  stopped: { tone: "neutral", icon: CircleDashed },
};

/** The ids of all states, those that need attention first. */
export const stateIds = Object.keys(looks) as State["id"][];

/** failing reports whether the last start or check of a server failed. */
export const failing = (server: Server): boolean => server.state === "failing";

/**
 * stateOf returns the state to show for a server. While all servers are paused, a stopped server is shown as paused, and
 * the word of every other state except running says so, too.
 */
export function stateOf(server: Server, paused = false): State {
  const id = paused && server.state === "stopped" ? "paused" : server.state;
  const { word, title } = words.servers[id];
  const both = paused && id !== "paused" && id !== "running";
  return { id, ...looks[id], title, word: both ? `${word}, ${words.servers.paused.word.toLowerCase()}` : word };
}
