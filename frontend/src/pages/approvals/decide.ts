// Approval of a proposed server, provided that it has not changed since the user saw it.

import { ApiError, api, messageOf, take } from "$lib/api/client";
import type { Server } from "$lib/api/socket";
import { plural } from "$lib/format";
import { toasts } from "$lib/stores/toasts.svelte";
import { trust } from "$lib/stores/trust.svelte";

const path = (server: Server) => ({ params: { path: { id: String(server.id) } } });

/**
 * approve approves a server in the version that the user saw. If clean is set, it also approves the items in the
 * server's lists in which the scan finds nothing. If the server has changed, approve approves nothing and returns the
 * server as it is now.
 */
export async function approve(shown: Server, clean: boolean): Promise<Server | undefined> {
  try {
    const body = { launch_hash: shown.launch_hash, tools: clean ? ("clean" as const) : ("wait" as const) };
    await take(api.POST("/api/servers/{id}/approve", { ...path(shown), body }));
  } catch (problem) {
    if (problem instanceof ApiError && problem.status === 409)
      return take(api.GET("/api/servers/{id}", path(shown))) as Promise<Server>;
    throw problem;
  }
  void list(shown);
  return undefined;
}

/** list starts a server, which lists its tools, and reports the outcome in a toast. */
async function list(server: Server): Promise<void> {
  const waiting = toasts.show(`${server.name} is approved. Listing its tools…`, { ms: 120_000 });
  try {
    const { tool_count = 0 } = await take(api.POST("/api/servers/{id}/refresh", path(server)));
    await trust.load();
    const held = (trust.items ?? []).filter((item) => item.server === server.name && item.waits).length;
    toasts.show(
      held
        ? `${server.name} is approved. ${plural(held, "item")} of its list ${held === 1 ? "waits" : "wait"} for your approval.`
        : `${server.name} is approved and has ${plural(tool_count, "tool")}.`,
    );
  } catch (problem) {
    toasts.show(`${server.name} is approved but could not start: ${messageOf(problem)}`, { kind: "failed" });
  }
  toasts.dismiss(waiting);
}
