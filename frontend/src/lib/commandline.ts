// Command lines for display.

/** quoted returns an argument, in quotes if a shell would split or change it. */
export const quoted = (word: string): string =>
  word !== "" && !/[\s"']|\\$/.test(word)
    ? word
    : word.includes("'")
      ? `"${word.replace(/(["\\])/g, "\\$1")}"`
      : `'${word}'`;

/** lineOf returns a program and its arguments as one command line. */
export const lineOf = (command: string, args: readonly string[]): string => [command, ...args].map(quoted).join(" ");
