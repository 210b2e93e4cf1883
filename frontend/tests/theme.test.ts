// The colours of the theme: text must be readable on every background on which it is shown.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("../src/theme.css", import.meta.url), "utf8");
const [light = "", dark = ""] = css.slice(css.indexOf(":root {")).split("@media (prefers-color-scheme: dark)");

type Colour = [lightness: number, chroma: number, hue: number];

const colours = (block: string): Map<string, Colour> =>
  new Map(
    [...block.matchAll(/--([a-z0-9-]+): oklch\(([\d.]+) ([\d.]+) ?([\d.]*)\)/g)].map(([, name = "", l, c, h]) => [
      name,
      [Number(l), Number(c), Number(h)],
    ]),
  );

/** luminance returns the relative luminance of a colour as WCAG 2 defines it, by the matrices of Björn Ottosson's Oklab. */
function luminance([lightness, chroma, hue]: Colour): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (x: number) => Math.min(1, Math.max(0, x));
  return (
    0.2126 * clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) +
    0.7152 * clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) +
    0.0722 * clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
  );
}

function contrast(text: Colour, background: Colour): number {
  const [low = 0, high = 0] = [luminance(text), luminance(background)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const pairs = [
  ...["ink", "ink-2", "ink-3"].flatMap((text) =>
    ["page", "panel", "raised", "hover", "accent-faint"].map((on) => [text, on] as const),
  ),
  ...["good", "warn", "bad"].flatMap((tone) => ["page", "raised", `${tone}-faint`].map((on) => [tone, on] as const)),
  ["accent-ink", "page"] as const,
  ["accent-ink", "raised"] as const,
  ["accent-ink", "accent-faint"] as const,
  ["on-accent", "accent"] as const,
];

for (const [name, block] of Object.entries({ light, dark })) {
  test(`text is readable on every background in ${name}`, () => {
    const theme = colours(block);
    const weak = pairs.flatMap(([text, on]) => {
      const ratio = contrast(theme.get(text)!, theme.get(on)!);
      return ratio >= 4.5 ? [] : [`${text} on ${on}: ${ratio.toFixed(2)}`];
    });
    expect(weak).toEqual([]);
  });
}
