// Tests of the dashboard's session with the hub: sign-in, reloads, restarts, and other programs on the hub's port.

import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page, WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, visit } from "./support/browser.ts";
import { packaged, TestHub } from "./support/hub.ts";

let browser: Browser;
let hub: TestHub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  await hub.add("memory", packaged("memory"));
});

afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

test("a page without a ticket says how to open the dashboard, and shows no data", async () => {
  const page = await browser.newPage();
  await page.goto(hub.url);
  await page.getByText("agent-discover open").waitFor();
  expect(await page.getByText("memory").count()).toBe(0);
  await page.close();
});

test("a page reconnects after a restart of the hub and updates itself", async () => {
  const own = await new TestHub().start();
  const { page, context } = await visit(browser, own);
  await own.end("SIGKILL");
  await page.getByRole("status").getByText("Not connected").waitFor();
  await page.getByText("it keeps trying to connect").waitFor();

  await own.start();
  await own.add("newcomer", packaged("memory"));
  await page.getByRole("status").getByText("Ready").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Servers" }).click();
  await page.getByText("newcomer").first().waitFor();
  await context.close();
  await own[Symbol.asyncDispose]();
});

test("a click while the page reconnects does not end its session", async () => {
  const { page, context } = await visit(browser, hub, "/overview", { expected: /WebSocket/ });
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.reload();
  await page.getByRole("status").getByText("Ready").waitFor();
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let attempts = 0;
  await page.route("**/hello?*", async (route) => {
    attempts++;
    begun.resolve();
    await released.promise;
    await route.continue();
  });
  await sockets.at(-1)?.close();
  await begun.promise;
  await page.getByRole("button", { name: "Try again" }).click();
  released.resolve();
  await page.getByRole("status").getByText("Ready").waitFor();
  expect(attempts).toBe(1); // a second one would be refused, because the first replaces the session
  await context.close();
});

