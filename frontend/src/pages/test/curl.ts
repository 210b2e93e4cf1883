// curl commands that repeat a call.

/** quote returns a text as a quoted argument for a POSIX shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * curl returns a command that sends a POST to the hub. It runs `agent-discover token`, because a restart changes the
 * token.
 */
export function curl(url: string, body: object): string {
  return [
    `curl -sS ${quote(url)}`,
    `-H "Authorization: Bearer $(agent-discover token)"`,
    `-H 'Content-Type: application/json'`,
    `--data-raw ${quote(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}
