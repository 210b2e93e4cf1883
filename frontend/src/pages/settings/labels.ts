// The settings by subject, and texts about rules.

import type { Setting, ToolRule } from "$lib/stores/settings.svelte";

/** The key of the setting with the rules for tools, which have a panel of their own. */
const RULES = "discovery.tool_rules";

export interface Group {
  title: string;
  settings: Setting[];
}

/** grouped returns the settings that the page edits, under their headings. */
export function grouped(all: Setting[]): Group[] {
  const titles = [...new Set(all.map(({ group }) => group ?? ""))].filter(Boolean);
  return titles.map((title) => ({ title, settings: all.filter(({ group }) => group === title) }));
}

/** others returns the settings that are only edited in the file. */
export const others = (all: Setting[]): Setting[] => all.filter(({ key, group }) => key !== RULES && !group);

/** effectOf returns what a rule does, as a verb. */
export const effectOf = ({ enabled }: ToolRule): string =>
  enabled === undefined ? "Tag" : enabled ? "Enable" : "Disable";

/** describe returns which tools a rule is about. */
export function describe({ pattern = [], server }: ToolRule): string {
  const what = pattern.length ? pattern.join(", ") : "all tools";
  return server ? `${what} of ${server}` : what;
}

/** patternsOf returns the patterns in a text, one on each line. */
export const patternsOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** tagsOf returns the tags in a text, separated by commas. */
export const tagsOf = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