/** A program of another user on the port of a hub. It records everything that it receives. */
class Stranger {
  /** Requests with their headers and bodies, except for the browser's requests for the icon. */
  readonly heard: string[] = [];
  readonly #server = createServer((request, response) => {
    if (request.url === "/icon.svg") {
      response.writeHead(404).end();
      return;
    }
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      this.heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${Buffer.concat(parts)}`);
      const [type, body] = this.answer(request.url ?? "");
      response.setHeader("Content-Type", type);
      response.end(body);
    });
  });

  constructor(
    readonly port: number,
    readonly answer: (path: string) => [type: string, body: string],
  ) {}

  async listen(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(this.port, "127.0.0.1", done));
    return this;
  }

  end(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** session is the answer of a hub to the exchange of a ticket. */
interface Session {
  token: string;
  proof_key: string;
}

/** openedSession opens the dashboard, and returns the page with the session that the page got. */
async function openedSession(own: TestHub, path?: string) {
  let answer: Promise<Session> | undefined;
  const seen = await visit(browser, own, path, {
    expected: /./,
    prepare: async (page) =>
      page.on("response", (response) => {
        if (response.url().endsWith("/api/session")) answer = response.json() as Promise<Session>;
      }),
  });
  if (!answer) throw new Error("the page exchanged no ticket");
  return { ...seen, session: await answer };
}

test("another program on the port of a dead hub does not get the page's token", async () => {
  const own = await new TestHub().start();
  const { page, context, session } = await openedSession(own);
  await own.end("SIGKILL");
  await page.getByRole("status").getByText("Not connected").waitFor();

  const hello = JSON.stringify({ nonce: "0", proof: "0", session_proof: "00", version: "1", protocol: 1 });
  const stranger = await new Stranger(own.info.port, () => ["application/json", hello]).listen();
  await page.getByText("Another program answers").first().waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Servers" }).click();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => stranger.heard.length).toBeGreaterThan(1);
  for (const request of stranger.heard) {
    expect(request).toMatch(/^GET \/hello\?/);
    expect(request).not.toMatch(new RegExp(`authorization|${session.token}|${session.proof_key}`));
  }
  stranger.end();
  await context.close();
  await own[Symbol.asyncDispose]();
});

test("a page loads all code before it signs in, and none while the hub is gone", async () => {
  const own = await new TestHub().start();
  const order: string[] = [];
  const { page, context } = await visit(browser, own, "/overview", {
    expected: /./,
    prepare: async (page) => page.on("request", (request) => order.push(new URL(request.url()).pathname)),
  });
  const scripts = readdirSync(resolve(import.meta.dirname, "../dist/assets")).filter((name) => name.endsWith(".js"));
  const before = order.slice(0, order.indexOf("/api/session"));
  expect(scripts.filter((name) => !before.includes(`/assets/${name}`))).toEqual([]);

  await own.end("SIGKILL");
  await page.getByRole("status").getByText("Not connected").waitFor();
  const evil = "document.title = 'taken over'; export default undefined;";
  const stranger = await new Stranger(own.info.port, (path) =>
    path.endsWith(".js") ? ["text/javascript", evil] : ["text/html", "<script src=/evil.js></script>"],
  ).listen();
  await page.getByText("Another program answers").first().waitFor();
  for (const link of await page.getByRole("navigation").getByRole("link").all()) {
    const place = await link.getAttribute("href");
    await link.click();
    await page.waitForURL((url) => url.hash === place);
  }
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Type a command or a name…").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => stranger.heard.length).toBeGreaterThan(1);
  expect(stranger.heard.filter((request) => !request.startsWith("GET /hello?"))).toEqual([]);
  expect(await page.title()).not.toBe("taken over");

  // The page resumes its session with the next hub, without being reloaded.
  stranger.end();
  await own.start();
  await page.getByRole("status").getByText("Ready").waitFor();
  await context.close();
  await own[Symbol.asyncDispose]();
});

test("a reload on the port of a dead hub gives another program nothing that a hub accepts", async () => {
  const own = await new TestHub().start();
  const { page, context, session } = await openedSession(own, "/servers");
  await own.end("SIGKILL");
  await page.getByRole("status").getByText("Not connected").waitFor();
  const stranger = await new Stranger(own.info.port, () => ["text/html", "<title>taken over</title>"]).listen();
  await page.reload();
  expect(await page.title()).toBe("taken over");
  for (const request of stranger.heard) expect(request).not.toMatch(/authorization|ticket/i);

  // Read all that a page of the other program can read, and try to use it.
  const found = await page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((done, failed) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => failed(request.error);
      });
    const texts = JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, location.href]);
    const names = (await indexedDB.databases()).map(({ name }) => name);
    const database = await settled(indexedDB.open("agent-discover"));
    const stores = [...database.objectStoreNames];
    const entry = (await settled(database.transaction("keys").objectStore("keys").get("reload"))) as {
      session: string;
      key: CryptoKey;
    };
    const exported = await crypto.subtle.exportKey("jwk", entry.key).then(
      () => "exported",
      () => "refused",
    );
    (window as unknown as { entry: unknown }).entry = entry;
    return { texts, names, stores, members: Object.keys(entry), session: entry.session, exported };
  });
  expect(found).toMatchObject({ names: ["agent-discover"], stores: ["keys"], exported: "refused" });
  expect(found.members.sort()).toEqual(["key", "session"]);
  for (const secret of [session.token, session.proof_key, "ticket"]) expect(found.texts).not.toContain(secret);

  // The next hub does not know the key, whether it listens on the old port or on another one.
  const signature = (text: string) =>
    page.evaluate(async (text) => {
      const { key } = (window as unknown as { entry: { key: CryptoKey } }).entry;
      const use = { name: "ECDSA", hash: "SHA-256" };
      const bytes = new Uint8Array(await crypto.subtle.sign(use, key, new TextEncoder().encode(text)));
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    }, text);
  stranger.end();
  for (const port of [own.info.port, 0]) {
    await own.start({ AGENT_DISCOVER_PORT: String(port) });
    const headers = { Authorization: `Bearer ${session.token}` };
    expect((await fetch(`${own.url}/api/servers`, { headers })).status).toBe(401);
    const asked = await post(own, "/api/session/challenge", { session: found.session });
    if (port) {
      // The session still exists for the page that has the other key in memory.
      expect(asked.status).toBe(200);
      const { challenge, instance } = (await asked.json()) as { challenge: string; instance: string };
      const text = ["agent-discover", "resume", instance, `127.0.0.1:${port}`, found.session, challenge].join("\n");
      const answer = { session: found.session, challenge, signature: await signature(text) };
      expect((await post(own, "/api/session/resume", answer)).status).toBe(401);
    } else {
      expect(asked.status).toBe(401);
    }
    await own.end();
  }
  await context.close();
  await own[Symbol.asyncDispose]();
});

const post = (own: TestHub, path: string, body: object) =>
  fetch(own.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

test("a reloaded page and a second tab stay signed in until the hub ends", async () => {
  const own = await new TestHub().start();
  const { page, context } = await visit(browser, own, "/servers", { expected: /./ });
  const ready = (page: Page) => page.getByRole("status").getByText("Ready").waitFor();
  await page.reload();
  await ready(page);
  const second = await context.newPage();
  await second.goto(own.url);
  await ready(second);
  await page.reload();
  await ready(page);

  // An open page resumes its session after a restart, and can then be reloaded.
  await own.end("SIGKILL");
  await page.getByRole("status").getByText("Not connected").waitFor();
  await second.close();
  await own.start();
  await ready(page);
  await page.reload();
  await ready(page);

  // A page that is loaded after the hub was replaced cannot resume its session. An address with a ticket opens it
  // again.
  await page.goto("about:blank");
  await own.end("SIGKILL");
  await own.start();
  await page.goto(`${own.url}/#/tools`);
  await page.getByText("Open the dashboard again").waitFor();
  await page.getByText("agent-discover open").waitFor();
  await page.goto(await own.address("/servers"));
  await ready(page);
  await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
  await context.close();
  await own[Symbol.asyncDispose]();
});

