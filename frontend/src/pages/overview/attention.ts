// What a person should look at, worst first, and what to do about each.

import type { Schemas } from "$lib/api/client";
import type { Server } from "$lib/api/socket";
import { count, plural, sentence } from "$lib/format";
import { failing as fails, type Tone } from "$lib/ui/state";

/** Something that can be done: a place to go to, or an act of the page by its name. */
export interface Remedy {
  label: string;
  href?: string;
  act?: "check" | "resume" | "move" | "passphrase" | "programs";
  server?: Server;
  main?: boolean;
}

export interface Concern {
  id: string;
  tone: Tone;
  /** What it is, in one word. */
  word: string;
  title: string;
  text: string;
  /** Foreign or long text that belongs to it. */
  detail?: string;
  remedies: Remedy[];
}

export interface Known {
  servers: Server[];
  paused: boolean;
  vault?: Schemas["VaultStatus"];
  programs?: Schemas["Prereqs"];
  about?: Schemas["HubAbout"];
}

const FAILING = 4;

const place = (server: Server, tab = ""): string =>
  `#/servers/${encodeURIComponent(server.name)}${tab && `?tab=${tab}`}`;

const namesOf = (servers: Server[]): string => {
  const names = servers.slice(0, 5).map((server) => server.name);
  return names.join(", ") + (servers.length > 5 ? ` and ${count(servers.length - 5)} more` : "");
};

/** The programs that servers are often started with, and where they come from. */
const programs: Record<string, { of: string; url: string }> = {
  npx: { of: "Node.js", url: "https://nodejs.org/en/download" },
  uvx: { of: "uv", url: "https://docs.astral.sh/uv/getting-started/installation/" },
  uv: { of: "uv", url: "https://docs.astral.sh/uv/getting-started/installation/" },
  docker: { of: "Docker", url: "https://docs.docker.com/get-started/get-docker/" },
};

/** needed tells which of these programs servers are started with, and by whom each is needed. */
export function needed(servers: Server[]): Map<string, Server[]> {
  const out = new Map<string, Server[]>();
  for (const server of servers) {
    if (!server.approved) continue;
    const name = (server.command ?? "").replace(/^.*[/\\]/, "").replace(/\.(exe|cmd|bat)$/i, "");
    if (name in programs) out.set(name, [...(out.get(name) ?? []), server]);
  }
  return out;
}

/** concerns lists what needs attention. */
export function concerns(known: Known): Concern[] {
  return [...hubOf(known), ...waiting(known), ...failing(known), ...missing(known), ...secrets(known)];
}

function hubOf({ paused, about }: Known): Concern[] {
  const out: Concern[] = [];
  if (about?.auth_off)
    out.push({
      id: "auth",
      tone: "bad",
      word: "Open",
      title: "The hub asks for no token",
      text: "Every program and every user of this computer can call your tools. Stop the hub, take AGENT_DISCOVER_AUTH out of its environment, and start it again.",
      remedies: [],
    });
  if (paused)
    out.push({
      id: "paused",
      tone: "warn",
      word: "Paused",
      title: "All servers are paused",
      text: "Calls are refused until you resume them.",
      remedies: [{ label: "Resume", act: "resume", main: true }],
    });
  return out;
}

function waiting({ servers }: Known): Concern[] {
  const these = servers.filter((server) => !server.approved);
  if (!these.length) return [];
  return [
    {
      id: "waiting",
      tone: "warn",
      word: "Waiting",
      title: `${plural(these.length, "server waits", "servers wait")} for your approval`,
      text: `An agent wants ${namesOf(these)}. Nothing of it was started.`,
      remedies: [{ label: "Review", href: "#/approvals", main: true }],
    },
  ];
}

function failing({ servers }: Known): Concern[] {
  const these = servers.filter(fails);
  const out = these.slice(0, FAILING).map<Concern>((server) => ({
    id: `failing ${server.name}`,
    tone: "bad",
    word: "Failing",
    title: server.name,
    text: "",
    detail: server.last_error || "It did not answer, and gave no reason.",
    remedies: [
      { label: "Check again", act: "check", server },
      { label: "Output", href: place(server, "output") },
      { label: "Open", href: place(server) },
    ],
  }));
  if (these.length > FAILING)
    out.push({
      id: "failing more",
      tone: "bad",
      word: "Failing",
      title: `${plural(these.length - FAILING, "more server fails", "more servers fail")}`,
      text: namesOf(these.slice(FAILING)),
      remedies: [{ label: "Show them", href: "#/servers?state=failing" }],
    });
  return out;
}

function missing({ servers, programs: found }: Known): Concern[] {
  if (!found) return [];
  return [...needed(servers)]
    .filter(([name]) => !found[name as keyof typeof found])
    .map(([name, these]) => ({
      id: `missing ${name}`,
      tone: "bad",
      word: "Missing",
      title: `${name} is missing or does not run`,
      text: `${plural(these.length, "server needs", "servers need")} it: ${namesOf(these)}. It comes with ${programs[name]?.of}.`,
      remedies: [
        { label: `Get ${programs[name]?.of}`, href: programs[name]?.url },
        { label: "Look again", act: "programs" },
      ],
    }));
}

function secrets({ servers, vault }: Known): Concern[] {
  const out: Concern[] = [];
  const open = servers.filter((server) => server.approved && server.plaintext?.length);
  if (vault?.keeper === "none")
    out.push({
      id: "vault",
      tone: "warn",
      word: "No vault",
      title: "Secrets cannot be kept",
      text: sentence(vault.why) + " A file can keep them, under a passphrase that you choose.",
      remedies: [
        { label: vault.file === "locked" ? "Unlock…" : "Choose a passphrase…", act: "passphrase", main: true },
      ],
    });
  if (open.length) {
    const n = open.reduce((sum, server) => sum + (server.plaintext?.length ?? 0), 0);
    out.push({
      id: "plaintext",
      tone: "warn",
      word: "Readable",
      title: `${plural(n, "credential stands", "credentials stand")} in plain text`,
      text: `In the configuration of ${namesOf(open)}. The keychain can keep them instead.`,
      remedies: [{ label: "Move them…", act: "move", main: true }],
    });
  }
  return out;
}
