// Words for what a search says.

import type { Tone } from "$lib/ui/state";
import type { Answer } from "./find.svelte";

export const confidences: Record<Answer["confidence"], { words: string; tone: Tone }> = {
  high: { words: "high confidence", tone: "good" },
  medium: { words: "medium confidence", tone: "accent" },
  low: { words: "low confidence", tone: "warn" },
  none: { words: "no confidence", tone: "neutral" },
};

const two = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A score or a part of one, between 0 and 1. */
export const score = (n: number): string => two.format(n);

/** Where words were found, as it is said. */
export const fields: Record<string, string> = {
  name: "name",
  server: "server’s name",
  title: "title",
  description: "description",
  parameters: "parameters",
  learned: "called after a like question",
  meaning: "meaning",
};

/** Shades of the accent for the parts of a score, in their order. */
export const shades = ["bg-accent", "bg-accent/70", "bg-accent/50", "bg-accent/35", "bg-accent/20"];
