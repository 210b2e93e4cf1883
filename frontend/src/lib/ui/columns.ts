// The columns of tables. The entry of a column in an array determines its header, its cells and its width.

import type { Snippet } from "svelte";

const breakpoints = ["base", "md", "lg", "xl"] as const;
type Breakpoint = (typeof breakpoints)[number];

interface Header {
  /** Unique within the table. The address contains the id of the column that rows are sorted by. */
  id: string;
  label: string;
  /** The tooltip of the label. */
  title?: string;
  /** Whether the label is for screen readers only: on all pages, or on those that are not wide. */
  hidden?: "always" | "narrow";
  /**
   * The width of the column: a grid track, or a CSS width in a <table>. With a record, each width applies to pages that
   * have at least the width of its breakpoint. By default, the column gets a share of the remaining space.
   */
  width?: string | Partial<Record<Breakpoint, string>>;
  /** The least width of pages that show the column; by default, all pages show it. */
  from?: "md" | "xl";
  /** Whether the cells are numbers: they are right-aligned, and a first click on the header sorts in descending order. */
  figures?: boolean;
}

interface Cells<Row> {
  /** The ascending order of rows by this column. Rows are not sorted by a column without one. */
  order?: (a: Row, b: Row) => number;
  /** The classes of the cells: the same for all rows, or computed from the row. */
  class?: string | ((row: Row) => string);
  /** The tooltip of a cell. */
  hint?: (row: Row) => string | undefined;
}

/** A column of a table. Its cells have a text, or a snippet whose controls have the given tabindex. */
export type Column<Row> = Header &
  Cells<Row> &
  ({ text: (row: Row) => string } | { cell: Snippet<[row: Row, tabindex: number]> });

/** visibility returns the classes that hide a column on narrow pages. */
export const visibility = ({ from }: Header): string =>
  from === "md" ? "max-md:hidden" : from === "xl" ? "max-xl:hidden" : "";

/** grid is the class of a row that is no <tr>. Its columns have the widths of tracksOf. */
export const grid =
  "grid items-center px-6 max-md:px-4 grid-cols-(--base) md:grid-cols-(--md) lg:grid-cols-(--lg) xl:grid-cols-(--xl)";

/** tracksOf returns the widths of columns by the width of the page, as a style of the table. */
export function tracksOf(columns: readonly Header[]): string {
  const widths = breakpoints.map((at, i) => {
    const reached = breakpoints.slice(0, i + 1);
    const shown = columns.filter(({ from }) => !from || reached.includes(from));
    const tracks = shown.map(({ width = "minmax(0,1fr)" }) =>
      typeof width === "string" ? width : reached.reduce((now, one) => width[one] ?? now, "minmax(0,1fr)"),
    );
    return `--${at}: ${tracks.join(" ")}`;
  });
  return widths.join("; ");
}

/** by returns a function that compares two rows by a value, for ascending order. */
export const by =
  <Row>(value: (row: Row) => string | number) =>
  (a: Row, b: Row): number => {
    const [x, y] = [value(a), value(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  };

/** sorted sorts rows by a column; a leading "-" sorts in descending order. The sort is stable. */
export function sorted<Row>(rows: Row[], columns: readonly Column<Row>[], sort: string): Row[] {
  const down = sort.startsWith("-");
  const order = columns.find(({ id }) => id === (down ? sort.slice(1) : sort))?.order;
  if (!order) return rows;
  return rows.toSorted(down ? (a, b) => order(b, a) : order);
}
