// Links that install a server: in Agent Discover, Cursor and VS Code.

import type { Plan } from "./types";

export interface Shared {
  app: string;
  /** The colour and label of the badge. */
  badge: string;
  link: string;
  /** The web page of the app that opens the link. Markdown on GitHub may link to web pages only. */
  page?: string;
}

const kinds = ["npm", "pypi", "oci", "nuget", "remote"]; // entries of other kinds start a program that is installed on this machine

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** encoded escapes a text for a link, also the signs that end a link in Markdown. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[()!'*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** inputName converts the name of a value to a name that the configurations of Cursor and VS Code allow. */
const inputName = (name: string): string => name.replace(/\W+/g, "_").replace(/^_+(?=.)/, "");

/**
 * entryOf returns the configuration of a plan's server as editors spell it, with ask(name, secret) in place of each value
 * that a person has to enter; undefined if it works only on this machine.
 */
function entryOf(plan: Plan, ask: (name: string, secret: boolean) => string): object | undefined {
  if (plan.problem || !kinds.includes(plan.option.kind)) return undefined;
  const [command, ...args] = plan.command ?? [];
  if (!plan.url && !command) return undefined;
  // Variables without an answer are not in the plan.
  const missing = plan.questions.filter(({ missing }) => missing);
  const env = {
    ...Object.fromEntries(
      missing.flatMap(({ variable, secret }) => (variable ? [[variable, ask(inputName(variable), secret)]] : [])),
    ),
    ...plan.env,
  };
  const headers = plan.headers ?? {};
  const entry = plan.url
    ? { url: plan.url, ...(Object.keys(headers).length && { headers }) }
    : { command, args, ...(Object.keys(env).length && { env }) };
  let text = JSON.stringify(entry);
  for (const { name, reference } of plan.secrets ?? [])
    text = text.replaceAll(reference, () => ask(inputName(name), true));
  return JSON.parse(text) as object;
}

/** installLink returns the link that shows the plan of a listing in Agent Discover. */
export const installLink = (id: string): string => `agentdiscover://install?id=${encoded(id)}`;

/** linksOf returns the links for a listing whose plan has no answers. */
export function linksOf(id: string, plan: Plan | undefined): Shared[] {
  const out: Shared[] = [{ app: "Agent Discover", badge: "Agent_Discover-Install-0a7ea4", link: installLink(id) }];
  const cursor = plan && entryOf(plan, (name) => `\${env:${name}}`);
  if (plan && cursor) {
    const query = `name=${encoded(plan.name)}&config=${encoded(base64(JSON.stringify(cursor)))}`;
    out.push({
      app: "Cursor",
      badge: "Cursor-Install-000000",
      link: `cursor://anysphere.cursor-deeplink/mcp/install?${query}`,
      page: `https://cursor.com/en/install-mcp?${query}`,
    });
  }
  const asked = new Map<string, boolean>();
  const code =
    plan &&
    entryOf(plan, (name, secret) => {
      asked.set(name, secret || asked.get(name) === true);
      return `\${input:${name}}`;
    });
  if (plan && code) {
    const inputs = [...asked].map(([id, password]) => ({ type: "promptString", id, description: id, password }));
    const config = { ...(plan.url && { type: "http" }), ...code };
    const whole = { name: plan.name, ...config, ...(inputs.length && { inputs }) };
    const asks = inputs.length ? `&inputs=${encoded(JSON.stringify(inputs))}` : "";
    out.push({
      app: "VS Code",
      badge: "VS_Code-Install-0098ff",
      link: `vscode:mcp/install?${encoded(JSON.stringify(whole))}`,
      page: `https://vscode.dev/redirect/mcp/install?name=${encoded(plan.name)}${asks}&config=${encoded(JSON.stringify(config))}`,
    });
  }
  return out;
}

/** badgeOf returns Markdown of a badge that follows a link. */
export const badgeOf = ({ app, badge, link, page }: Shared): string =>
  `[![Install in ${app}](https://img.shields.io/badge/${badge})](${page ?? link})`;

/** commandOf returns the command that installs a listing. It quotes the id if a shell would otherwise change it. */
export const commandOf = (id: string): string =>
  `agent-discover market install ${/^[\w@./:~-]+$/.test(id) ? id : `'${id.replaceAll("'", "'\\''")}'`}`;
