// A call as a command line that does the same.

/** quote makes one word of a text for a POSIX shell, whatever is in it. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** curl writes a POST to the hub. The token is asked for when it runs: it changes with every start, and is nobody else's. */
export function curl(url: string, body: object): string {
  return [
    `curl -sS ${quote(url)}`,
    `-H "Authorization: Bearer $(agent-discover token)"`,
    `-H 'Content-Type: application/json'`,
    `--data-raw ${quote(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}
