/** pairs parses lines such as NAME=value, or reports the first invalid line. */
export function pairs(text: string, separator: "=" | ":"): { pairs: Record<string, string>; problem: string } {
  const found: [string, string][] = [];
  for (const [i, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    const at = line.indexOf(separator);
    const name = line.slice(0, at).trim();
    if (at <= 0 || !name || /\s/.test(name))
      return { pairs: {}, problem: `Line ${i + 1}: expected NAME${separator}value.` };
    const value = line.slice(at + 1);
    found.push([name, separator === ":" ? value.trim() : value]);
  }
  return { pairs: Object.fromEntries(found), problem: "" };
}
