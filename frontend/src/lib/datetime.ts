// A date with its time of day, written and parsed in the order of a locale. It replaces the browser's own input, which
// WebKitGTK lacks.

type Part = "year" | "month" | "day" | "hour" | "minute";
const parts: readonly string[] = ["year", "month", "day", "hour", "minute"] satisfies Part[];

const formatOf = (locale: string) =>
  new Intl.DateTimeFormat(locale, {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    calendar: "gregory",
    numberingSystem: "latn",
  });

/** written formats a moment in a locale, to the minute. */
export const written = (at: Date, locale: string): string => formatOf(locale).format(at);

/** pattern describes how a moment is written: dd/mm/yyyy, hh:mm. */
export function pattern(locale: string): string {
  const letters: Record<string, string> = { year: "yyyy", month: "mm", day: "dd", hour: "hh", minute: "mm" };
  return formatOf(locale)
    .formatToParts(new Date())
    .map(({ type, value }) => letters[type] ?? value)
    .join("");
}

/** read parses a moment in the order of the locale, or as 2026-01-31 08:00. Without a time of day it is midnight. */
export function read(text: string, locale: string): Date | undefined {
  const found = text.match(/\d+/g)?.map(Number) ?? [];
  const year = /^\s*\d{4}/.test(text);
  const order = year ? parts : orderOf(locale);
  if (found.length < 3 || found.length > 5) return undefined;
  const of = (part: Part) => found[order.indexOf(part)] ?? 0;
  let hour = of("hour");
  if (/p\.?\s?m/i.test(text) && hour < 12) hour += 12;
  if (/a\.?\s?m/i.test(text) && hour === 12) hour = 0;
  const full = of("year") < 100 ? of("year") + 2_000 : of("year");
  const at = new Date(full, of("month") - 1, of("day"), hour, of("minute"));
  const kept = at.getMonth() === of("month") - 1 && at.getDate() === of("day") && hour < 24 && of("minute") < 60;
  return kept ? at : undefined;
}

function orderOf(locale: string): string[] {
  const order = formatOf(locale).formatToParts(new Date());
  const days = order.map(({ type }) => type as string).filter((type) => ["year", "month", "day"].includes(type));
  return [...days, "hour", "minute"];
}
