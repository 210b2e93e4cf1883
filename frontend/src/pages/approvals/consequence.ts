// Sentences about a proposed server: what it will be able to do, and what is suspicious about it.

import type { Server } from "$lib/api/socket";
import { plural } from "$lib/format";
import { visible } from "$lib/verbatim";
import { isRemote, suspiciousCharacters, variables } from "./proposal";

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

/**
 * packageOf returns the package that a program such as npx downloads: the first argument that is no option or
 * subcommand.
 */
const packageOf = (server: Server): string =>
  (server.args ?? []).find((arg) => arg && !arg.startsWith("-") && !["run", "exec", "dlx"].includes(arg)) ?? "";

function downloads(server: Server, from: string): string {
  const name = packageOf(server);
  const pinned = /.(@|==)v?\d/.test(name);
  const which = /^(https?|git|file|github):|^git\+|^[./\\~]/i.test(name)
    ? `“${visible(name)}”`
    : `“${visible(name)}” from ${from}${pinned ? "" : ", in the newest version at that time,"}`;
  return `It downloads ${which} and runs it with your permissions: ${MIGHT}.`;
}

function contained(server: Server): string {
  const args = (server.args ?? []).join(" ");
  if (/--privileged|--pid[= ]host|docker\.sock/.test(args))
    return `It runs in a container with control over this computer: ${MIGHT}.`;
  const mounts = /(^|\s)(-v|--volume|--mount)/.test(args)
    ? "the folders that its arguments name"
    : "none of your files";
  return `It runs in a container that can access ${mounts} and the network.`;
}

/** consequence returns a sentence about what a server can do once it is approved. */
export function consequence(server: Server): string {
  if (isRemote(server))
    return `Everything that agents send to its tools goes to ${hostOf(server)}, and agents act on the answers. Nothing is started on this computer.`;
  const name = program(server);
  const from = FETCHERS[name];
  if (from) return downloads(server, from);
  if (CONTAINERS.test(name)) return contained(server);
  if (SHELLS.test(name) || (INTERPRETERS.test(name) && (server.args ?? []).some((arg) => SCRIPT.test(arg))))
    return `It runs the commands in its arguments with your permissions: ${MIGHT}.`;
  return `It runs a program on this computer with your permissions: ${MIGHT}.`;
}

export function hostOf(server: Server): string {
  try {
    return new URL(server.homepage ?? "").host;
  } catch {
    return visible(server.homepage || "a missing address");
  }
}

/** warnings returns sentences about suspicious properties of a server, worst first. */
export function warnings(server: Server): string[] {
  const { hidden, foreign } = suspiciousCharacters(server);
  const steering = variables(server).filter((variable) => variable.steers);
  const out: string[] = [];
  if (hidden)
    out.push("It contains characters that are invisible or change the order of others. They are escaped below.");
  if (foreign) out.push("It contains non-Latin letters, which may look like Latin ones. They are underlined below.");
  if (!isRemote(server) && (SHELLS.test(program(server)) || /[|;&`]|\$\(/.test((server.args ?? []).join(" "))))
    out.push("It starts a shell or interpreter with its own commands. Read them to the end.");
  if (steering.length)
    out.push(
      `${steering.map((variable) => visible(variable.name)).join(", ")} can change which code is loaded and from where.`,
    );
  if (isRemote(server) && /^http:/i.test(server.homepage ?? "") && !/^(localhost|127\.|\[::1\])/.test(hostOf(server)))
    out.push("The connection is not encrypted: others on the network can read and change what is sent.");
  const open = server.plaintext?.length ?? 0;
  if (open) out.push(`It contains ${plural(open, "credential")} in plain text.`);
  return out;
}
