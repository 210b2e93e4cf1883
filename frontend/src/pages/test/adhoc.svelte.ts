// The ad-hoc servers that this tab started. They are kept in session storage, so that they survive a reload. Their labels
// may contain credentials, so only the name of the program or host is kept.

import { api, request, take } from "$lib/api/client";
import { isObject } from "$lib/form/json";
import { toasts } from "$lib/stores/toasts.svelte";
import { forget } from "./session.svelte";
import type { AdHocServer } from "./target";

const KEY = "agent-discover.transients";

/** A command with its environment, a URL with its headers, or a configured server to copy. */
export interface Launch {
  server?: string;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  url?: string;
  headers?: Record<string, string>;
}

function stored(): AdHocServer[] {
  try {
    const list = JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as AdHocServer[];
    return list.filter((one) => isObject(one) && one.expiresAt > Date.now());
  } catch {
    return [];
  }
}

/** shortLabel returns the name of the program, or the host of the URL. */
function shortLabel({ command = "", url, server }: Launch): string {
  if (server) return `${server} (own process)`;
  if (url) return URL.canParse(url) ? new URL(url).host : "server";
  return command.split(/[\\/]/).at(-1) ?? "server";
}

class AdHocServers {
  list = $state.raw<AdHocServer[]>(stored());
  #shortLabels = new Map<string, string>();
  #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor() {
    for (const one of this.list) this.#arm(one);
  }

  find(key: string): AdHocServer | undefined {
    return this.list.find((one) => one.serverName === key || one.handle === key);
  }

  /** open starts an ad-hoc server and returns once its tools are listed. */
  async open(launch: Launch & { transport: string; ttl_ms: number }, label: string): Promise<AdHocServer> {
    const answer = await request("/api/transient", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(launch),
    });
    const body = (await answer.json()) as AdHocServer & { error?: string };
    if (!answer.ok) throw new Error(body.error ?? `The hub answered with status ${answer.status}.`);
    const { handle, serverName, expiresAt } = body;
    const made = { handle, serverName, expiresAt, label };
    this.#shortLabels.set(handle, shortLabel(launch));
    this.#keep([...this.list, made]);
    this.#arm(made);
    return made;
  }

  /** end ends an ad-hoc server early. */
  async end(one: AdHocServer): Promise<void> {
    await take(api.DELETE("/api/transient/{id}", { params: { path: { id: one.handle } } }));
    this.#drop(one);
  }

  #drop(one: AdHocServer): void {
    clearTimeout(this.#timers.get(one.handle));
    this.#timers.delete(one.handle);
    this.#keep(this.list.filter((other) => other.handle !== one.handle));
    forget(one.serverName);
  }

  #arm(one: AdHocServer): void {
    const ended = () => {
      this.#drop(one);
      toasts.show(`${one.label} reached its time limit and has ended.`, { kind: "note" });
    };
    this.#timers.set(one.handle, setTimeout(ended, Math.max(0, one.expiresAt - Date.now())));
  }

  #keep(list: AdHocServer[]): void {
    this.list = list;
    const kept = list.map((one) => ({ ...one, label: this.#shortLabels.get(one.handle) ?? one.label }));
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  }
}

export const adHocServers = new AdHocServers();
