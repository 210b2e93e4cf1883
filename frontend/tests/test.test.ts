import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, visit, type View } from "./support/browser.ts";
import { binary, malicious, packaged, TestHub } from "./support/hub.ts";
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

test("an inactive server is started, and a tool is called with its form", async () => {
  const { page, problems } = await open("/test");
  await page.getByText("Inspect a server").waitFor();
  await choose(page, "Server to inspect", /everything.*Stopped/);
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

test("lists show titles with the names beside them, and can be searched by both", async () => {
  const { page, problems } = await open("/test/everything");
  const row = (list: string, name: string) => button(page.getByRole("group", { name: list }), name);
  await row("Tools", "Get Tiny Image Tool get-tiny-image").waitFor();
  await page.getByLabel("Search tools").fill("tiny image tool");
  await expect.poll(() => page.getByRole("group", { name: "Tools" }).getByRole("button").count()).toBe(1);
  await tab(page, "Prompts");
  await row("Prompts", "Arguments Prompt args-prompt").waitFor();
  await page.evaluate(() => (location.hash = "/test/everything?tab=resources&list=templates"));
  await page.getByLabel("Search resources").fill("dynamic text");
  await row("Templates", "Dynamic Text Resource").waitFor();
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

test("resources are listed, read as text and bytes, expanded from templates, and subscribed to", async () => {
  const { page, problems } = await open("/test/everything?tab=resources");
  await button(page.getByRole("group", { name: "Resources" }), "architecture.md").click();
  const shown = page.getByRole("region", { name: "Resource", exact: true });
  await shown.getByText("Everything Server – Architecture").first().waitFor();

  await page.getByRole("radio", { name: "Templates" }).click();
  await button(page.getByRole("group", { name: "Templates" }), /Text/)
    .first()
    .click();
  await field(page, "resourceId").fill("3");
  await page.getByText("Reads demo://resource/dynamic/text/3").waitFor();
  await button(page, "Read resource").click();
  await shown
    .getByText(/Resource 3/)
    .first()
    .waitFor();

  await button(page.getByRole("group", { name: "Templates" }), /Blob/)
    .first()
    .click();
  await field(page, "resourceId").fill("2");
  await button(page, "Read resource").click();
  await shown.getByText(/of binary data/).waitFor();
  const saved = page.waitForEvent("download");
  await button(shown, "Save as file").click();
  expect(readFileSync(await (await saved).path(), "utf8")).toContain("Resource 2");

  await button(shown, "Subscribe").click();
  await shown.getByText("No change yet").waitFor();
  await tab(page, "Tools");
  await tool(page, "toggle-subscriber-updates");
  await (await called(page)).getByText(/Started simulated resource updated/).waitFor();
  await tab(page, "Resources");
  await shown.getByText("This resource has changed").waitFor();
  await button(shown, "Reload").click();
  await shown.getByText("This resource has changed").waitFor({ state: "hidden" });
  await shown.getByText(/Changed at/).waitFor();
  await button(shown, "Unsubscribe").click();
  await button(shown, "Subscribe").waitFor();
  expect(problems).toEqual([]);
});

test("prompts become messages, with arguments from a form, and have their own presets", async () => {
  const { page, problems } = await open("/test/everything?tab=prompts");
  await button(page.getByRole("group", { name: "Prompts" }), "args-prompt").click();
  await button(page, "Get prompt").click();
  await page.getByText("This is required.").waitFor();
  await field(page, "city").fill("Lisbon");
  await button(page, "Get prompt").click();
  const messages = page.getByRole("list", { name: "Messages" });
  await messages.getByText("What's weather in Lisbon?").waitFor();
  await messages.getByText("user", { exact: true }).waitFor();
  await press(page, "Presets");
  await page.getByLabel("Preset name").fill("Portugal");
  await press(page, "Save preset");
  await page.getByRole("list", { name: "Presets" }).getByText("Portugal").waitFor();
  const { entries } = await hub.rest<{ entries: object[] }>("GET", "/api/presets?kind=prompt");
  expect(entries).toMatchObject([{ target_name: "args-prompt", payload: { city: "Lisbon" } }]);
  expect(problems).toEqual([]);
});

test("arguments of prompts and variables of templates are completed by the server", async () => {
  const { page, problems } = await open("/test/everything?tab=prompts&prompt=completable-prompt");
  const combobox = (name: string) => page.getByRole("combobox", { name: new RegExp(`^${name}\\b`) });
  await combobox("department").focus();
  const options = page.getByRole("listbox").getByRole("option");
  await expect.poll(() => options.allTextContents()).toEqual(["Engineering", "Sales", "Marketing", "Support"]);
  await expectAccessible(page, "suggestions");
  await page.keyboard.type("S");
  await expect.poll(() => options.allTextContents()).toEqual(["Sales", "Support"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  expect(await combobox("department").inputValue()).toBe("Support");
  await combobox("name").focus();
  await page.getByRole("option", { name: "Kim" }).click();
  await page.keyboard.press("Enter");
  await page.getByText("Please promote Kim to the head of the Support team.").waitFor();
  await page.evaluate(() => (location.hash = "/test/everything?tab=resources&list=templates"));
  await button(page.getByRole("group", { name: "Templates" }), /Text/)
    .first()
    .click();
  await combobox("resourceId").fill("1");
  const asked = () =>
    readFileSync(heard, "utf8")
      .split("\n")
      .some((line) => ["completion/complete", '"ref/resource"', '"resourceId"'].every((part) => line.includes(part)));
  await expect.poll(asked, { timeout: 20_000 }).toBe(true);
  await button(page, "Read resource").click();
  await page
    .getByText(/Resource 1/)
    .first()
    .waitFor();
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

test("the server tab shows the description, pings, sets the log level, and exports four formats", async () => {
  const { page, problems } = await open("/test/everything?tab=server");
  await page.getByText("mcp-servers/everything").waitFor();
  await page.getByRole("heading", { name: "Everything Server – Server Instructions" }).waitFor();
  await press(page, "Ping");
  await page
    .getByRole("list", { name: "Pings" })
    .getByText(/answered in/)
    .waitFor();
  for (const [name, part] of [
    ["mcp.json", '"mcpServers"'],
    ["Claude Code", '"type": "stdio"'],
    ["Cursor", '"mcpServers"'],
    ["Setup file", '"auto_activate"'],
  ] as const) {
    await page.getByRole("radio", { name }).click();
    await page.getByRole("region", { name: "Configuration text" }).getByText(part).waitFor();
  }
  const saved = page.waitForEvent("download");
  await button(page, "Save as file").click();
  expect(JSON.parse(readFileSync(await (await saved).path(), "utf8"))).toHaveProperty("servers");

  await choose(page, "Log level", "debug");
  await tab(page, "Tools");
  await tool(page, "toggle-simulated-logging");
  await called(page);
  await tab(page, "Events");
  await choose(page, "Event kind", "Log messages");
  const log = page.getByRole("log");
  const message = log.getByRole("button", { name: /-level message/i }).first();
  await message.waitFor();
  await message.click();
  await log.getByText('"level"').waitFor();
  const events = page.waitForEvent("download");
  await press(page, "Export");
  const file = JSON.parse(readFileSync(await (await events).path(), "utf8")) as object[];
  expect(file[0]).toMatchObject({ kind: "log" });
  await page.getByLabel("Search events").fill("nothing like this");
  await page.getByText("No matching events").waitFor();
  await press(page, "Clear");
  await page.getByText("No events yet").waitFor();
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

test("an ad-hoc server is called, counts down, survives a reload, and is ended", async () => {
  const { page, problems } = await open("/test", { expected: /status of (500|504|404)/ });
  await button(page, "Start ad-hoc server").first().click();
  const dialog = page.getByRole("dialog", { name: "Inspect an ad-hoc server" });
  await dialog.getByLabel("Command line").fill("/no/such/program --flag");
  await press(page, "Start server");
  await dialog.getByText("The server did not start").waitFor();
  await dialog.getByLabel("Command line").fill(
    packaged("everything")
      .map((word) => `'${word}'`)
      .join(" "),
  );
  await dialog.getByLabel("Environment").fill("no pair");
  await dialog.getByText("Line 1: expected NAME=value.").waitFor();
  await dialog.getByLabel("Environment").fill("AD_HOC=seen there");
  await expectAccessible(page, "the dialog of an ad-hoc server");
  await press(page, "Start server");
  await page.getByRole("timer").waitFor();
  expect(await page.getByRole("timer").textContent()).toMatch(/^1[45]:\d\d left$/);
  await tool(page, "get-env");
  await (await called(page)).getByText(/"AD_HOC": "seen there"/).waitFor();
  expect(await hub.rest<object[]>("GET", "/api/servers")).toHaveLength(1);
  // A command line may contain credentials, so what is kept names only the program.
  const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  expect(kept).toContain('\\"label\\":\\"node\\"');
  expect(kept).not.toContain("server-everything");

  // The page finds the ad-hoc server in session storage before it has signed in.
  const gate = Promise.withResolvers<void>();
  await page.route(/\/session\/challenge/, (route) => gate.promise.then(() => route.continue()));
  await page.reload();
  await page.getByRole("timer").waitFor();
  gate.resolve();
  await page.getByRole("heading", { name: "Print Environment Tool" }).waitFor();
  await press(page, "End server");
  await page.getByText("Inspect a server").waitFor();
  expect(await page.getByRole("timer").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("the inspector opens in a separate window without the menu", async () => {
  const { page, problems } = await open("/test/everything?tool=echo");
  const [popup] = await Promise.all([page.waitForEvent("popup"), button(page, "Open in a separate window").click()]);
  popup.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await popup.getByRole("heading", { level: 1, name: "Inspector: everything" }).waitFor();
  await tool(popup, "echo");
  await field(popup, "message").fill("from the window");
  await (await called(popup)).getByText("Echo: from the window").waitFor();
  expect(await popup.getByRole("navigation").count()).toBe(0);
  await popup.reload();
  await popup.getByRole("heading", { name: "Echo Tool" }).waitFor();
  expect(await popup.getByRole("navigation").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("a tool is found, called and repeated by keyboard alone", async () => {
  const { page, problems } = await open("/test/everything");
  await page.getByRole("group", { name: "Tools" }).getByRole("button").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("echo");
  const rows = page.getByRole("group", { name: "Tools" }).getByRole("button");
  await expect.poll(() => rows.count()).toBe(1);
  await page.keyboard.press("Escape");
  await expect.poll(() => rows.count()).toBeGreaterThan(10);
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toContain("simulate-research-query");
  await page.keyboard.press("Home");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("echo");
  await page.keyboard.press("Enter");
  await field(page, "message").waitFor();
  const focused = () => field(page, "message").evaluate((element) => element === document.activeElement);
  while (!(await focused())) await page.keyboard.press("Tab");
  await page.keyboard.type("typed");
  await page.keyboard.press("Control+Enter");
  await result(page).getByText("Echo: typed").waitFor();
  expect(problems).toEqual([]);
});

for (const theme of ["light", "dark"] as const) {
  test(`every view of the inspector is accessible in ${theme} and fits narrow and wide windows`, async () => {
    const { page, problems } = await open("/test", { theme });
    await expectAccessible(page, `nothing chosen, ${theme}`);
    const places = [
      "?tool=get-annotated-message",
      "?tab=resources&list=templates",
      "?tab=resources&uri=demo%3A%2F%2Fresource%2Fdynamic%2Ftext%2F1",
      "?tab=prompts&prompt=args-prompt",
      "?tab=events",
      "?tab=server",
    ];
    for (const place of places) {
      await page.evaluate((to) => (location.hash = to), `/test/everything${place}`);
      await page.getByRole("tabpanel").waitFor();
      if (place.includes("tool=")) {
        await page.getByLabel("messageType").waitFor();
        await press(page, "Call");
        await page.getByText("This is required.").waitFor();
      }
      await expectAccessible(page, `${place}, ${theme}`);
      for (const width of [400, 1600]) {
        await page.setViewportSize({ width, height: 800 });
        const over = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        await expect.poll(over, { message: `${place} at ${width}`, timeout: 20_000 }).toBeLessThanOrEqual(0);
      }
    }
    expect(problems).toEqual([]);
  });
}

test("a malicious server is shown as text and breaks nothing", async () => {
  await hub.rest("POST", "/api/servers", { name: "hostile", command: malicious()[0], args: malicious().slice(1) });
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

test("a failed start is explained and can be retried", async () => {
  await hub.rest("POST", "/api/servers", { name: "broken", command: "/usr/bin/false", args: [] });
  const { page, problems } = await open("/test/broken", { expected: /status of 500/ });
  await page.getByText("Could not start broken").waitFor();
  await expectAccessible(page, "a server that does not start");
  const again = page.waitForResponse(/\/api\/servers\/\d+\/refresh$/);
  await press(page, "Try again");
  expect((await again).status()).toBe(500);
  await page.getByText("Could not start broken").waitFor();
  await page.evaluate(() => (location.hash = "/test/nobody"));
  await page.getByText("Server not found").waitFor();
  expect(problems).toEqual([]);
});
