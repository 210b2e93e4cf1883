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

/** What a part of a tool has to do with its score, as it is said. */
export const fields: Record<string, string> = {
  name: "its name",
  server: "its server’s name",
  title: "its title",
  description: "its description",
  parameters: "its parameters",
  meaning: "its meaning",
  learned: "called after a like question",
  mention: "named in the question",
};
