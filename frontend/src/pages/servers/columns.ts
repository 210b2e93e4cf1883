// The columns of the list of servers. A column is one entry here; its cell is a snippet in Cells.svelte.

import type { Server } from "$lib/api/socket";
import { stateIds, stateOf } from "$lib/ui/state";
import { explained, words } from "$lib/words";

/** The widths of the page from which on a column is shown. */
type From = "always" | "md" | "xl";

interface Definition {
  id: string;
  label: string;
  /** Its width as a track of a CSS grid: on all pages, or by the width of the page from which on it holds. */
  width: string | Partial<Record<Breakpoint, string>>;
  from: From;
  /** The value that rows are sorted by. A column without one cannot be sorted. */
  value?: (server: Server, paused: boolean) => string | number;
  /** Whether the column has figures, which stand at the right and are sorted in descending order first. */
  figures?: boolean;
  /** Explains the label. */
  title?: string;
  /** Whether the label is for screen readers only: on all pages, or on those that are not wide. */
  hidden?: "always" | "narrow";
}

const breakpoints = ["base", "md", "lg", "xl"] as const;
type Breakpoint = (typeof breakpoints)[number];

/** errorsOf returns the number of failed calls, starts and checks. */
export const errorsOf = (server: Server): number => (server.metrics?.total_errors ?? 0) + server.error_count;

const definitions = [
  {
    id: "name",
    label: "Name",
    width: { base: "minmax(0,1fr)", xl: "minmax(0,4fr)" },
    from: "always",
    value: (server) => server.name.toLowerCase(),
  },
  {
    id: "state",
    label: "State",
    width: "88px",
    from: "always",
    value: (server, paused) => stateIds.indexOf(stateOf(server, paused).id),
  },
  {
    id: "listed",
    label: words.listed.word,
    width: { base: "32px", lg: "76px" },
    from: "always",
    title: explained,
    hidden: "narrow",
  },
  { id: "tools", label: "Tools", width: "56px", from: "md", figures: true, value: (server) => server.tool_count },
  { id: "tokens", label: "Tokens", width: "64px", from: "md", figures: true, value: (server) => server.tool_tokens },
  {
    id: "calls",
    label: "Calls",
    width: "56px",
    from: "md",
    figures: true,
    value: (server) => server.metrics?.total_calls ?? 0,
  },
  { id: "errors", label: "Errors", width: "60px", from: "md", figures: true, value: errorsOf },
  { id: "failure", label: "Last error", width: "minmax(0,4fr)", from: "xl" },
  { id: "kind", label: "Type and tags", width: "152px", from: "xl" },
  { id: "more", label: "More", width: "28px", from: "always", hidden: "always" },
] as const satisfies Definition[];

export type Column = (typeof definitions)[number]["id"];

export const columns: readonly (Definition & { id: Column })[] = definitions;

const shownFrom = { always: "", md: "max-md:hidden", xl: "max-xl:hidden" };

/** classOf returns the classes of the cells of a column, also of its header. */
export const classOf = (column: Definition): string => shownFrom[column.from];

/** grid is the class of a row, which takes the widths of its columns from tracks. */
export const grid =
  "grid items-center gap-x-3 px-6 max-md:px-4 grid-cols-(--base) md:grid-cols-(--md) lg:grid-cols-(--lg) xl:grid-cols-(--xl)";

/** tracks are the widths of the columns by the width of the page, as a style of the list. */
export const tracks = breakpoints
  .map((at, i) => {
    const shown = columns.filter(({ from }) => from === "always" || breakpoints.indexOf(from) <= i);
    const widths = shown.map(({ width }) => {
      if (typeof width === "string") return width;
      return breakpoints.slice(0, i + 1).reduce((now, one) => width[one] ?? now, "");
    });
    return `--${at}: ${widths.join(" ")}`;
  })
  .join("; ");
