// Changes of the sandbox of a server.

import { attempt } from "$lib/actions";
import { api, take, type Schemas } from "$lib/api/client";
import type { Server } from "$lib/api/socket";
import { levels, type Level } from "$lib/sandbox";
import { toasts } from "$lib/stores/toasts.svelte";

export type Denied = Schemas["DeniedAccess"];
export type Access = Denied["access"];
export type Grant = { access: Access; target: string };

export const accesses: Access[] = ["read", "write", "network"];

/** The words for an access: as a button, as what a server wanted, and as what it may do. */
export const words: Record<Access, { label: string; wanted: string; may: string }> = {
  read: { label: "Read", wanted: "Wanted to read", may: "May read" },
  write: { label: "Write", wanted: "Wanted to write to", may: "May read and write" },
  network: { label: "Network", wanted: "Wanted to connect to", may: "May connect to" },
};

const put = (server: Server, body: { level?: Level; grants?: Schemas["SandboxGrants"] }) =>
  attempt(() => take(api.PUT("/api/servers/{id}/sandbox", { params: { path: { id: String(server.id) } }, body })));

/** setLevel confines a server at a level from its next start on, and offers to undo that. */
export async function setLevel(server: Server, level: Level): Promise<void> {
  const before = server.sandbox?.level;
  if (!(await put(server, { level }))) return;
  toasts.show(`The sandbox of ${server.name} is set to ${levels[level].word}, from its next start on.`, {
    about: [`sandbox ${server.name}`, level !== "off"],
    action: before && { label: "Undo", run: () => void setLevel(server, before) },
  });
}

/** grantsOf returns what a server may do beyond its level, as a list. */
export const grantsOf = ({ sandbox }: Server): Grant[] =>
  accesses.flatMap((access) => (sandbox?.grants[access] ?? []).map((target) => ({ access, target })));

const withGrants = (server: Server, grants: Grant[]) =>
  put(server, {
    grants: Object.fromEntries(
      accesses.map((access) => [access, grants.filter((one) => one.access === access).map(({ target }) => target)]),
    ) as unknown as Schemas["SandboxGrants"],
  });

/** allow adds a grant to a server. It takes effect the next time the server starts. */
export async function allow(server: Server, { access, target }: Grant): Promise<boolean> {
  const others = grantsOf(server).filter((one) => one.access !== access || one.target !== target);
  const done = await withGrants(server, [...others, { access, target }]);
  if (done) toasts.show(`Allowed, from the next start of ${server.name} on.`);
  return done;
}

/** disallow removes a grant of a server. */
export const disallow = (server: Server, { access, target }: Grant): Promise<boolean> =>
  withGrants(
    server,
    grantsOf(server).filter((one) => one.access !== access || one.target !== target),
  );

/** forget clears the list of accesses that the sandbox has denied to a server. */
export const forget = (server: Server): Promise<boolean> =>
  attempt(() => take(api.DELETE("/api/servers/{id}/sandbox/denied", { params: { path: { id: String(server.id) } } })));
