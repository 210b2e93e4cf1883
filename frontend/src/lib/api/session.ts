// Sign-in of the page, which verifies the hub before it sends the token.
//
// A browser exchanges the single-use ticket in the page's address for a token that it keeps until the tab is closed.
// The native window gets the hub's address and token from the desktop program, which has verified the hub.

import { native, type Connection } from "./window.ts";

const TOKEN = "agent-discover.token";
const SESSION = "agent-discover.session";

/** The hub rejects this page: its ticket is missing or invalid, or its session has expired. */
export class Locked extends Error {}

/** The user has stopped the hub. Only the native window detects this. */
export class Stopped extends Error {}

/** No program answers at the hub's address, or a program that is not the hub. */
export class Unreachable extends Error {}

/** takeTicket removes the ticket from the page's address, which may be displayed, stored and shared, and returns it. */
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
 * port of a hub that ended. The proof is an HMAC over the nonces of the page and of the hub. Its key is the hash of the
 * token, because the hub stores only that hash.
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

/** isOpen reports whether the hub runs with AGENT_DISCOVER_AUTH=off and so requires no token. */
async function isOpen(): Promise<boolean> {
  const hello = (await (await reach("/hello")).json().catch(() => ({}))) as { auth_off?: boolean };
  return hello.auth_off === true;
}

/**
 * enter signs in and returns the hub's address and token. It throws Locked, Stopped, Unreachable, or an error of the
 * native window.
 */
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
