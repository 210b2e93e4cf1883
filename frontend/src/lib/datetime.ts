// Formatting and parsing of dates with a time of day, for a text input: WebKitGTK lacks an input of type
// datetime-local.

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

/** written formats a date and time to the minute, as usual in a locale. */
export const written = (at: Date, locale: string): string => formatOf(locale).format(at);

/** pattern returns the format of dates and times in a locale: dd/mm/yyyy, hh:mm. */
export function pattern(locale: string): string {
  const letters: Record<string, string> = { year: "yyyy", month: "mm", day: "dd", hour: "hh", minute: "mm" };
  return formatOf(locale)
    .formatToParts(new Date())
    .map(({ type, value }) => letters[type] ?? value)
    .join("");
}

/** read parses a date in the format of a locale, or as 2026-01-31 08:00. A missing time of day means midnight. */
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
