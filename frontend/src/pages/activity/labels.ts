// Labels and icons of log entries.

import Ban from "@lucide/svelte/icons/ban";
import Bell from "@lucide/svelte/icons/bell";
import CircleAlert from "@lucide/svelte/icons/circle-alert";
import CircleCheck from "@lucide/svelte/icons/circle-check";
import CircleQuestion from "@lucide/svelte/icons/circle-question-mark";
import CircleSlash from "@lucide/svelte/icons/circle-slash";
import CircleX from "@lucide/svelte/icons/circle-x";
import FileText from "@lucide/svelte/icons/file-text";
import Loader from "@lucide/svelte/icons/loader";
import MessageCircleQuestion from "@lucide/svelte/icons/message-circle-question-mark";
import MessageSquareText from "@lucide/svelte/icons/message-square-text";
import Radio from "@lucide/svelte/icons/radio";
import Sparkles from "@lucide/svelte/icons/sparkles";
import Timer from "@lucide/svelte/icons/timer";
import Wrench from "@lucide/svelte/icons/wrench";
import type { Component } from "svelte";
import type { LogEntry } from "$lib/api/socket";
import { words } from "$lib/words";

interface Label {
  word: string;
  icon: Component;
}

export const kinds: Record<string, Label> = {
  call: { word: "Call", icon: Wrench },
  "resource-read": { word: "Resource", icon: FileText },
  "prompt-get": { word: "Prompt", icon: MessageSquareText },
  ping: { word: "Ping", icon: Radio },
  notification: { word: "Notification", icon: Bell },
  progress: { word: "Progress", icon: Loader },
  elicitation: { word: "Elicitation", icon: MessageCircleQuestion },
  sampling: { word: "Sampling", icon: Sparkles },
};

const looks: Record<keyof typeof words.outcomes, { icon: Component; tone: string }> = {
  ok: { icon: CircleCheck, tone: "text-good" },
  tool_error: { icon: CircleAlert, tone: "text-bad" },
  failed: { icon: CircleX, tone: "text-bad" },
  timeout: { icon: Timer, tone: "text-bad" },
  refused: { icon: Ban, tone: "text-warn" },
  cancelled: { icon: CircleSlash, tone: "text-ink-2" },
  unknown: { icon: CircleQuestion, tone: "text-warn" },
};

export const outcomes: Record<string, Label & { tone: string; title: string }> = Object.fromEntries(
  (Object.keys(looks) as (keyof typeof looks)[]).map((id) => [id, { ...looks[id], ...words.outcomes[id] }]),
);

export const kindOf = (entry: LogEntry): Label => kinds[entry.kind] ?? { word: entry.kind, icon: Wrench };

export const outcomeOf = (entry: LogEntry): (typeof outcomes)[string] =>
  outcomes[entry.outcome] ?? {
    word: entry.outcome,
    icon: entry.success ? CircleCheck : CircleX,
    tone: entry.success ? "text-good" : "text-bad",
    title: "",
  };

/** endOf returns when a call ended, in ms since 1970. The log is ordered by it. */
export const endOf = ({ timestamp, latency_ms }: LogEntry): number => Date.parse(timestamp) + latency_ms;

const LINE = 200; // characters; more do not fit in the row

/** summaryOf describes an entry in one line: its arguments, or its error if it failed. */
export function summaryOf(entry: LogEntry): string {
  const sent = argsOf(entry);
  const text = entry.success ? [sent, entry.response].filter(Boolean).join(" → ") : entry.response || sent;
  return text.slice(0, LINE).replace(/\s+/g, " ");
}

function argsOf({ args }: LogEntry): string {
  if (typeof args === "string") return args;
  const text = JSON.stringify(args) ?? "";
  return text === "{}" || text === "null" ? "" : text;
}

const LONGEST = Math.log10(1 + 60_000);

/**
 * shareOf returns the bar length for a duration, between 0 and 1. The scale is logarithmic, so that 1 ms and 10 s are
 * visible.
 */
export const shareOf = (ms: number): number => Math.log10(1 + Math.max(0, ms)) / LONGEST;
