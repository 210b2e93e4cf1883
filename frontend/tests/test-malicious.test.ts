// Tests of the inspector with a server whose texts and schemas are hostile.

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, visit, type View } from "./support/browser.ts";
import { malicious, TestHub } from "./support/hub.ts";
import { button, called, cancelQuestions, choose, field, press, result, tab, tool } from "./support/inspector.ts";

let browser: Browser;
let hub: TestHub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  await hub.add("hostile", malicious());
  await hub.approve("hostile");
});

afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await cancelQuestions(hub);
});

const open = (path: string, view?: View) => visit(browser, hub, path, view);

test("a malicious server is shown as text and breaks nothing", async () => {
  const { page, problems } = await open("/test/hostile");
  const tools = page.getByRole("group", { name: "Tools" });
  await button(tools, "markup").waitFor();

  await tool(page, "many properties");
  await field(page, "field_9999").waitFor();
  expect(await page.getByRole("textbox").count()).toBeLessThan(60);
  await button(page, /Show 100 more of 9,960/).click();
  await field(page, "field_120").waitFor();
  await field(page, "field_9999").fill("here");
  await (await called(page)).getByText('"field_9999": "here"').waitFor();

  await tool(page, "circle");
  await page.getByText("Enter JSON: a recursive schema.").waitFor();
  await field(page, "more").fill('{"more": {');
  await press(page, "Call");
  await page.getByText("Line 1, column 11: unexpected end of text").waitFor();
  await field(page, "more").fill('{"more": {}}');
  await called(page);
  await result(page).getByText('"more": {').first().waitFor();

  await tool(page, "no object");
  await page.getByText("because the schema has").or(page.getByLabel("Arguments as JSON")).first().waitFor();
  await tool(page, "proto");
  await field(page, "__proto__").fill("just a name");
  await field(page, "constructor").fill("5");
  await (await called(page)).getByText('"__proto__": "just a name"').waitFor();

  for (const [name, shown] of [
    ["markup", "<script>"],
    ["failing", "it went wrong"],
    ["empty", "No content"],
    ["deep", "[[[["],
    ["media", "image of type “image/svg+xml” is not supported"],
  ] as const) {
    await tool(page, name);
    await (await called(page)).getByText(shown).first().waitFor();
  }
  const sound = result(page).locator("audio");
  await expect.poll(() => sound.evaluate((element: HTMLAudioElement) => element.duration)).toBe(1);
  expect(await result(page).getByRole("link").count()).toBe(0);
  await tool(page, "huge");
  await button(await called(page), "Show all (400 kB)").click();
  await tool(page, "never");
  await press(page, "Call");
  await page.getByRole("progressbar").waitFor();
  expect(await page.getByRole("progressbar").getAttribute("aria-valuenow")).toBeNull();
  await press(page, "Cancel");
  await result(page).getByText("Cancelled.").waitFor();
  await tool(page, "destroyer");
  await page.getByText("destructive", { exact: true }).waitFor();
  await page.getByText("open world").waitFor();
  await button(tools, /evil/).click();
  await button(page, "Show all").click();
  await expectAccessible(page, "a hostile tool");

  await tab(page, "Resources");
  const list = page.getByRole("group", { name: "Resources" });
  await button(list, "resource 0/2").waitFor();
  await button(page, "Load more").click();
  await button(page, "Load more").click();
  await button(list, "resource 2/2").click();
  await page.getByText("read x://2/2").waitFor();
  expect(await button(page, "Load more").count()).toBe(0);
  await page.getByRole("radio", { name: "Templates" }).click();
  await button(page.getByRole("group", { name: "Templates" }), "odd").click();
  await field(page, "__proto__").fill("a b");
  await field(page, "path").fill("c/d");
  await button(page, "Read resource").click();
  await page.getByText("read x://a%20b/c/d").waitFor();

  await tab(page, "Prompts");
  await page.getByRole("group", { name: "Prompts" }).getByRole("button").click();
  await field(page, "__proto__").fill("p");
  await button(page, "Get prompt").click();
  await page.getByRole("list", { name: "Messages" }).getByText('"__proto__": "p"').waitFor();

  await tab(page, "Server");
  await page.getByRole("heading", { name: "Hello" }).waitFor();
  const instructions = page.getByRole("region", { name: "Instructions" });
  expect(await instructions.locator("script, img, [onclick], a[href^=javascript]").count()).toBe(0);
  expect(await page.title()).toBe("Inspector · Agent Discover");
  expect(problems).toEqual([]);
});

test("fields of every type send typed values, and omit values that are not set", async () => {
  const { page, problems } = await open("/test/hostile?tool=kinds");
  await field(page, "text").fill("ab");
  await press(page, "Call");
  await page.getByText("Use at least 3 characters.").waitFor();
  await field(page, "text").fill("abc");
  await page.getByLabel("moment", { exact: true }).fill("2026-02-03T04:05:06");
  await page.getByLabel("day", { exact: true }).fill("2026-02-03");
  await field(page, "mail").fill("a@b.example");
  await field(page, "site").fill("https://b.example");
  await field(page, "amount").fill("1.50");
  await page.getByRole("radio", { name: "false" }).click();
  await choose(page, "color", "Green");
  const list = page.getByRole("group", { name: "list" });
  for (const [i, value] of ["10", "20", "30"].entries()) {
    await button(page, "Add to list").click();
    await field(list, `list ${i + 1}`).fill(value);
  }
  await button(list, "Move up").last().click();
  await button(list, "Remove").first().click();
  await button(page, "Fill in inner").click();
  await field(page, "street").fill("Main");
  await button(page, "More for maybe").click();
  await page.getByRole("menuitem", { name: "Send null" }).click();
  await page.getByText("null is sent.").waitFor();
  const kinds = page.getByRole("radiogroup", { name: "Kind of anything" });
  await kinds.getByRole("radio", { name: "JSON" }).click();
  await field(page, "anything").fill("[1, 2");
  await press(page, "Call");
  await page
    .getByText(/Line 1, column 6/)
    .first()
    .waitFor();
  await field(page, "anything").fill('{ "a": 1 }');
  const shown = (await called(page)).getByRole("region", { name: "Text" });
  expect(JSON.parse((await shown.textContent()) ?? "")).toEqual({
    text: "abc",
    maybe: null,
    moment: new Date("2026-02-03T04:05:06").toISOString().replace(".000Z", "Z"),
    day: "2026-02-03",
    mail: "a@b.example",
    site: "https://b.example",
    amount: 1.5,
    flag: false,
    color: "g",
    list: [30, 20],
    inner: { street: "Main" },
    anything: { a: 1 },
  });
  await field(page, "street").fill("");
  await page.getByRole("radio", { name: "Not set" }).click();
  await button(page, "More for color").click();
  await page.getByRole("menuitem", { name: "Clear" }).click();
  await field(page, "mail").fill("");
  await called(page);
  await expect.poll(() => shown.textContent()).not.toContain("Main");
  expect(Object.keys(JSON.parse((await shown.textContent()) ?? "") as object)).not.toContain("mail");
  expect(problems).toEqual([]);
});
