// Sign-ins to remote servers: in one click from the server's page, the overview and the dialog that adds servers.

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, toast, visit } from "./support/browser.ts";
import { TestHub } from "./support/hub.ts";
import { person, signedServer, type SignedServer } from "./support/signin.ts";

let browser: Browser;
let server: SignedServer;
const passphrase = { AGENT_DISCOVER_PASSPHRASE: "a passphrase for tests" };
/** Matches the addresses at which the hub may wait for the redirect that ends a sign-in. */
const returned = /^http:\/\/127\.0\.0\.1:1342\d\/callback/;

beforeAll(async () => {
  browser = await launch();
  server = await signedServer();
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

/** added adds the server to a hub, without a sign-in. */
async function added(hub: TestHub): Promise<void> {
  const body = { name: "notes", transport: "streamable-http", homepage: server.url };
  const { id } = await hub.rest<{ id: number }>("POST", "/api/servers", body);
  await expect(hub.rest("POST", `/api/servers/${id}/refresh`)).rejects.toThrow("agent-discover auth login notes");
}

/** signIn clicks a button and signs in on the page that it opens. */
async function signIn(page: Page, context: BrowserContext, button = "Sign in"): Promise<void> {
  await context.setExtraHTTPHeaders(person);
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: button }).first().click();
  const popup = await opened;
  await popup.waitForURL(returned);
  await popup.getByText("You are signed in to notes.").waitFor();
  await popup.close();
}

test("a server that wants a sign-in lists its tools after one click, and can be signed out of", async () => {
  await using hub = await new TestHub().start(passphrase);
  await added(hub);
  const { page, context, problems } = await visit(browser, hub, "/servers/notes");
  await page.getByText("Sign-in required", { exact: true }).first().waitFor();
  await expectAccessible(page, "a server that wants a sign-in");
  await signIn(page, context);
  await page.getByRole("tab", { name: /Tools 2/ }).waitFor();
  await page.getByText("Running", { exact: true }).first().waitFor();
  expect(await page.getByRole("button", { name: "Sign in" }).count()).toBe(0);

  await server.revoke();
  await hub.rest("POST", "/api/servers/1/restart").catch(() => undefined);
  await page.getByText("The sign-in has ended").waitFor();
  await signIn(page, context, "Sign in again");
  await page.getByText("The sign-in has ended").waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Sign out" }).click();
  await toast(page, "You are signed out of notes.");
  await page.getByRole("button", { name: "Sign out" }).waitFor({ state: "detached" });
  expect(problems).toEqual([]);
  await context.close();
});

test("the overview and the list show which servers want a sign-in", async () => {
  await using hub = await new TestHub().start(passphrase);
  await added(hub);
  const { page, context, problems } = await visit(browser, hub);
  const issue = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem");
  await issue.getByText("lists its tools and answers calls once you are signed in").waitFor();
  await signIn(page, context, "Sign in: notes");
  await issue.getByText("once you are signed in").waitFor({ state: "detached" });
  await page.goto(`${hub.url}/#/servers`);
  await page.getByRole("row", { name: /notes/ }).getByText("Running").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the dialog that adds a remote server leads to its sign-in", async () => {
  await using hub = await new TestHub().start(passphrase);
  const { page, context, problems } = await visit(browser, hub, "/servers", { expected: /403 \(Forbidden\)/ });
  await page.getByRole("button", { name: "Paste a configuration" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Remote" }).click();
  await dialog.getByLabel("Address").fill(server.url);
  await dialog.getByLabel("Name").fill("notes");
  await dialog.getByRole("button", { name: "Add server", exact: true }).click();
  await dialog.getByText("Sign in…").waitFor();
  await expectAccessible(page, "a server that is added and wants a sign-in");
  await signIn(page, context);
  await dialog.getByText("2 tools").waitFor();
  await dialog.getByText("Signed in", { exact: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

/** signedInElsewhere signs in with a browser of another machine, and returns the address that it fails to open. */
async function signedInElsewhere(address: string): Promise<string> {
  const elsewhere = await browser.newContext({ extraHTTPHeaders: person });
  let at = address;
  while (!returned.test(at)) {
    const answer = await elsewhere.request.get(at, { maxRedirects: 0 });
    at = new URL(answer.headers().location ?? "", at).href;
  }
  await elsewhere.close();
  return at;
}

test("a sign-in in the browser of another machine is finished with the address that it was sent to", async () => {
  await using hub = await new TestHub().start(passphrase);
  await added(hub);
  const expected = /(404|422) \(/;
  const { page, context, problems } = await visit(browser, hub, "/servers/notes", { expected });
  await context.route(`${server.issuer}/**`, (route) => route.abort()); // no page opens on this machine
  await page.getByRole("button", { name: "Sign in" }).first().click();
  await page.getByText("The browser is on another machine").click();
  await page.getByRole("button", { name: "Show the address to open there" }).click();
  const address = await page.getByRole("region", { name: "Address of the sign-in" }).innerText();
  const sent = await signedInElsewhere(address);

  const field = page.getByLabel("Paste the address you were sent to");
  const finish = page.getByRole("button", { name: "Finish sign-in" });
  expect(await finish.isDisabled()).toBe(true);
  await field.fill(address.split("?")[0] ?? "");
  await finish.click();
  await page.getByText("This is not the address at the end of a sign-in").waitFor();
  await field.fill(sent.replace(/state=[^&]*/, "state=another"));
  await finish.click();
  await page.getByText("No sign-in waits for this address").waitFor();
  await expectAccessible(page, "an address that finishes no sign-in");

  await field.fill(sent);
  await page.keyboard.press("Enter");
  await toast(page, "You are signed in to notes.");
  await page.getByRole("tab", { name: /Tools 2/ }).waitFor();
  await field.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
  await context.close();
});

test("the dialog that adds a remote server takes the address of another machine's browser", async () => {
  await using hub = await new TestHub().start(passphrase);
  const { page, context, problems } = await visit(browser, hub, "/servers", { expected: /403 \(Forbidden\)/ });
  await context.route(`${server.issuer}/**`, (route) => route.abort());
  await page.getByRole("button", { name: "Paste a configuration" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Remote" }).click();
  await dialog.getByLabel("Address").fill(server.url);
  await dialog.getByLabel("Name").fill("notes");
  await dialog.getByRole("button", { name: "Add server", exact: true }).click();
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.getByText("The browser is on another machine").click();
  await dialog.getByRole("button", { name: "Show the address to open there" }).click();
  const sent = await signedInElsewhere(
    await dialog.getByRole("region", { name: "Address of the sign-in" }).innerText(),
  );
  await expectAccessible(page, "a server whose sign-in is finished by its address");
  await dialog.getByLabel("Paste the address you were sent to").fill(sent);
  await dialog.getByRole("button", { name: "Finish sign-in" }).click();
  await dialog.getByText("2 tools").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
