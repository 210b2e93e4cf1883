import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, visit } from "./support/browser.ts";
import { Embedder } from "./support/embedder.ts";
import { many, TestHub } from "./support/hub.ts";

let browser: Browser;

beforeAll(async () => void (browser = await launch()));
afterAll(async () => browser.close());

/** hubWith starts a hub that gets its embeddings from the server at a URL. */
function hubWith(url: string): Promise<TestHub> {
  const hub = new TestHub();
  writeFileSync(join(hub.folder, "config.yaml"), `search: {provider: local, model: tiny, url: "${url}"}\n`);
  return hub.start({ AGENT_DISCOVER_EMBEDDING_PROVIDER: "local" });
}

const themes = ["light", "dark"] as const;
const reading = (page: Page) => page.getByText(/^Indexing tools by meaning: \d+ of \d+ done/);
const bar = (page: Page) => page.getByRole("progressbar", { name: "Tools indexed by meaning" });

/** asked returns a function that counts the page's requests for the search status. */
function asked(page: Page): () => number {
  let times = 0;
  page.on("request", (request) => request.url().endsWith("/api/search/status") && times++);
  return () => times;
}

const returnToPage = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));

test("with the built-in model no notice is shown, and details mention words and meaning", async () => {
  await using hub = await new TestHub().start({ AGENT_DISCOVER_EMBEDDING_PROVIDER: "builtin" });
  const { page, context, problems } = await visit(browser, hub, "/tools?mode=ask");
  await page.getByRole("button", { name: "Words and meaning" }).click();
  const more = page.getByRole("dialog", { name: "Words and meaning" });
  await more.getByText("Nothing leaves this machine").waitFor();
  await more.getByText("0 of 0 tools").waitFor();
  await hub.add("many", many(30));
  await more.getByText("30 of 30 tools").waitFor();
  await expectAccessible(page, "words and meaning");
  expect(await reading(page).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByLabel("What the agent needs").fill("create an invoice");
  await page.getByRole("list", { name: "Why" }).first().getByText("its meaning").waitFor();
  await page.getByLabel("What the agent needs").fill("tool_create_invoice_0");
  const first = page.getByRole("list", { name: "Found tools" }).getByRole("listitem").first();
  await first.getByText("mcp__many__tool_create_invoice_0").waitFor();
  const why = page.getByRole("list", { name: "Why" }).first().getByRole("listitem");
  await expect.poll(() => why.count()).toBe(1);
  await first.getByText("its name").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the progress of indexing is shown", async () => {
  await using embedder = await new Embedder().start();
  await using hub = await hubWith(embedder.url);
  embedder.mode = "hold";
  await hub.add("many", many(30));
  for (const theme of themes) {
    const { page, context } = await visit(browser, hub, "/tools", { theme });
    await page.getByText("The others are found by their words.").waitFor();
    await expectAccessible(page, `reading, ${theme}`);
    await context.close();
  }
  const { page, context, problems } = await visit(browser, hub, "/tools?mode=ask");
  await page.getByText("Indexing tools by meaning: 0 of 30 done").waitFor();
  expect(await bar(page).getAttribute("aria-valuemax")).toBe("30");
  await page.getByLabel("What the agent needs").fill("create an invoice");
  await page.getByRole("region", { name: "Result" }).getByText("Found").waitFor();
  expect(await page.getByText("its meaning").count()).toBe(0);
  embedder.release();
  await reading(page).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Words and meaning" }).click();
  await page.getByRole("dialog").getByText("30 of 30 tools").waitFor();
  await page.getByRole("dialog").getByText("tiny").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the state is polled every two seconds while indexing, and not afterwards", async () => {
  await using embedder = await new Embedder().start();
  await using hub = await hubWith(embedder.url);
  embedder.mode = "hold";
  await hub.add("many", many(30));
  const { page, context } = await visit(browser, hub, "/activity");
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 3_600_000); // from here on, the test controls the time
  const times = asked(page);
  const answered = () => page.waitForResponse("**/api/search/status").then((response) => response.finished());
  await Promise.all([answered(), page.evaluate(() => (location.hash = "#/tools"))]);
  await reading(page).waitFor();
  for (let polls = 2; polls < 5; polls++) {
    await page.clock.runFor(1_900);
    expect(times()).toBe(polls - 1);
    await Promise.all([answered(), page.clock.runFor(200)]);
    expect(times()).toBe(polls);
  }
  embedder.release();
  // Until the hub has indexed every tool, the page may hide the notice and poll once more.
  type Status = { working: boolean; ready: number };
  const status = () => hub.rest<Status>("GET", "/api/search/status");
  await expect.poll(async () => (await status()).ready).toBe(30);
  await expect.poll(async () => (await status()).working).toBe(false);
  while (await reading(page).count()) await Promise.all([answered(), page.clock.runFor(2_100)]);
  const until = times();
  await page.clock.runFor(600_000);
  expect(times()).toBe(until);
  await Promise.all([answered(), returnToPage(page)]);
  expect(times()).toBe(until + 1);
  await context.close();
});

test("an unreachable provider is reported with advice, and the search continues by words", async () => {
  await using hub = await hubWith("http://127.0.0.1:1");
  await hub.add("many", many(30));
  for (const theme of themes) {
    const { page, context, problems } = await visit(browser, hub, "/tools?mode=ask", { theme });
    await page.getByText("Tools are currently found by their words only").waitFor();
    await page.getByText("http://127.0.0.1:1 cannot be reached; is it running, and is the address right?").waitFor();
    await page.getByRole("button", { name: "Words only" }).click();
    await page.getByRole("dialog").getByText("0 of 30 tools").waitFor();
    await expectAccessible(page, `failing, ${theme}`);
    await page.keyboard.press("Escape");
    await page.getByLabel("What the agent needs").fill("create an invoice");
    await page.getByRole("region", { name: "Result" }).getByText("Found").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  }
});

test("a recovered provider is noticed when the person returns to the page", async () => {
  await using embedder = await new Embedder().start();
  embedder.mode = "fail";
  await using hub = await hubWith(embedder.url);
  await hub.add("many", many(30));
  const { page, context, problems } = await visit(browser, hub, "/tools?mode=ask");
  await page.getByText("answers with status 503").waitFor();
  embedder.mode = "answer";
  const well = page.getByRole("button", { name: "Words and meaning" });
  while (!(await well.count())) await Promise.all([page.waitForResponse("**/api/search/status"), returnToPage(page)]);
  expect(await page.getByText("are currently found by their words only").count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

test("without a provider the page says so and stops polling", async () => {
  await using hub = await new TestHub().start({ AGENT_DISCOVER_EMBEDDING_PROVIDER: "none" });
  await hub.add("many", many(30));
  const { page, context, problems } = await visit(browser, hub, "/tools?mode=ask");
  await page.getByRole("button", { name: "Words only" }).click();
  await page.getByRole("dialog").getByText("search.provider is none in config.yaml").waitFor();
  await expectAccessible(page, "words only");
  expect(await reading(page).count()).toBe(0);
  expect(await page.getByText("are currently found by their words only").count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});
