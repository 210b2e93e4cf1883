// Command lines and URLs without the credentials that the hub found in them.

const REDACTED = "••••••";

/** redactedArgs covers the arguments at these places (args[0]); the name of an option stays. */
export const redactedArgs = (args: readonly string[], places: readonly string[]): string[] =>
  args.map((arg, i) => (places.includes(`args[${i}]`) ? arg.replace(/^(-{0,2}[\w.-]+=)?[^]*$/, `$1${REDACTED}`) : arg));

/** redactedUrl leaves only scheme and host of a URL that holds credentials. */
export const redactedUrl = (address: string, places: readonly string[]): string => {
  if (!places.includes("url")) return address;
  if (!URL.canParse(address)) return REDACTED;
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}/${REDACTED}`;
};
