// What a proposed server will be able to do, said honestly in one sentence, and what is unusual about it.

import type { Server } from "$lib/api/socket";
import { plural } from "$lib/format";
import { visible } from "$lib/verbatim";
import { isRemote, odd, variables } from "./proposal";

const MIGHT = "it can read, change and delete your files, use the network and start other programs";

const program = (server: Server): string =>
  (server.command ?? "")
    .replace(/^.*[/\\]/, "")
    .replace(/\.(exe|cmd|bat)$/i, "")
    .toLowerCase();

const SHELLS = /^(sh|bash|zsh|dash|fish|cmd|powershell|pwsh|osascript|busybox|env|sudo|doas|nohup|xargs)$/;
const INTERPRETERS = /^(node|deno|bun|python[\d.]*|ruby|perl|php)$/;
const CONTAINERS = /^(docker|podman|nerdctl)$/;
const FETCHERS: Record<string, string> = { npx: "npm", bunx: "npm", pnpx: "npm", uvx: "PyPI", pipx: "PyPI" };
const SCRIPT = /^(-c|-e|-p|--eval|--print|\/c|\/k|-Command|-EncodedCommand|eval)$/i;

/** The package that a program such as npx downloads: the first argument that is no option and no verb. */
const packageOf = (server: Server): string =>
  (server.args ?? []).find((arg) => arg && !arg.startsWith("-") && !["run", "exec", "dlx"].includes(arg)) ?? "";

function downloads(server: Server, from: string): string {
  const name = packageOf(server);
  const pinned = /.(@|==)v?\d/.test(name);
  const which = /^(https?|git|file|github):|^git\+|^[./\\~]/i.test(name)
    ? `what is at “${visible(name)}”`
    : `“${visible(name)}” from ${from}${pinned ? "" : ", in whatever version is the newest then"}`;
  return `It downloads ${which}, and runs it as you: ${MIGHT}.`;
}

function contained(server: Server): string {
  const args = (server.args ?? []).join(" ");
  if (/--privileged|--pid[= ]host|docker\.sock/.test(args))
    return `It runs in a container that is given power over this computer: ${MIGHT}.`;
  const mounts = /(^|\s)(-v|--volume|--mount)/.test(args)
    ? "the folders that its arguments name"
    : "none of your files";
  return `It runs in a container, which sees ${mounts}, and can use the network.`;
}

/** consequence is the sentence. */
export function consequence(server: Server): string {
  if (isRemote(server))
    return `What agents send to its tools goes to ${hostOf(server)}, and they act on what comes back; nothing is started on this computer.`;
  const name = program(server);
  const from = FETCHERS[name];
  if (from) return downloads(server, from);
  if (CONTAINERS.test(name)) return contained(server);
  if (SHELLS.test(name) || (INTERPRETERS.test(name) && (server.args ?? []).some((arg) => SCRIPT.test(arg))))
    return `It runs the commands that stand in its arguments, as you: ${MIGHT}.`;
  return `It runs a program of this computer as you: ${MIGHT}.`;
}

export function hostOf(server: Server): string {
  try {
    return new URL(server.homepage ?? "").host;
  } catch {
    return visible(server.homepage || "an address that is missing");
  }
}

/** warnings are what is unusual, worst first; each is a sentence. */
export function warnings(server: Server): string[] {
  const { hidden, foreign } = odd(server);
  const steering = variables(server).filter((variable) => variable.steers);
  const out: string[] = [];
  if (hidden)
    out.push("It holds characters that cannot be seen, or that move others on the screen. They are written out below.");
  if (foreign) out.push("It holds letters beyond plain Latin, which may look like others. They are underlined below.");
  if (!isRemote(server) && (SHELLS.test(program(server)) || /[|;&`]|\$\(/.test((server.args ?? []).join(" "))))
    out.push("It starts a shell or another program with commands of its own: read them to the end.");
  if (steering.length)
    out.push(
      `${steering.map((variable) => visible(variable.name)).join(", ")} can change which code is loaded, or where it comes from.`,
    );
  if (isRemote(server) && /^http:/i.test(server.homepage ?? "") && !/^(localhost|127\.|\[::1\])/.test(hostOf(server)))
    out.push("The connection is not encrypted: others on the way can read and change what is sent.");
  const open = server.plaintext?.length ?? 0;
  if (open) out.push(`${plural(open, "credential stands", "credentials stand")} in it in plain text.`);
  return out;
}
