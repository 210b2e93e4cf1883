// Which texts are credentials, by the names of their places and by their shapes: the same rules that the hub has.

const words = new Set(
  `token secret password passwd passphrase pwd pat credential credentials apikey authorization auth cookie dsn`.split(
    " ",
  ),
);
const pairs = new Set(["api key", "access key", "private key", "session key", "connection string", "pass word"]);

const shape = new RegExp(
  [
    String.raw`\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct|admin)?[-_A-Za-z0-9]{16,}`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[-_A-Za-z0-9]{16,}`,
    String.raw`\bxox[abeoprs]-[-A-Za-z0-9]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[-_A-Za-z0-9]{30,}`,
    String.raw`\bnpm_[A-Za-z0-9]{30,}|\bpypi-[-_A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{20,}|\bdop_v1_[a-f0-9]{32,}`,
    String.raw`\beyJ[-_A-Za-z0-9]{8,}\.eyJ[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]{8,}`,
  ].join("|"),
);
const bearer = /\b(bearer|basic)\s+[-_.~+/=A-Za-z0-9]{8,}/i;
const inAddress = /[a-z][-+.a-z0-9]*:\/\/[^/\s:@]*:[^/\s@]+@/;
const file = /^(\/|~|\.{1,2}\/|[A-Za-z]:[\\/]).*\.[A-Za-z0-9]{1,8}$/;

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[-_. ]+/)
    .filter(Boolean);

/** sensitiveName reports whether a variable, header or flag of this name holds a credential by custom. */
export function sensitiveName(name: string): boolean {
  const all = wordsOf(name);
  if (all.length > 1 && all.at(-1) === "key") return true;
  return all.some(
    (word, i) =>
      words.has(word) || pairs.has(`${all[i - 1] ?? ""} ${word}`) || /(token|secret|password|apikey)$/.test(word),
  );
}

/** looksSecret reports whether a value has the shape of a credential. */
export const looksSecret = (value: string): boolean =>
  shape.test(value) || bearer.test(value) || inAddress.test(value) || value.includes("PRIVATE KEY-----");

/** A text that stands for a value which is somewhere else. */
export const isReference = (value: string): boolean => value.includes("${");

/** isCredential reports whether a value at a place of this name had better not be seen. */
export function isCredential(name: string, value: string): boolean {
  if (value.length < 6 || isReference(value) || file.test(value)) return false;
  if (/^(path|file|dir|directory|folder)$/.test(wordsOf(name).at(-1) ?? "")) return false;
  return sensitiveName(name) || looksSecret(value);
}

/** Where a credential stands among arguments: the index, what its flag is called, and what is before it there. */
export interface InArguments {
  index: number;
  name: string;
  before: string;
  value: string;
}

/** credentialsIn finds the credentials among arguments: --token VALUE, --token=VALUE, and what has the shape of one. */
export function credentialsIn(args: string[]): InArguments[] {
  return args.flatMap((arg, index) => {
    const [, before = "", flag = "", value = ""] = /^(-{0,2}([\w.-]+)=)([^]+)$/.exec(arg) ?? [];
    if (flag && isCredential(flag, value)) return { index, name: flag, before, value };
    const previous = args[index - 1] ?? "";
    const name = /^-{1,2}[A-Za-z][\w.-]*$/.test(previous) ? previous.replace(/^-+/, "") : "";
    if (arg.startsWith("--")) return [];
    return isCredential(name, arg) ? { index, name: name || `argument ${index + 1}`, before: "", value: arg } : [];
  });
}

const COVER = "••••••";

/** covered returns arguments with what nobody should read over a shoulder covered. */
export function covered(args: readonly string[]): string[] {
  const out = [...args];
  for (const { index, before } of credentialsIn(out)) out[index] = before + COVER;
  return out;
}

/** coveredAddress covers the password of an address, and parameters that hold credentials. */
export const coveredAddress = (address: string): string =>
  address
    .replace(/^([a-z][-+.a-z0-9]*:\/\/[^/?#@:]*:)[^/?#@]+@/i, `$1${COVER}@`)
    .replace(/([?&])([^=&#]*)=([^&#]*)/g, (whole, sign: string, name: string, value: string) =>
      isCredential(name, value) || (name.toLowerCase() === "key" && !isReference(value))
        ? `${sign}${name}=${COVER}`
        : whole,
    );
