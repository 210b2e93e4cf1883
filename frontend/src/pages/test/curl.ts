// curl commands that repeat a call.

/** quote returns a text as a quoted argument for a POSIX shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * curl returns a command for a POSIX shell that sends a POST request to the hub. The command runs
 * `agent-discover token`, because a restart of the hub changes the token. Neither the token nor the body is an argument
 * of curl, because other users of the machine can see the arguments of programs.
 */
export function curl(url: string, body: object): string {
  return [
    `curl -sS ${quote(url)} -H @/dev/fd/3 -H 'Content-Type: application/json' --data-binary @- 3<<HEADER <<'JSON'`,
    "$(agent-discover token --header)",
    "HEADER",
    JSON.stringify(body), // one line, which cannot be the end of the document: it begins with a brace
    "JSON",
  ].join("\n");
}
