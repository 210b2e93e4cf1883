// What a person types into the fields of an ad-hoc server.

/** words splits a command line as a POSIX shell does, without doing anything else that a shell does. */
export function words(line: string): { words: string[]; problem: string } {
  const found: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const sign = line[i] as string;
    if (quote) {
      if (sign === quote) quote = "";
      else if (sign === "\\" && quote === '"' && /["\\$`]/.test(line[i + 1] ?? "")) word += line[++i] as string;
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= "";
    } else if (sign === "\\" && i + 1 < line.length && !/[A-Za-z0-9]/.test(line[i + 1] as string)) {
      word = (word ?? "") + (line[++i] as string);
    } else if (/\s/.test(sign)) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? "") + sign;
  }
  if (word !== undefined) found.push(word);
  return { words: found, problem: quote ? `A quote ${quote} is not closed.` : "" };
}

/** pairs reads lines of a name, a separator and a value. */
export function pairs(text: string, separator: "=" | ":"): { pairs: Record<string, string>; problem: string } {
  const found: [string, string][] = [];
  for (const [i, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    const at = line.indexOf(separator);
    const name = line.slice(0, at).trim();
    if (at <= 0 || !name || /\s/.test(name))
      return { pairs: {}, problem: `Line ${i + 1} is not NAME${separator}value.` };
    const value = line.slice(at + 1);
    found.push([name, separator === ":" ? value.trim() : value]);
  }
  return { pairs: Object.fromEntries(found), problem: "" };
}
