// Saying yes to a proposed server: to what was shown, and to nothing else.

import { ApiError, api, messageOf, take } from "$lib/api/client";
import type { Server } from "$lib/api/socket";
import { plural } from "$lib/format";
import { toasts } from "$lib/stores/toasts.svelte";

const path = (server: Server) => ({ params: { path: { id: String(server.id) } } });

/** approve approves a server as it was shown. When it is another one by now it returns that, and nothing was approved. */
export async function approve(shown: Server): Promise<Server | undefined> {
  try {
    await take(api.POST("/api/servers/{id}/approve", { ...path(shown), body: { launch_hash: shown.launch_hash } }));
  } catch (problem) {
    if (problem instanceof ApiError && problem.status === 409)
      return take(api.GET("/api/servers/{id}", path(shown))) as Promise<Server>;
    throw problem;
  }
  void list(shown);
  return undefined;
}

/** list starts it once, so that its tools can be found. */
async function list(server: Server): Promise<void> {
  const waiting = toasts.show(`${server.name} is approved. It is started to list its tools…`, { ms: 120_000 });
  try {
    const { tool_count = 0 } = await take(api.POST("/api/servers/{id}/refresh", path(server)));
    toasts.show(`${server.name} is approved and brings ${plural(tool_count, "tool")}.`);
  } catch (problem) {
    toasts.show(`${server.name} is approved, but it does not start: ${messageOf(problem)}`, { kind: "failed" });
  }
  toasts.dismiss(waiting);
}
