// A call as a curl command.

/** quote quotes any text as one word for a POSIX shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** curl returns a command that sends a POST to the hub. It reads the token when it runs, because every start makes another. */
export function curl(url: string, body: object): string {
  return [
    `curl -sS ${quote(url)}`,
    `-H "Authorization: Bearer $(agent-discover token)"`,
    `-H 'Content-Type: application/json'`,
    `--data-raw ${quote(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}
