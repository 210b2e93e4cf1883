// Actions on the hub and its servers, shared by all pages. Each reports its outcome in a toast.

import { api, messageOf, request, take } from "./api/client.ts";
import type { Server } from "./api/socket.ts";
import { native, openPage } from "./api/window.ts";
import { plural } from "./format.ts";
import { toasts } from "./stores/toasts.svelte.ts";

/** attempt runs an action, shows a toast if it fails, and reports whether it succeeded. */
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

/**
 * setActive sets whether a server is always listed, that is whether its tools are in every session's list. The toast
 * offers to undo the change.
 */
export async function setActive(server: Server, on: boolean): Promise<boolean> {
  return attempt(async () => {
    if (on) await take(api.POST("/api/servers/{id}/activate", path(server)));
    else await take(api.POST("/api/servers/{id}/deactivate", path(server)));
    toasts.show(
      `${server.name} is ${on ? "always listed: its tools are in every session's list" : "no longer always listed; agents still find its tools"}.`,
      {
        about: [`listed ${server.name}`, on],
        action: { label: "Undo", run: () => void setActive(server, !on) },
      },
    );
  });
}

/** setDisabled disables or enables a server. The toast offers to undo the change. */
export async function setDisabled(server: Server, disabled: boolean): Promise<boolean> {
  return attempt(async () => {
    if (disabled) await take(api.POST("/api/servers/{id}/disable", path(server)));
    else await take(api.POST("/api/servers/{id}/enable", path(server)));
    toasts.show(`${server.name} is ${disabled ? "disabled: agents cannot use it" : "enabled"}.`, {
      about: [`disabled ${server.name}`, disabled],
      action: { label: "Undo", run: () => void setDisabled(server, !disabled) },
    });
  });
}

/** check runs a health check on a server. */
export async function check(server: Server): Promise<void> {
  await attempt(async () => {
    const answer = await take(api.POST("/api/servers/{id}/health", path(server)));
    const failed = answer.status !== "healthy";
    toasts.show(
      failed
        ? `${server.name}: ${answer.error || answer.status}`
        : `${server.name} answered in ${answer.latency_ms} ms.`,
      {
        kind: failed ? "failed" : "done",
      },
    );
  });
}

/** checkAll runs a health check on every server. */
export async function checkAll(): Promise<void> {
  const waiting = toasts.show("Checking all servers…", { kind: "note", ms: 120_000 });
  await attempt(async () => {
    const { servers } = await take(api.POST("/api/health"));
    const sick = (servers ?? []).filter((server) => server.status === "unhealthy");
    toasts.show(
      sick.length
        ? `${plural(sick.length, "server")} failed the check: ${sick.map((server) => server.name).join(", ")}`
        : "All servers passed the check.",
      { kind: sick.length ? "failed" : "done" },
    );
  });
  toasts.dismiss(waiting);
}

/** refreshTools starts a server and fetches its list of tools. */
export async function refreshTools(server: Server): Promise<boolean> {
  return attempt(async () => {
    const { tool_count = 0 } = await take(api.POST("/api/servers/{id}/refresh", path(server)));
    toasts.show(`${server.name} has ${plural(tool_count, "tool")}.`);
  });
}

/** start starts a server. */
export async function start(server: Server): Promise<boolean> {
  return attempt(async () => {
    const { tool_count = 0 } = await take(api.POST("/api/servers/{id}/start", path(server)));
    toasts.show(`${server.name} is running with ${plural(tool_count, "tool")}.`, {
      about: [`process ${server.name}`, true],
    });
  });
}

/** stop stops a server until its next call. */
export async function stop(server: Server): Promise<boolean> {
  return attempt(async () => {
    await take(api.POST("/api/servers/{id}/stop", path(server)));
    toasts.show(`${server.name} is stopped. The next call starts it.`, { about: [`process ${server.name}`, false] });
  });
}

