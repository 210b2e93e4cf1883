// The menu of actions for one server, in the list of servers and on the server's page.

import CircleCheck from "@lucide/svelte/icons/circle-check";
import FlaskConical from "@lucide/svelte/icons/flask-conical";
import HeartPulse from "@lucide/svelte/icons/heart-pulse";
import KeyRound from "@lucide/svelte/icons/key-round";
import Pencil from "@lucide/svelte/icons/pencil";
import Power from "@lucide/svelte/icons/power";
import PowerOff from "@lucide/svelte/icons/power-off";
import ListChecks from "@lucide/svelte/icons/list-checks";
import Play from "@lucide/svelte/icons/play";
import RefreshCw from "@lucide/svelte/icons/refresh-cw";
import RotateCw from "@lucide/svelte/icons/rotate-cw";
import Square from "@lucide/svelte/icons/square";
import TextCursorInput from "@lucide/svelte/icons/text-cursor-input";
import Trash from "@lucide/svelte/icons/trash-2";
import {
  check,
  refreshTools,
  restart,
  setActive,
  setDisabled,
  signIn,
  signInLabel,
  signOut,
  start,
  stop,
} from "$lib/actions";
import type { Server } from "$lib/api/socket";
import { hub } from "$lib/stores/hub.svelte";
import { link, router } from "$lib/stores/router.svelte";
import type { MenuItem } from "$lib/ui/Menu.svelte";
import { SvelteSet } from "svelte/reactivity";

/** The server whose removal awaits confirmation. */
export const removal = $state<{ open: boolean; server: Server | undefined }>({ open: false, server: undefined });

export function askToRemove(server: Server): void {
  removal.server = server;
  removal.open = true;
}

/** The server that gets another name, and the name that is entered for it. */
export const renaming = $state<{ open: boolean; server: Server | undefined; name: string }>({
  open: false,
  server: undefined,
  name: "",
});

export function askForName(server: Server): void {
  Object.assign(renaming, { server, name: server.name, open: true });
}

/** The address of the list of servers, with the last filters. */
export const list = $state({ href: "#/servers" });

/** The names of servers with an action in progress, which may include a slow start of the server. */
export const busy = new SvelteSet<string>();

/** whileBusy marks a server as busy while an action runs. */
export async function whileBusy(server: Server, what: (server: Server) => Promise<unknown>): Promise<void> {
  const { name } = server;
  busy.add(name);
  try {
    await what(server);
  } finally {
    busy.delete(name);
  }
}

/**
 * switchActive sets whether a server is always listed. It does nothing while the server is busy. The switch is not
 * disabled meanwhile, because a disabled switch would lose the keyboard focus.
 */
export async function switchActive(server: Server, on = !server.active): Promise<void> {
  if (!busy.has(server.name)) await whileBusy(server, () => setActive(server, on));
}

/** placeOf returns the place of a server's page, for router.go. tab is the tab to open. */
export const placeOf = (server: Server, tab = ""): string =>
  link("servers", server.name).slice(1) + (tab && `?tab=${tab}`);

/** itemsFor returns the menu items for a server. */
export function itemsFor(server: Server): (MenuItem | null)[] {
  const waits = busy.has(server.name);
  const switching = (disabled: boolean) => () => void whileBusy(server, () => setDisabled(server, disabled));
  let items: (MenuItem | null)[];
  if (!server.approved)
    items = [{ label: "Review for approval", icon: CircleCheck, run: () => router.go("/approvals") }];
  else if (server.disabled) items = [{ label: "Enable", icon: Power, disabled: waits, run: switching(false) }];
  else
    items = [
      ...(server.running
        ? [
            { label: "Stop", icon: Square, disabled: waits, run: () => void whileBusy(server, stop) },
            { label: "Restart", icon: RotateCw, disabled: waits, run: () => void whileBusy(server, restart) },
          ]
        : [
            {
              label: server.state === "failing" ? "Start again" : "Start",
              icon: Play,
              disabled: waits || hub.paused || server.state === "incomplete",
              run: () => void whileBusy(server, start),
            },
          ]),
      {
        label: server.active ? "List only when found" : "Always list its tools",
        icon: ListChecks,
        disabled: waits,
        run: () => void switchActive(server),
      },
      { label: "Check", icon: HeartPulse, disabled: waits, run: () => void whileBusy(server, check) },
      { label: "Refresh tools", icon: RefreshCw, disabled: waits, run: () => void whileBusy(server, refreshTools) },
      ...(server.state === "sign_in"
        ? [{ label: signInLabel(server), icon: KeyRound, run: () => void whileBusy(server, signIn) }]
        : server.sign_in
          ? [{ label: "Sign out", icon: KeyRound, run: () => void whileBusy(server, signOut) }]
          : []),
      { label: "Inspect", icon: FlaskConical, run: () => router.go(link("test", server.name).slice(1)) },
      { label: "Disable", icon: PowerOff, disabled: waits, run: switching(true) },
    ];
  return [
    ...items,
    null,
    { label: "Edit", icon: Pencil, run: () => router.go(placeOf(server, "configuration")) },
    { label: "Rename…", icon: TextCursorInput, disabled: waits, run: () => askForName(server) },
    { label: "Remove…", icon: Trash, danger: true, run: () => askToRemove(server) },
  ];
}
