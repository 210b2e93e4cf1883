// What can be done with the hub and its servers, the same wherever it is offered. Each says what came of it.

import { api, messageOf, request, take } from "./api/client.ts";
import type { Server } from "./api/socket.ts";
import { native } from "./api/window.ts";
import { plural } from "./format.ts";
import { toasts } from "./stores/toasts.svelte.ts";

/** attempt runs something and says it when it failed; it reports whether it worked. */
export async function attempt(what: () => Promise<unknown>): Promise<boolean> {
  try {
    await what();
    return true;
  } catch (problem) {
    toasts.failed(problem);
    return false;
  }
}

const path = (server: Server) => ({ params: { path: { id: String(server.id) } } });

/** setActive puts a server's tools into every session's list, or takes them out; that can be undone. */
export async function setActive(server: Server, on: boolean): Promise<boolean> {
  return attempt(async () => {
    if (on) await take(api.POST("/api/servers/{id}/activate", path(server)));
    else await take(api.POST("/api/servers/{id}/deactivate", path(server)));
    toasts.show(
      `${server.name} is ${on ? "active: its tools are in every list" : "not active any more; its tools stay searchable"}.`,
      {
        action: { label: "Undo", run: () => void setActive(server, !on) },
      },
    );
  });
}

/** check asks a server whether it works. */
export async function check(server: Server): Promise<void> {
  await attempt(async () => {
    const answer = await take(api.POST("/api/servers/{id}/health", path(server)));
    const failed = answer.status !== "healthy";
    toasts.show(
      failed
        ? `${server.name}: ${answer.error || answer.status}`
        : `${server.name} answered after ${answer.latency_ms} ms.`,
      {
        kind: failed ? "failed" : "done",
      },
    );
  });
}

/** checkAll asks all servers whether they work. */
export async function checkAll(): Promise<void> {
  const waiting = toasts.show("Asking all servers whether they work…", { kind: "note", ms: 120_000 });
  await attempt(async () => {
    const { servers } = await take(api.POST("/api/health"));
    const sick = (servers ?? []).filter((server) => server.status === "unhealthy");
    toasts.show(
      sick.length
        ? `${plural(sick.length, "server does", "servers do")} not work: ${sick.map((server) => server.name).join(", ")}`
        : `All checked: no server has trouble.`,
      { kind: sick.length ? "failed" : "done" },
    );
  });
  toasts.dismiss(waiting);
}

/** refreshTools starts a server and lists its tools anew. */
export async function refreshTools(server: Server): Promise<boolean> {
  return attempt(async () => {
    const { tool_count = 0 } = await take(api.POST("/api/servers/{id}/refresh", path(server)));
    toasts.show(`${server.name} has ${plural(tool_count, "tool")}.`);
  });
}

/** resetErrors forgets the errors of a server that were counted. */
export async function resetErrors(server: Server): Promise<boolean> {
  return attempt(async () => {
    await take(api.POST("/api/servers/{id}/reset-errors", path(server)));
    toasts.show(`The errors of ${server.name} are counted anew.`);
  });
}

/** setPaused stops all servers and lets none start, or ends that. */
export async function setPaused(on: boolean): Promise<boolean> {
  return attempt(async () => {
    if (on) await take(api.POST("/api/pause"));
    else await take(api.POST("/api/resume"));
    toasts.show(on ? "Paused: no server runs, and calls are refused." : "Resumed: servers start with the next call.", {
      action: { label: "Undo", run: () => void setPaused(!on) },
    });
  });
}

const GRACE = 8_000; // ms in which a removal can be taken back

/** What is being removed, by its path: out of sight, and gone when the time to undo is over. */
const leaving = new Map<string, () => void>();

/** remove forgets a server after a time in which that can be undone, or at once when the page is closed. */
export function remove(server: Server, hidden: (name: string, gone: boolean) => void): void {
  later(`/api/servers/${server.id}`, `${server.name} is removed, with its secrets.`, (gone) =>
    hidden(server.name, gone),
  );
}

/** later deletes what is at a path of the hub, as remove does; hidden is told whether it is to be seen meanwhile. */
export function later(path: string, said: string, hidden: (gone: boolean) => void): void {
  hidden(true);
  let undone = false;
  const finish = () => {
    if (undone || !leaving.delete(path)) return;
    void attempt(async () => {
      const answer = await request(path, { method: "DELETE", keepalive: true });
      if (!answer.ok && answer.status !== 404) {
        hidden(false);
        throw new Error(((await answer.json()) as { error: string }).error);
      }
    });
  };
  leaving.set(path, finish);
  toasts.show(said, {
    ms: GRACE,
    ended: finish,
    action: {
      label: "Undo",
      run: () => {
        undone = true;
        leaving.delete(path);
        hidden(false);
      },
    },
  });
}

addEventListener("pagehide", () => leaving.forEach((finish) => finish()));

/** download saves a text as a file: by the window's dialog, or by the browser. */
export async function download(name: string, content: string | Blob, kind = "application/json"): Promise<void> {
  await attempt(async () => {
    const bindings = native();
    if (bindings) {
      const at = await bindings.SaveFile(name, typeof content === "string" ? content : await content.text());
      if (at) toasts.show(`Saved as ${at}`);
      return;
    }
    const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type: kind }) : content);
    const anchor = Object.assign(document.createElement("a"), { href: url, download: name });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
}

/** copy puts a text on the clipboard. */
export async function copy(text: string, said = "Copied."): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toasts.show(said);
  } catch (problem) {
    toasts.show(`The system did not let us copy: ${messageOf(problem)}`, { kind: "failed" });
  }
}
