// Redaction of the credentials that the hub found in command lines and URLs.

const REDACTED = "••••••";

/** redactedArgs redacts the arguments at these places, such as args[0]. In --name=value, only the value is redacted. */
export const redactedArgs = (args: readonly string[], places: readonly string[]): string[] =>
  args.map((arg, i) => (places.includes(`args[${i}]`) ? arg.replace(/^(-{0,2}[\w.-]+=)?[^]*$/, `$1${REDACTED}`) : arg));

/** redactedUrl redacts everything but the scheme and host of a URL that contains credentials. */
export const redactedUrl = (address: string, places: readonly string[]): string => {
  if (!places.includes("url")) return address;
  if (!URL.canParse(address)) return REDACTED;
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}/${REDACTED}`;
};
