// A command line, as people type and copy it.

export interface CommandLine {
  env: Record<string, string>;
  command: string;
  args: string[];
  /** Why it cannot be taken apart. */
  problem?: string;
}

/** split takes a text apart at blanks. Quotes of both kinds hold parts together; a backslash keeps a blank or a quote. */
export function split(text: string): { words: string[]; problem?: string } {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    const next = text.charAt(i + 1);
    if (quote) {
      if (c === quote) quote = "";
      else if (c === "\\" && quote === '"' && /["\\]/.test(next) && !ends(text, i)) word += text.charAt(++i);
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= "";
    } else if (c === "\\" && /[\r\n]/.test(next)) {
      i += text.startsWith("\r\n", i + 1) ? 2 : 1; // the line goes on below
    } else if (c === "\\" && /[\s"']/.test(next)) {
      word = (word ?? "") + text.charAt(++i);
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + c;
    }
  }
  if (word !== undefined) words.push(word);
  return quote ? { words, problem: `A ${quote === '"' ? "double" : "single"} quote is not closed.` } : { words };
}

/** A folder of Windows in quotes ends with a backslash that keeps nothing: "C:\my folder\" next */
const ends = (text: string, i: number): boolean =>
  text.charAt(i + 1) === '"' &&
  /^[A-Za-z]:\\/.test(text.slice(text.lastIndexOf('"', i) + 1)) &&
  !text.includes('"', i + 2);

/** readCommand takes a command line apart: variables before the program, the program, its arguments. */
export function readCommand(text: string): CommandLine {
  const { words, problem } = split(text.trim().replace(/^[$>]\s+/, ""));
  const env: Record<string, string> = {};
  if (words[0] === "env" && /^\w+=/.test(words[1] ?? "")) words.shift();
  for (let match; (match = /^([A-Za-z_]\w*)=([^]*)$/.exec(words[0] ?? "")); words.shift()) {
    env[match[1] ?? ""] = match[2] ?? "";
  }
  const [command = "", ...args] = words;
  if (problem) return { env, command, args, problem };
  const sign = [command, ...args].find((word) => /^(\||\|\||&&|>|>>|<|;|&)$/.test(word));
  return sign
    ? {
        env,
        command,
        args,
        problem: `No shell runs this, so “${sign}” does nothing. Put it into a script and name that.`,
      }
    : { env, command, args };
}

/** quoted writes a word so that split reads it back. */
export const quoted = (word: string): string =>
  word !== "" && !/[\s"']|\\$/.test(word)
    ? word
    : word.includes("'")
      ? `"${word.replace(/(["\\])/g, "\\$1")}"`
      : `'${word}'`;

/** lineOf writes program and arguments as one line. */
export const lineOf = (command: string, args: readonly string[]): string => [command, ...args].map(quoted).join(" ");
