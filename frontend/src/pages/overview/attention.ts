// Issues that need the user's attention, worst first, with remedies.

import { signInLabel } from "$lib/actions";
import type { Schemas } from "$lib/api/client";
import type { Server } from "$lib/api/socket";
import { count, plural, sentence } from "$lib/format";
import { failing as fails, type Tone } from "$lib/ui/state";
import { words } from "$lib/words";

/** A button that helps with an issue: a link, or the name of an action of the page. */
export interface Remedy {
  label: string;
  href?: string;
  act?: "start" | "signIn" | "resume" | "move" | "passphrase" | "programs";
  server?: Server;
  main?: boolean;
}

export interface Issue {
  id: string;
  tone: Tone;
  /** The kind of issue, in one or two words. */
  word: string;
  title: string;
  text: string;
  /** Untrusted or long text about the issue, such as an error message of a server. */
  detail?: string;
  remedies: Remedy[];
  /** The server that does not start, and the environment variable that it needs. */
  lacks?: { server: Server; variable: string };
}

export interface Facts {
  servers: Server[];
  /** The names of the servers whose first start the page shows in another place, with what helps. */
  shown?: string[];
  paused: boolean;
  /** The number of tools and texts that are held (waiting), or that are in use with a warning (warned). */
  held: { waiting: number; warned: number };
  /** The number of results that are kept back. */
  kept: number;
  vault?: Schemas["VaultStatus"];
  programs?: Schemas["Program"][];
  about?: Schemas["HubAbout"];
  /** How the version of the hub differs from that of the window, and what to do. */
  difference?: string;
}

const FAILING = 4;

const place = (server: Server, tab = ""): string =>
  `#/servers/${encodeURIComponent(server.name)}${tab && `?tab=${tab}`}`;

const namesOf = (servers: Server[]): string => {
  const names = servers.slice(0, 5).map((server) => server.name);
  return names.join(", ") + (servers.length > 5 ? ` and ${count(servers.length - 5)} more` : "");
};

/**
 * needed returns the programs, such as npx, that approved servers need and that the hub can check, with the servers
 * that need each.
 */
export function needed(servers: Server[]): Map<string, Server[]> {
  const out = new Map<string, Server[]>();
  for (const server of servers) {
    const { approved, program } = server;
    if (approved && program) out.set(program, [...(out.get(program) ?? []), server]);
  }
  return out;
}

/** issuesOf returns the issues to show. */
export function issuesOf(known: Facts): Issue[] {
  return [
    ...hubOf(known),
    ...waiting(known),
    ...heldOf(known),
    ...signIns(known),
    ...failing(known),
    ...erring(known),
    ...missing(known),
    ...secrets(known),
  ];
}

