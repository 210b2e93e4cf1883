// The word, icon and tone of each server state.

import CircleAlert from "@lucide/svelte/icons/circle-alert";
import CircleDashed from "@lucide/svelte/icons/circle-dashed";
import CirclePlay from "@lucide/svelte/icons/circle-play";
import CirclePause from "@lucide/svelte/icons/circle-pause";
import Hourglass from "@lucide/svelte/icons/hourglass";
import type { Component } from "svelte";
import type { Server } from "../api/socket.ts";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

export interface State {
  id: "running" | "stopped" | "failing" | "waiting" | "paused";
  word: string;
  tone: Tone;
  icon: Component;
  /** The tooltip of the state. */
  title: string;
}

const states: Record<State["id"], Omit<State, "id">> = {
  running: { word: "Running", tone: "good", icon: CirclePlay, title: "Its process is running, or its session is open" },
  stopped: { word: "Stopped", tone: "neutral", icon: CircleDashed, title: "Starts on the next call" },
  failing: { word: "Failing", tone: "bad", icon: CircleAlert, title: "The last start or check failed" },
  waiting: { word: "Waiting", tone: "warn", icon: Hourglass, title: "Waits for your approval" },
  paused: { word: "Paused", tone: "neutral", icon: CirclePause, title: "All servers are paused" },
};

/** failing reports whether the last start or check of a server failed. */
export const failing = (server: Server): boolean =>
  server.approved && (server.health_status === "unhealthy" || Boolean(server.last_error));

/** stateOf returns the state to show for a server. */
export function stateOf(server: Server, paused = false): State {
  let id: State["id"] = "stopped";
  if (!server.approved) id = "waiting";
  else if (failing(server)) id = "failing";
  else if (server.running) id = "running";
  else if (paused) id = "paused";
  return { id, ...states[id] };
}
