// The rows of the list of tools.

import { keyOf, type KnownTool, type Ranked } from "$lib/stores/tools.svelte";

/** A tool with the values that the list sorts and filters by. */
export interface Row {
  key: string;
  tool: KnownTool;
  /** The description in one line. */
  about: string;
  /** The lower-case text that the filter searches. */
  words: string;
  calls: number;
  errors: number;
}

const ABOUT = 240; // characters; more do not fit in a line

/** rowsOf turns tools into rows, in the hub's order. */
export function rowsOf(list: readonly KnownTool[], numbers: ReadonlyMap<string, Ranked>): Row[] {
  return list.map((tool) => {
    const key = keyOf(tool.server, tool.name);
    const called = numbers.get(key);
    return {
      key,
      tool,
      about: tool.description.slice(0, ABOUT).replace(/\s+/g, " "),
      words: `${tool.server} ${tool.name} ${tool.title} ${tool.description}`.toLowerCase(),
      calls: called?.call_count ?? 0,
      errors: called?.error_count ?? 0,
    };
  });
}

/** filtered keeps the rows of a server that contain every word of a text. */
export function filtered(rows: Row[], server: string, text: string): Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!server && !words.length) return rows;
  return rows.filter(
    (row) => (!server || row.tool.server === server) && words.every((word) => row.words.includes(word)),
  );
}
