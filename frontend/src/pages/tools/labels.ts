// Texts about search results.

import type { Tone } from "$lib/ui/state";
import type { Answer } from "./find.svelte";

export const confidences: Record<Answer["confidence"], { words: string; tone: Tone }> = {
  high: { words: "high confidence", tone: "good" },
  medium: { words: "medium confidence", tone: "accent" },
  low: { words: "low confidence", tone: "warn" },
  none: { words: "no confidence", tone: "neutral" },
};

const two = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** score formats a score between 0 and 1, or a part of a score. */
export const score = (n: number): string => two.format(n);

/** The display names of the parts of a score, by the field names of the hub. */
export const fields: Record<string, string> = {
  name: "its name",
  server: "its server’s name",
  title: "its title",
  description: "its description",
  parameters: "its parameters",
  meaning: "its meaning",
  learned: "called after a similar query",
  mention: "named in the query",
};
