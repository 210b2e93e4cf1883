// Numbers, sizes and dates in the user's locale.

/** The locale of the user. */
export const locale = navigator.languages.find(isLocale) ?? "en";
const whole = new Intl.NumberFormat(locale);
const short = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const moment = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
const dayAndTime = new Intl.DateTimeFormat(locale, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });

/** isLocale rejects system locales such as "C": WebKitGTK reports them, and Intl formatters throw on them. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/** Formats a number in full: 12,345 */
export const count = (n: number): string => whole.format(n);

/** Formats a number with a unit prefix: 12.3K */
export const compact = (n: number): string => short.format(n);

/** Formats a share between 0 and 1 as a percentage: 4.2 % */
export const percent = (share: number): string => percents.format(share);

/** Formats a duration in milliseconds: 0.4 ms, 87 ms, 2.1 s, 3 min */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms < 10) return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(ms)} ms`;
  if (ms < 1_000) return `${whole.format(Math.round(ms))} ms`;
  if (ms < 60_000) return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(ms / 1_000)} s`;
  return `${whole.format(Math.round(ms / 60_000))} min`;
}

/** Formats a number of bytes: 12 B, 3.4 kB, 1.2 MB */
export function bytes(n: number): string {
  const digits = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  if (n < 1_000) return `${whole.format(n)} B`;
  return n < 1_000_000 ? `${digits.format(n / 1_000)} kB` : `${digits.format(n / 1_000_000)} MB`;
}

/** timeOf parses a time of the hub: RFC 3339, "2006-01-02 15:04:05" in UTC, or milliseconds since 1970. */
export function timeOf(text: string | number | null | undefined): Date | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  const at = new Date(
    typeof text === "string" && /^\d{4}-\d\d-\d\d \d\d:/.test(text) ? `${text.replace(" ", "T")}Z` : text,
  );
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** Formats the time of day, with the date unless it is today. */
export function time(text: string | number | null | undefined): string {
  const at = timeOf(text);
  if (!at) return "–";
  return at.toDateString() === new Date().toDateString() ? clock.format(at) : dayAndTime.format(at);
}

/** Formats the full date and time, for tooltips and details. */
export function full(text: string | number | null | undefined): string {
  const at = timeOf(text);
  return at ? moment.format(at) : "–";
}

/** Formats the time since a date: just now, 3 min. ago, yesterday */
export function ago(text: string | number | null | undefined, now = Date.now()): string {
  const at = timeOf(text);
  if (!at) return "never";
  const seconds = Math.round((at.getTime() - now) / 1_000);
  if (Math.abs(seconds) < 10) return "just now";
  for (const [unit, size, below] of [
    ["second", 1, 60],
    ["minute", 60, 3_600],
    ["hour", 3_600, 86_400],
    ["day", 86_400, 30 * 86_400],
  ] as const) {
    if (Math.abs(seconds) < below) return relative.format(Math.round(seconds / size), unit);
  }
  return relative.format(Math.round(seconds / (30 * 86_400)), "month");
}

/** plural returns a count and its noun: plural(3, "tool") is "3 tools". */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

const day = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" });
const minute = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });

/** Formats a label of a time axis, from ms since 1970: the time of day, or the date at midnight. */
export function tick(at: number): string {
  const date = new Date(at);
  return (date.getHours() || date.getMinutes() ? minute : day).format(date);
}

/** Formats a time span, from ms since 1970: 21 Nov, 18:00 – 18:15 */
export const between = (from: number, to: number): string => dayAndTime.formatRange(from, to);

/** capital makes the first letter of a phrase of the hub a capital letter. */
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** sentence capitalizes a message of the hub and ends it with a full stop. */
export const sentence = (words: string): string => words && capital(words) + (/[.!?]$/.test(words) ? "" : ".");