/** restart stops a server and starts it again. */
export async function restart(server: Server): Promise<boolean> {
  return attempt(async () => {
    const { tool_count = 0 } = await take(api.POST("/api/servers/{id}/restart", path(server)));
    toasts.show(`${server.name} was restarted with ${plural(tool_count, "tool")}.`, {
      about: [`process ${server.name}`, true],
    });
  });
}

/** signInLabel returns the label of the button that calls signIn. */
export const signInLabel = ({ sign_in }: Server): string =>
  sign_in === "again" ? "Sign in again" : sign_in === "waiting" ? "Open the page again" : "Sign in";

/**
 * signIn begins the sign-in to a server and opens the page that a person needs for it, if any. Afterwards the hub lists
 * the server's tools.
 */
export async function signIn(server: Server): Promise<boolean> {
  return attempt(async () => {
    const { address } = await take(api.POST("/api/servers/{id}/auth/login", path(server)));
    if (address) await openPage(address);
  });
}

/** signOut forgets the sign-in to a server, and revokes its tokens. */
export async function signOut(server: Server): Promise<boolean> {
  return attempt(async () => {
    const { warning } = await take(api.POST("/api/servers/{id}/auth/logout", path(server)));
    toasts.show(warning || `You are signed out of ${server.name}.`, { kind: warning ? "failed" : "done" });
  });
}

/** resetErrors clears the error count of a server. */
export async function resetErrors(server: Server): Promise<boolean> {
  return attempt(async () => {
    await take(api.POST("/api/servers/{id}/reset-errors", path(server)));
    toasts.show(`The errors of ${server.name} are cleared.`);
  });
}

/** setPaused pauses the hub, which stops all servers and refuses calls, or resumes it. */
export async function setPaused(on: boolean): Promise<boolean> {
  return attempt(async () => {
    if (on) await take(api.POST("/api/pause"));
    else await take(api.POST("/api/resume"));
    toasts.show(
      on ? "Paused: servers are stopped and calls are refused." : "Resumed: servers start on the next call.",
      {
        about: ["paused", on],
        action: { label: "Undo", run: () => void setPaused(!on) },
      },
    );
  });
}

const GRACE = 8_000; // ms in which a removal can be undone

/** Deletions that can still be undone, by path. Each function sends its DELETE request at once. */
const pendingDeletions = new Map<string, () => void>();

/**
 * remove hides a server, and deletes it when the time to undo is over or the page is closed. It calls hidden to hide
 * the server, and again to show it if the deletion is undone or fails.
 */
export function remove(server: Server, hidden: (name: string, gone: boolean) => void): void {
  later(`/api/servers/${server.id}`, `${server.name} and its secrets are removed.`, (gone) =>
    hidden(server.name, gone),
  );
}

/**
 * later deletes a resource of the hub once the user can no longer undo it. It calls hidden with true at once, and with
 * false if the deletion is undone or fails.
 */
export function later(path: string, said: string, hidden: (gone: boolean) => void): void {
  hidden(true);
  let undone = false;
  const finish = () => {
    if (undone || !pendingDeletions.delete(path)) return;
    void attempt(async () => {
      const answer = await request(path, { method: "DELETE", keepalive: true });
      if (!answer.ok && answer.status !== 404) {
        hidden(false);
        throw new Error(((await answer.json()) as { error: string }).error);
      }
    });
  };
  pendingDeletions.set(path, finish);
  toasts.show(said, {
    ms: GRACE,
    ended: finish,
    action: {
      label: "Undo",
      run: () => {
        undone = true;
        pendingDeletions.delete(path);
        hidden(false);
      },
    },
  });
}

addEventListener("pagehide", () => pendingDeletions.forEach((finish) => finish()));

/** download saves a file: in the native window through its save dialog, otherwise as a download of the browser. */
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

/** copy writes a text to the clipboard. */
export async function copy(text: string, said = "Copied."): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toasts.show(said);
  } catch (problem) {
    toasts.show(`Could not copy: ${messageOf(problem)}`, { kind: "failed" });
  }
}
