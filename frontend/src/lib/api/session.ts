// How a page comes in, and whom it trusts with its token.
//
// A browser gets in by a ticket in the address, which is exchanged once for a token that lives as long as the tab. The
// window is handed endpoint and token by the program that shows it, which has proven the hub before.

import { native, type Connection } from "./window.ts";

const KEY = "agent-discover.token";

/** A refusal by the hub: it does not know this page (any more). */
export class Locked extends Error {}

/** Nobody answers, or somebody who is not the hub. */
export class Unreachable extends Error {}

/** takeTicket returns the ticket of the address and removes it from there: an address is shown, kept and shared. */
function takeTicket(): string | null {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const ticket = fragment.get("ticket");
  if (!ticket) return null;
  history.replaceState(null, "", location.pathname + location.search + (fragment.get("page") ?? ""));
  dispatchEvent(new HashChangeEvent("hashchange")); // so that the page is shown that came with the ticket
  return ticket;
}

async function exchange(ticket: string): Promise<string> {
  let answer: Response;
  try {
    answer = await fetch("/api/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ticket }),
    });
  } catch {
    throw new Unreachable("The hub does not answer.");
  }
  const body = (await answer.json()) as { token?: string; error?: string };
  if (!answer.ok || !body.token) throw new Locked(body.error ?? "The hub did not take the ticket.");
  return body.token;
}

/** enter returns where the hub is and the token to use there. It throws Locked, Unreachable, or what the window says. */
export async function enter(): Promise<Connection> {
  const bindings = native();
  if (bindings) return bindings.Connect();
  const ticket = takeTicket();
  if (ticket) {
    try {
      sessionStorage.setItem(KEY, await exchange(ticket));
    } catch (problem) {
      if (!(problem instanceof Locked) || !sessionStorage.getItem(KEY)) throw problem;
    }
  }
  const token = sessionStorage.getItem(KEY);
  if (!token) throw new Locked("This page needs a ticket.");
  return { url: location.origin, token };
}

/** leave forgets the token of this tab. */
export function leave(): void {
  sessionStorage.removeItem(KEY);
}