function hubOf({ paused, about, difference }: Facts): Issue[] {
  const out: Issue[] = [];
  if (difference)
    out.push({
      id: "difference",
      tone: "warn",
      word: "Version",
      title: "The hub is not the one of this window",
      text: sentence(difference),
      remedies: [],
    });
  if (about?.auth_off)
    out.push({
      id: "auth",
      tone: "bad",
      word: "Open",
      title: "The hub requires no token",
      text: "Every program and user on this computer can call your tools. Stop the hub, remove AGENT_DISCOVER_AUTH from its environment, and start it again.",
      remedies: [],
    });
  if (about?.taken_port)
    out.push({
      id: "port",
      tone: "warn",
      word: "Port",
      title: "The hub does not have its port",
      text: `${sentence(about.taken_port.problem)} ${sentence(about.taken_port.advice)}`,
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

function waiting({ servers }: Facts): Issue[] {
  const these = servers.filter((server) => !server.approved);
  if (!these.length) return [];
  return [
    {
      id: "waiting",
      tone: "warn",
      word: "Waiting",
      title: `${plural(these.length, "server waits", "servers wait")} for your approval`,
      text: `Read first what ${namesOf(these)} would run. Nothing has been started.`,
      remedies: [{ label: "Review", href: "#/approvals", main: true }],
    },
  ];
}

function heldOf({ held: { waiting, warned }, kept }: Facts): Issue[] {
  if (!waiting && !warned && !kept) return [];
  const items = (n: number) => plural(n, "tool or text", "tools and texts");
  const facts = [
    waiting && `${items(waiting)} ${waiting === 1 ? "waits" : "wait"} for your approval`,
    warned && `${items(warned)} in use ${warned === 1 ? "looks" : "look"} suspicious`,
    kept && `${plural(kept, "result")} ${kept === 1 ? "is" : "are"} kept back`,
  ].filter((fact) => fact !== 0);
  return [
    {
      id: "held",
      tone: "warn",
      word: waiting || kept ? "Held" : "Suspicious",
      title: facts[0] ?? "",
      text: [
        ...facts.slice(1).map(sentence),
        waiting ? "Agents do not see what waits until you decide." : warned ? "Agents can use it." : "",
      ]
        .filter(Boolean)
        .join(" "),
      remedies: [{ label: "Review", href: "#/approvals", main: true }],
    },
  ];
}

function signIns({ servers, shown }: Facts): Issue[] {
  return servers
    .filter((server) => server.state === "sign_in" && !shown?.includes(server.name))
    .slice(0, FAILING)
    .map((server) => ({
      id: `sign-in ${server.name}`,
      tone: "warn",
      word: "Sign in",
      title: server.name,
      text: "The server lists its tools and answers calls once you are signed in.",
      remedies: [
        { label: signInLabel(server), act: "signIn", server, main: true },
        { label: "Open server", href: place(server) },
      ],
    }));
}

function failing({ servers, shown }: Facts): Issue[] {
  const these = servers.filter((server) => fails(server) && !shown?.includes(server.name));
  const out = these.slice(0, FAILING).map<Issue>((server) => ({
    id: `failing ${server.name}`,
    tone: "bad",
    word: "Failing",
    title: server.name,
    text: "",
    detail: server.last_error || server.state_reason || "The server did not answer and gave no reason.",
    ...(server.missing_variable ? { lacks: { server, variable: server.missing_variable } } : {}),
    remedies: [
      { label: "Start again", act: "start", server },
      { label: "Show output", href: place(server, "output") },
      { label: "Open server", href: place(server) },
    ],
  }));
  if (these.length > FAILING)
    out.push({
      id: "failing more",
      tone: "bad",
      word: "Failing",
      title: `${plural(these.length - FAILING, "more server")} failing`,
      text: namesOf(these.slice(FAILING)),
      remedies: [{ label: "Show servers", href: "#/servers?state=failing" }],
    });
  return out;
}

/**
 * erring returns an issue for each server that runs, but most of whose calls fail. The hub decides which servers
 * these are.
 */
function erring({ servers }: Facts): Issue[] {
  return servers
    .filter((server) => server.state === "calls_fail")
    .map((server) => ({
      id: `calls ${server.name}`,
      tone: "bad",
      word: words.servers.calls_fail.word,
      title: server.name,
      text: `${count(server.recent_errors)} of the last ${plural(server.recent_calls, "call")} failed. A credential may be missing, wrong or expired.`,
      detail: server.state_reason,
      remedies: [
        {
          label: "Show failed calls",
          href: `#/activity?server=${encodeURIComponent(server.name)}&outcome=failures`,
        },
        { label: "Open server", href: place(server) },
      ],
    }));
}

function missing({ servers, programs }: Facts): Issue[] {
  const users = needed(servers);
  return (programs ?? []).flatMap(({ name, works, product, problem, install }) => {
    const these = users.get(name);
    if (works || !these) return [];
    return {
      id: `missing ${name}`,
      tone: "bad",
      word: "Missing",
      title: install ? `${name} is not installed` : `${name} does not run`,
      text: `${plural(these.length, "server needs", "servers need")} ${name}: ${namesOf(these)}. ${name} is part of ${product}.`,
      detail: problem,
      remedies: [
        ...(install ? [{ label: `Get ${product}`, href: install.page }] : []),
        { label: "Check again", act: "programs" },
      ],
    };
  });
}

function secrets({ servers, vault }: Facts): Issue[] {
  const out: Issue[] = [];
  const open = servers.filter((server) => server.approved && server.plaintext?.length);
  if (vault?.keeper === "none")
    out.push({
      id: "vault",
      tone: "warn",
      word: "No keychain",
      title: "Secrets cannot be stored",
      text: sentence(vault.why) + " Store them in a file that a passphrase of your choice protects.",
      remedies: [{ label: vault.file === "locked" ? "Unlock…" : "Choose passphrase…", act: "passphrase", main: true }],
    });
  if (open.length) {
    const n = open.reduce((sum, server) => sum + (server.plaintext?.length ?? 0), 0);
    out.push({
      id: "plaintext",
      tone: "warn",
      word: "Plain text",
      title: `${plural(n, "credential")} in plain text`,
      text: `The configuration of ${namesOf(open)} contains credentials. Move them to the keychain.`,
      remedies: [{ label: "Move to the keychain…", act: "move", main: true }],
    });
  }
  return out;
}
