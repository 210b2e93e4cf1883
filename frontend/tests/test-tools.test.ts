// Tests of calls of tools in the inspector.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { launch, visit, type View } from "./support/browser.ts";
import { binary, TestHub } from "./support/hub.ts";
import {
  addEverything,
  button,
  called,
  cancelQuestions,
  choose,
  field,
  press,
  result,
  tab,
  tool,
} from "./support/inspector.ts";

let browser: Browser;
let hub: TestHub;
let id: number;
/** The file with all messages that the hub sent to the server. */
let heard: string;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  heard = join(hub.folder, "heard");
  id = await addEverything(hub, heard);
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

test("a server that is not always listed is started, and a tool is called with its form", async () => {
  const { page, problems } = await open("/test");
  await page.getByText("Inspect a server").waitFor();
  await choose(page, "Server to inspect", /everything.*New/);
  await page.getByText("Starting everything…").waitFor();
  await tool(page, "echo");
  await page.getByText("read-only").waitFor();
  await button(page, "Call").click();
  await page.getByText("This is required.").waitFor();
  expect(await field(page, "message").evaluate((field) => field === document.activeElement)).toBe(true);
  await button(page, "More for message").click();
  await page.getByRole("menuitem", { name: "Several lines" }).click();
  await field(page, "message").fill("hello\nworld");
  const shown = await called(page);
  await shown.getByText("Echo: hello").waitFor();
  expect(await shown.getByText(/\d+ B$/).count()).toBe(1);
  expect(await shown.getByText(/about \d+ tokens/).count()).toBe(1);
  expect((await hub.rest<{ active: boolean }>("GET", `/api/servers/${id}`)).active).toBe(false);

  await field(page, "message").fill("again");
  await called(page);
  await shown.getByText("Echo: again").waitFor();
  await button(shown, /done.*hello/).click();
  await shown.getByText("Echo: hello").waitFor();
  await button(shown, "Repeat").last().click();
  await shown.getByRole("listitem").nth(2).waitFor();
  expect(await field(page, "message").inputValue()).toBe("hello\nworld");

  await page.reload();
  await page.getByRole("heading", { name: "Echo Tool" }).waitFor();
  expect(page.url()).toContain("#/test/everything?tool=echo");
  expect(problems).toEqual([]);
});

test("values are kept between form and JSON, and problems appear at their field", async () => {
  const { page, problems } = await open("/test/everything?tool=get-sum");
  await field(page, "a").fill("2");
  await field(page, "b").fill("x");
  await press(page, "Call");
  await page.getByText("This must be a number.").waitFor();
  await field(page, "b").fill("40.5");
  await (await called(page)).getByText("The sum of 2 and 40.5 is 42.5").waitFor();

  await page.getByRole("radio", { name: "JSON" }).click();
  const json = page.getByLabel("Arguments as JSON");
  expect(JSON.parse(await json.inputValue())).toEqual({ a: 2, b: 40.5 });
  await json.fill('{\n  "a": 1,\n  "b": ,\n}');
  await page.getByText("Line 3, column 8: expected a value").waitFor();
  await json.fill('{"a": 1, "b": "text"}');
  await page.getByText("/b").waitFor();
  await called(page);
  await result(page).getByText("The tool reported an error").waitFor();
  await json.fill('{"a": 5, "b": 6, "extra": true}');
  await page.getByRole("radio", { name: "Form" }).click();
  expect(await field(page, "a").inputValue()).toBe("5");
  await page.getByText("extra: true").waitFor();
  expect(problems).toEqual([]);
});

test("results of each kind are shown: images, structured content, annotations and links to resources", async () => {
  const { page, problems } = await open("/test/everything?tool=get-tiny-image");
  const image = (await called(page)).getByRole("img", { name: "Returned by the server" });
  await image.waitFor();
  expect(await image.evaluate((element: HTMLImageElement) => element.complete && element.naturalWidth > 0)).toBe(true);

  await tool(page, "get-structured-content");
  await choose(page, /^location/, "Chicago");
  const shown = await called(page);
  await shown.getByRole("region", { name: "Structured content" }).first().getByText('"humidity": 82').waitFor();

  await tool(page, "get-annotated-message");
  await choose(page, /^messageType/, "error");
  await page.getByRole("radio", { name: "true" }).click();
  await called(page);
  await shown.getByText("for user and assistant, priority 1").waitFor();
  await shown.getByRole("img", { name: "Returned by the server" }).waitFor();
  await shown.getByRole("radio", { name: "Raw" }).click();
  await shown.getByText('"priority": 1').waitFor();
  await button(shown, "Copy result").click();
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toHaveProperty("content");
  const saved = page.waitForEvent("download");
  await button(shown, "Save result as file").click();
  const file = JSON.parse(readFileSync(await (await saved).path(), "utf8")) as { name: string; result: object };
  expect(file).toMatchObject({
    name: "get-annotated-message",
    result: { content: [{ type: "text" }, { type: "image" }] },
  });

  await tool(page, "get-resource-links");
  await field(page, "count").fill("2");
  await button(await called(page), "Read")
    .last()
    .click();
  await page.getByRole("region", { name: "Resource", exact: true }).getByText("demo://resource").first().waitFor();
  expect(page.url()).toContain("tab=resources");
  expect(problems).toEqual([]);
});

