// Sign-in of the page, which verifies the hub before it sends the token.
//
// A browser exchanges the single-use ticket in the page's address for a token, which exists only in the memory of the
// page. With the ticket, the page registers the public keys of two key pairs. The private key of the first pair also
// exists only in memory. With it, the page resumes its session after the connection was lost, even if another hub has
// started on the same port. The private key of the second pair is stored by keystore.ts. With it, a reloaded page
// resumes its session, until the hub ends.
//
// The native window gets the hub's address and token from the desktop program, which has verified the hub.

import { clear, load, save, type Stored } from "./keystore.ts";
import { native, type Connection } from "./window.ts";

/** The hub rejects this page: its ticket is missing or invalid, or its session has ended. */
export class Locked extends Error {}

/** The user has stopped the hub. Only the native window detects this. */
export class Stopped extends Error {}

/** No program answers at the hub's address, or a program that is not the hub. */
export class Unreachable extends Error {}

const ENDED = "The session of this page has ended.";

/** The session of this page. */
interface Session {
  token: string;
  /** Public identifier. */
  id: string;
  /** The key of the HMAC with which the hub proves that it knows the session. */
  proofKey: string;
}

interface Answer {
  token?: string;
  session?: string;
  proof_key?: string;
  challenge?: string;
  instance?: string;
  error?: string;
}

let current: Session | undefined;
let pageKey: Promise<CryptoKeyPair> | undefined;

/** newKey returns a key that no script can read. */
const newKey = (): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const publicHalf = async ({ publicKey }: CryptoKeyPair) =>
  hex(new Uint8Array(await crypto.subtle.exportKey("raw", publicKey)));
const encode = (lines: string[]) => new TextEncoder().encode(["agent-discover", ...lines].join("\n"));

/**
 * The address of the hub in signed texts; always 127.0.0.1, even if the page was loaded from another name of this
 * machine.
 */
const hubAddress = () => `127.0.0.1:${location.port || "80"}`;

/** takeTicket removes the ticket from the page's address, which may be displayed, stored and shared, and returns it. */
function takeTicket(): string | null {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const ticket = fragment.get("ticket");
  if (!ticket) return null;
  history.replaceState(null, "", location.pathname + location.search + (fragment.get("page") ?? ""));
  dispatchEvent(new HashChangeEvent("hashchange")); // shows the page that came with the ticket
  return ticket;
}

/** hasTicket reports whether the page's address contains a ticket. */
export const hasTicket = (): boolean => new URLSearchParams(location.hash.slice(1)).has("ticket");

async function reach(path: string, body?: object): Promise<Response> {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  try {
    return await fetch(path, body && post);
  } catch {
    throw new Unreachable("The hub does not answer.");
  }
}

/** ask sends a request that needs no token. It throws Locked if the hub rejects it. */
async function ask(path: string, body: object): Promise<Answer> {
  const answer = await reach(path, body);
  const said = (await answer.json().catch(() => ({}))) as Answer;
  if (answer.status === 401) throw new Locked(ENDED);
  if (!answer.ok) throw new Unreachable(said.error ?? `The hub answered with status ${answer.status}.`);
  return said;
}

function keep({ token, session, proof_key }: Answer): Session {
  if (!token || !session || !proof_key) throw new Unreachable("Another program answers on the hub’s port.");
  return (current = { token, id: session, proofKey: proof_key });
}

/** exchange exchanges a ticket for a session and registers two new keys. */
async function exchange(ticket: string): Promise<void> {
  const [page, reload] = await Promise.all([(pageKey ??= newKey()), newKey()]);
  const [page_key, reload_key] = await Promise.all([publicHalf(page), publicHalf(reload)]);
  let said: Answer;
  try {
    said = await ask("/api/session", { ticket, page_key, reload_key });
  } catch (problem) {
    if (problem instanceof Locked) throw new Locked("The ticket in the address is used or too old.");
    throw problem;
  }
  await save({ session: keep(said).id, key: reload.privateKey });
}

/** resume replaces a session by a new one. key is the private half of a key that the old session registered. */
async function resume(session: string, key: CryptoKey, reload?: CryptoKeyPair): Promise<Session> {
  const page = await (pageKey ??= newKey());
  const { challenge = "", instance = "" } = await ask("/api/session/challenge", { session });
  const signed = encode(["resume", instance, hubAddress(), session, challenge]);
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, signed);
  return keep(
    await ask("/api/session/resume", {
      session,
      challenge,
      signature: hex(new Uint8Array(signature)),
      page_key: await publicHalf(page),
      ...(reload && { reload_key: await publicHalf(reload) }),
    }),
  );
}

/** reenter resumes the session of a page that has not been reloaded. */
async function reenter(session: Session): Promise<void> {
  await prove(session);
  const reload = await newKey();
  const resumed = await resume(session.id, (await (pageKey ??= newKey())).privateKey, reload);
  await save({ session: resumed.id, key: reload.privateKey });
}

/** reload resumes the session of a page that was reloaded. */
async function reload({ session, key }: Stored): Promise<void> {
  await save({ session: (await resume(session, key)).id, key });
}

/**
 * prove verifies that the hub knows this page's session before anything else is sent: another program may have taken
 * the port of a hub that ended. The proof is an HMAC over the nonces of the page and of the hub.
 */
async function prove({ id, proofKey }: Session): Promise<void> {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(32)));
  const answer = await reach(`/hello?nonce=${nonce}&session=${encodeURIComponent(id)}`);
  const hello = (await answer.json().catch(() => ({}))) as { nonce?: string; proof?: string; session_proof?: string };
  if (!hello.nonce || !hello.proof)
    throw new Unreachable("Another program answers on the hub’s port. Close this page.");
  if (!hello.session_proof) throw new Locked(ENDED);

  const use = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(proofKey), use, false, ["verify"]);
  const said = encode(["session", hubAddress(), nonce, hello.nonce]);
  if (!(await crypto.subtle.verify("HMAC", key, bytesOf(hello.session_proof), said)))
    throw new Unreachable("Another program answers on the hub’s port. Close this page.");
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
  await signIn();
  return { url: location.origin, token: current?.token ?? "" };
}

async function signIn(): Promise<void> {
  const ticket = takeTicket();
  let refused: unknown;
  if (ticket) {
    try {
      return await exchange(ticket);
    } catch (problem) {
      if (!(problem instanceof Locked)) throw problem;
      refused = problem; // the page may have been signed in before
    }
  }
  if (current) return reenter(current);
  const entry = await load();
  if (entry) {
    try {
      return await reload(entry);
    } catch (problem) {
      if (!(problem instanceof Locked)) throw problem;
      await clear();
      refused ??= problem;
    }
  }
  if (!(await isOpen())) throw refused ?? new Locked("This page is not signed in.");
}

/** leave forgets the session of this page. */
export function leave(): void {
  current = undefined;
}
