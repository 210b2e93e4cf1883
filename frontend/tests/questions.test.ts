import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Agent } from "./support/agent.ts";
import { expectAccessible, launch, pick, toast, visit } from "./support/browser.ts";
import { TestHub } from "./support/hub.ts";
import { addEverything, button, cancelQuestions, press } from "./support/inspector.ts";

let browser: Browser;
let hub: TestHub;
let agent: Agent;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  const id = await addEverything(hub, join(hub.folder, "heard"));
  await hub.rest("POST", `/api/servers/${id}/activate`);
  agent = await Agent.join(hub, "an editor");
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await cancelQuestions(hub);
});

/** call lets the agent call a tool of the server that asks something. */
const call = async (tool: string, args: object = {}): Promise<string> => {
  const { result, error } = await agent.ask("tools/call", { name: `everything__${tool}`, arguments: args });
  return error?.message ?? result?.content?.map(({ text }) => text).join("\n") ?? "";
};
const form = (page: Page) => page.getByRole("dialog", { name: "everything asks for input" });
const remember = (page: Page, what: RegExp) =>
  pick(page.getByRole("dialog").getByRole("combobox", { name: /^Remember/ }), what);

test("a question says who asks and how long it waits, survives without a window, and the call goes on", async () => {
  const first = await visit(browser, hub, "/overview");
  const answer = call("trigger-elicitation-request");
  await form(first.page).getByText("in a call of an editor").waitFor();
  await first.context.close();

  const { page, problems } = await visit(browser, hub, "/servers");
  const dialog = form(page);
  await dialog.getByText(/^(10:00|9:\d\d) left$/).waitFor();
  await expectAccessible(page, "a question of an agent's call");
  await dialog.getByRole("textbox", { name: "String (required)" }).fill("Ada");
  await press(page, "Accept and send");
  expect(await answer).toContain("Name: Ada");
  expect(problems).toEqual([]);
});

test("two questions at once are answered one after the other", async () => {
  const { page } = await visit(browser, hub, "/overview");
  const asked = [call("trigger-elicitation-request"), call("trigger-elicitation-request")];
  await page.getByText("1 more question after this one").waitFor();
  for (let i = 0; i < asked.length; i++) await form(page).getByRole("button", { name: "Decline" }).click();
  await form(page).waitFor({ state: "hidden" });
  for (const answer of await Promise.all(asked)) expect(answer).toContain("declined");
});

test("a question whose call is cancelled disappears", async () => {
  const { page, problems } = await visit(browser, hub, "/overview");
  void call("trigger-elicitation-request");
  await form(page).waitFor();
  agent.cancel();
  await form(page).waitFor({ state: "hidden" });
  await toast(page, "everything does not need an answer any more");
  expect(problems).toEqual([]);
});

test("a request for sampling shows the messages and the wishes, and can be refused for good", async () => {
  const { page, problems } = await visit(browser, hub, "/overview");
  const answer = call("trigger-sampling-request", { prompt: "What is it?", maxTokens: 42 });
  const dialog = page.getByRole("dialog", { name: "everything asks for a message from a model" });
  await dialog.getByLabel("Wishes for the model").getByText("at most 42 tokens").waitFor();
  await press(page, "Copy messages");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    "system:\nYou are a helpful test server.",
  );
  await remember(page, /Always/);
  await dialog.getByText("all requests for messages of everything are declined").waitFor();
  await expectAccessible(page, "a request for sampling of an agent's call");
  await press(page, "Decline");
  expect(await answer).toMatch(/rejected/);
  expect(await call("trigger-sampling-request", { prompt: "And that?" })).toMatch(/rejected/);

  await page.goto(`${page.url().split("#")[0]}#/approvals`);
  const answers = page.getByRole("list", { name: "Remembered answers" });
  await answers.getByText("all requests for messages").waitFor();
  await expectAccessible(page, "remembered answers");
  await button(answers, "Forget").click();
  await answers.waitFor({ state: "detached" });
  const again = call("trigger-sampling-request", { prompt: "And now?" });
  await dialog.waitFor();
  await press(page, "Decline");
  await again;
  expect(problems).toEqual([]);
});

test("an accepted form is remembered for the session, and listed with its values on the page of the server", async () => {
  const { page, problems } = await visit(browser, hub, "/servers/everything");
  const answer = call("trigger-elicitation-request");
  const dialog = form(page);
  await dialog.getByRole("textbox", { name: "String (required)" }).fill("Grace");
  await remember(page, /Until an editor leaves/);
  await press(page, "Accept and send");
  expect(await answer).toContain("Name: Grace");
  expect(await call("trigger-elicitation-request")).toContain("Name: Grace");
  const answers = page.getByRole("list", { name: "Remembered answers" });
  await answers.getByText("until an editor leaves").waitFor();
  await answers.getByText("Values").click();
  await answers.getByText('"Grace"').waitFor();
  await button(answers, "Forget").click();
  await answers.waitFor({ state: "detached" });
  const again = call("trigger-elicitation-request");
  await dialog.waitFor();
  await press(page, "Decline");
  await again;
  expect(problems).toEqual([]);
});