test("long calls show their progress, and a cancellation reaches the server", async () => {
  const { page, problems } = await open("/test/everything?tool=trigger-long-running-operation");
  expect(await field(page, "steps").inputValue()).toBe("5");
  await field(page, "duration").fill("120");
  await field(page, "steps").fill("100");
  await press(page, "Call");
  await page.getByText(/\b[1-9]\d* of 100\b/).waitFor();
  const bar = page.getByRole("progressbar");
  await expect.poll(async () => Number(await bar.getAttribute("aria-valuenow"))).toBeGreaterThan(0);
  await press(page, "Cancel");
  await result(page).getByText("Cancelled.").waitFor();
  await expect.poll(() => readFileSync(heard, "utf8")).toContain("notifications/cancelled");

  await field(page, "duration").fill("1");
  await field(page, "steps").fill("4");
  await press(page, "Call");
  await result(page)
    .getByText(/completed. Duration: 1 seconds, Steps: 4/)
    .waitFor();
  await tab(page, "Events");
  await page.getByText(/trigger-long-running-operation · 4 of 4/).waitFor();
  expect(problems).toEqual([]);
});

test("presets are saved, used, deleted and restored", async () => {
  const { page, problems } = await open("/test/everything?tool=echo");
  await field(page, "message").fill("kept words");
  await press(page, "Presets");
  await page.getByText("No presets for this tool yet.").waitFor();
  await page.getByLabel("Preset name").fill("mine");
  await page.keyboard.press("Enter");
  const presets = page.getByRole("list", { name: "Presets" });
  await presets.getByText("mine").waitFor();
  await page.keyboard.press("Escape");
  await press(page, "Reset to defaults");
  expect(await field(page, "message").inputValue()).toBe("");
  await press(page, "Presets");
  await button(presets, "mine").first().click();
  expect(await field(page, "message").inputValue()).toBe("kept words");
  await press(page, "Presets");
  await button(presets, "Delete mine").click();
  await page.getByText("No presets for this tool yet.").waitFor();
  await press(page, "Undo");
  await presets.getByText("mine").waitFor();
  expect(problems).toEqual([]);
});

test("the cURL command repeats the call in a shell", async () => {
  const { page, problems } = await open("/test/everything?tool=echo");
  await field(page, "message").fill(`it's "quoted" $HOME \`id\` \\ é\n@file`);
  const shown = await called(page);
  await shown.getByRole("radio", { name: "Raw" }).click();
  const raw = JSON.parse((await shown.getByRole("region", { name: "Raw result" }).textContent()) ?? "") as object;
  await shown.getByRole("radio", { name: "cURL" }).click();
  const command = (await shown.getByRole("region", { name: "cURL command" }).textContent()) ?? "";
  expect(command).not.toContain(hub.info.token);
  // This curl also records its arguments, which other users of the machine can see.
  const bin = mkdtempSync(join(tmpdir(), "curl-"));
  const argv = join(bin, "arguments");
  const real = execFileSync("sh", ["-c", "command -v curl"], { encoding: "utf8" }).trim();
  writeFileSync(join(bin, "curl"), `#!/bin/sh\nprintf '%s\\n' "$@" >'${argv}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
  for (const shell of ["sh", "bash"]) {
    const output = execFileSync(shell, ["-c", command], {
      env: { ...process.env, AGENT_DISCOVER_HOME: hub.folder, PATH: `${bin}:${dirname(binary)}:${process.env.PATH}` },
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual(raw);
    const seen = readFileSync(argv, "utf8");
    for (const secret of [hub.info.token, "quoted"]) expect(seen).not.toContain(secret);
  }
  rmSync(bin, { recursive: true });
  expect(problems).toEqual([]);
});

test("arguments in the address fill the form", async () => {
  const args = encodeURIComponent(JSON.stringify({ a: 3, b: 4 }));
  const { page, problems } = await open(`/test/everything?tool=get-sum&args=${args}`);
  await (await called(page)).getByText("The sum of 3 and 4 is 7").waitFor();
  await page.evaluate(() => (location.hash = "/test/everything?tool=get-sum&args=nonsense"));
  await page.getByText("The arguments in the address are not a JSON object.").waitFor();
  expect(problems).toEqual([]);
});
