// How a page comes in, and whom it trusts with its token.
//
// A browser gets in by a ticket in the address, which is exchanged once for a token that lives as long as the tab. The
// window is handed endpoint and token by the program that shows it, which has proven the hub before.

import { native, type Connection } from "./window.ts";

const TOKEN = "agent-discover.token";
const SESSION = "agent-discover.session";

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

async function exchange(ticket: string): Promise<void> {
  const answer = await reach("/api/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ticket }),
  });
  const body = (await answer.json()) as { token?: string; session?: string; error?: string };
  if (!answer.ok || !body.token) throw new Locked(body.error ?? "The hub did not take the ticket.");
  sessionStorage.setItem(TOKEN, body.token);
  sessionStorage.setItem(SESSION, body.session ?? "");
}

async function reach(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch {
    throw new Unreachable("The hub does not answer.");
  }
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/**
 * prove makes sure that who answers knows this page's session before it is sent the token: another program may have
 * taken the port of a hub that died. The proof is an HMAC over both nonces, keyed with the hash of the token, which is
 * all that the hub keeps of it.
 */
async function prove(token: string): Promise<void> {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(32)));
  const session = sessionStorage.getItem(SESSION) ?? "";
  const answer = await reach(`/hello?nonce=${nonce}&session=${encodeURIComponent(session)}`);
  const hello = (await answer.json().catch(() => ({}))) as { nonce?: string; proof?: string; session_proof?: string };
  if (!hello.nonce || !hello.proof) throw new Unreachable("What answers on the hub’s port is not the hub.");
  if (!hello.session_proof) throw new Locked("The hub does not know this page any more: it was not used for long.");

  const text = new TextEncoder();
  const hash = await crypto.subtle.digest("SHA-256", text.encode(token));
  const key = await crypto.subtle.importKey("raw", hash, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const said = ["agent-discover", "session", `127.0.0.1:${location.port}`, nonce, hello.nonce].join("\n");
  const genuine = await crypto.subtle.verify("HMAC", key, bytesOf(hello.session_proof), text.encode(said));
  if (!genuine) throw new Unreachable("What answers on the hub’s port is not the hub.");
}

/** isOpen reports whether this hub lets everybody in: AGENT_DISCOVER_AUTH=off. */
async function isOpen(): Promise<boolean> {
  const hello = (await (await reach("/hello")).json().catch(() => ({}))) as { auth_off?: boolean };
  return hello.auth_off === true;
}

/** enter returns where the hub is and the token to use there. It throws Locked, Unreachable, or what the window says. */
export async function enter(): Promise<Connection> {
  const bindings = native();
  if (bindings) return bindings.Connect();
  const ticket = takeTicket();
  if (ticket) {
    try {
      await exchange(ticket);
    } catch (problem) {
      if (!(problem instanceof Locked) || !sessionStorage.getItem(TOKEN)) throw problem;
    }
  }
  const token = sessionStorage.getItem(TOKEN);
  if (token) await prove(token);
  else if (!(await isOpen())) throw new Locked("This page needs a ticket.");
  return { url: location.origin, token: token ?? "" };
}

/** leave forgets the token of this tab. */
export function leave(): void {
  sessionStorage.removeItem(TOKEN);
  sessionStorage.removeItem(SESSION);
}
