// Command lines as people read them.

/** quoted writes a word so that a shell reads it back. */
export const quoted = (word: string): string =>
  word !== "" && !/[\s"']|\\$/.test(word)
    ? word
    : word.includes("'")
      ? `"${word.replace(/(["\\])/g, "\\$1")}"`
      : `'${word}'`;

/** lineOf writes a program and its arguments as one line. */
export const lineOf = (command: string, args: readonly string[]): string => [command, ...args].map(quoted).join(" ");