test("without storage in the browser, a page works until it is reloaded", async () => {
  const { page, context, problems } = await visit(browser, hub, "/servers", {
    prepare: (page) => page.addInitScript(() => Object.defineProperty(window, "indexedDB", { get: () => undefined })),
  });
  await page.getByRole("navigation").getByRole("link", { name: "Tools", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
  expect(problems).toEqual([]);
  await page.reload();
  await page.getByText("Open the dashboard again").waitFor();
  await context.close();
});

test("a page that cannot load all of its code does not sign in", async () => {
  const page = await browser.newPage();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await page.route("**/assets/Activity-*.js", (route) => route.abort());
  await page.goto(await hub.address());
  await page.getByText("A part of this page could not be loaded.").waitFor();
  await page.getByText("Open the dashboard again").waitFor();
  expect(requests.filter((path) => path.startsWith("/api/"))).toEqual([]);
  await page.close();
});

test("the file that opens the dashboard sends the browser to the hub and is removed", async () => {
  const { file } = await hub.rest<{ file: string }>("POST", "/api/tickets", { purpose: "page", file: true });
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  const referrers: (string | undefined)[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => referrers.push(request.headers().referer));
  await page.goto(pathToFileURL(file).href);
  await page.getByRole("status").getByText("Ready").waitFor();
  expect(page.url()).toBe(`${hub.url}/`);
  expect(existsSync(file)).toBe(false);
  expect(problems).toEqual([]);
  expect(referrers.filter(Boolean)).toEqual([]);
  await context.close();
});

test("a hub without authentication shows its dashboard without a ticket", async () => {
  const own = await new TestHub().start({ AGENT_DISCOVER_AUTH: "off" });
  const page = await browser.newPage();
  await page.goto(own.url);
  await page.getByRole("status").getByText("Ready").waitFor();
  await page.close();
  await own[Symbol.asyncDispose]();
});
