// How a page signs in, and how it checks the hub before it sends its token.
//
// A browser exchanges a ticket from its address, once, for a token that lives as long as the tab. The window gets address
// and token from its own program, which has verified the hub before.

import { native, type Connection } from "./window.ts";

const TOKEN = "agent-discover.token";
const SESSION = "agent-discover.session";

/** The hub does not accept this page (any more). */
export class Locked extends Error {}

/** The user has stopped the hub. Only the window detects this. */
export class Stopped extends Error {}

/** Nothing answers at the hub's address, or something that is not the hub. */
export class Unreachable extends Error {}

/** takeTicket returns the ticket of the address and removes it: addresses are displayed, stored and shared. */
function takeTicket(): string | null {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const ticket = fragment.get("ticket");
  if (!ticket) return null;
  history.replaceState(null, "", location.pathname + location.search + (fragment.get("page") ?? ""));
  dispatchEvent(new HashChangeEvent("hashchange")); // shows the page that came with the ticket
  return ticket;
}

async function exchange(ticket: string): Promise<void> {
  const answer = await reach("/api/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ticket }),
  });
  const body = (await answer.json()) as { token?: string; session?: string; error?: string };
  if (!answer.ok || !body.token) throw new Locked(body.error ?? "The hub rejected the ticket.");
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
 * prove verifies that the hub knows this page's session before the token is sent: another program may have taken the
 * port of a hub that ended. The proof is an HMAC over both nonces, keyed with the hash of the token, which is all that
 * the hub stores of it.
 */
async function prove(token: string): Promise<void> {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(32)));
  const session = sessionStorage.getItem(SESSION) ?? "";
  const answer = await reach(`/hello?nonce=${nonce}&session=${encodeURIComponent(session)}`);
  const hello = (await answer.json().catch(() => ({}))) as { nonce?: string; proof?: string; session_proof?: string };
  if (!hello.nonce || !hello.proof) throw new Unreachable("Another program answers on the hub’s port.");
  if (!hello.session_proof) throw new Locked("The session of this page has expired.");

  const text = new TextEncoder();
  const hash = await crypto.subtle.digest("SHA-256", text.encode(token));
  const key = await crypto.subtle.importKey("raw", hash, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const said = ["agent-discover", "session", `127.0.0.1:${location.port}`, nonce, hello.nonce].join("\n");
  const genuine = await crypto.subtle.verify("HMAC", key, bytesOf(hello.session_proof), text.encode(said));
  if (!genuine) throw new Unreachable("Another program answers on the hub’s port.");
}

/** isOpen reports whether the hub requires no token: AGENT_DISCOVER_AUTH=off. */
async function isOpen(): Promise<boolean> {
  const hello = (await (await reach("/hello")).json().catch(() => ({}))) as { auth_off?: boolean };
  return hello.auth_off === true;
}

/** enter returns the hub's address and token. It throws Locked, Stopped, Unreachable, or an error of the window. */
export async function enter(): Promise<Connection> {
  const bindings = native();
  if (bindings) {
    const { url, token, stopped } = await bindings.Connect();
    if (stopped) throw new Stopped("The user has stopped the hub.");
    return { url, token };
  }
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

/** leave deletes the token of this tab. */
export function leave(): void {
  sessionStorage.removeItem(TOKEN);
  sessionStorage.removeItem(SESSION);
}
