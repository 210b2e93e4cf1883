import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { Agent } from "./support/agent.ts";
import { expectAccessible, hold, pick, toast } from "./support/browser.ts";
import { inspected } from "./support/inspected.ts";
import { button, press } from "./support/inspector.ts";

let agent: Agent;

const at = inspected(async (hub, everything) => {
  await hub.rest("POST", `/api/servers/${everything}/activate`);
  agent = await Agent.join(hub, "an editor");
});

afterAll(() => agent[Symbol.asyncDispose]());

/** call lets the agent call a tool of the server that asks something. */
const call = async (tool: string, args: object = {}): Promise<string> => {
  const { result, error } = await agent.ask("tools/call", { name: `everything__${tool}`, arguments: args });
  return error?.message ?? result?.content?.map(({ text }) => text).join("\n") ?? "";
};
const form = (page: Page) => page.getByRole("dialog", { name: "everything asks for input" });
const remember = (page: Page, what: RegExp) =>
  pick(page.getByRole("dialog").getByRole("combobox", { name: /^Remember/ }), what);

test("a question says who asks and how long it waits, survives without a window, and the call goes on", async () => {
  const first = await at.open("/overview");
  const answer = call("trigger-elicitation-request");
  await form(first.page).getByText("in a call of an editor").waitFor();
  await first.context.close();

  const { page, problems } = await at.open("/servers");
  const dialog = form(page);
  await dialog.getByText(/^(10:00|9:\d\d) left$/).waitFor();
  await expectAccessible(page, "a question of an agent's call");
  await dialog.getByRole("textbox", { name: "String (required)" }).fill("Ada");
  await press(page, "Accept and send");
  expect(await answer).toContain("Name: Ada");
  expect(problems).toEqual([]);
});

test("a question that arrives while the page loads the list of questions stays", async () => {
  const list = hold("**/api/elicitations");
  const { page } = await at.open("/overview", list);
  const answer = call("trigger-elicitation-request");
  await form(page).waitFor();
  await list.release(page); // an answer without the question
  await form(page).getByRole("button", { name: "Decline" }).click();
  expect(await answer).toContain("declined");
  await form(page).waitFor({ state: "hidden" });
});

test("two questions at once are answered one after the other", async () => {
  const { page } = await at.open("/overview");
  const asked = [call("trigger-elicitation-request"), call("trigger-elicitation-request")];
  await page.getByText("1 more question after this one").waitFor();
  for (let i = 0; i < asked.length; i++) await form(page).getByRole("button", { name: "Decline" }).click();
  await form(page).waitFor({ state: "hidden" });
  for (const answer of await Promise.all(asked)) expect(answer).toContain("declined");
});

test("a question whose call is cancelled disappears", async () => {
  const { page, problems } = await at.open("/overview");
  void call("trigger-elicitation-request");
  await form(page).waitFor();
  agent.cancel();
  await form(page).waitFor({ state: "hidden" });
  await toast(page, "everything does not need an answer any more");
  expect(problems).toEqual([]);
});

test("a call that needs approval shows its arguments, and can be approved for good until that is undone", async () => {
  const rules = "discovery:\n  approval: {rules: [{server: everything, pattern: echo, ask: true}]}\n";
  writeFileSync(join(at.hub.folder, "config.yaml"), rules);
  await at.hub.rest("POST", "/api/config/reload");
  const { page, problems } = await at.open("/overview");
  const dialog = page.getByRole("dialog", { name: "everything has a tool that needs your approval" });
  const answer = call("echo", { message: "what is shown" });
  await dialog.getByText("an editor wants to call the tool echo of everything.").waitFor();
  await dialog.getByLabel("Arguments of the call").getByText("what is shown").waitFor();
  await pick(dialog.getByRole("combobox", { name: /^Approve later calls/ }), /Always/);
  await dialog.getByText("until the definition of the tool changes").waitFor();
  await expectAccessible(page, "a call that needs approval");
  await press(page, "Approve");
  expect(await answer).toContain("what is shown");
  expect(await call("echo", { message: "the next" })).toContain("the next");

  await page.goto(`${page.url().split("#")[0]}#/approvals`);
  const approved = page.getByRole("list", { name: "Approved tools" });
  await approved.getByText("echo").waitFor();
  await expectAccessible(page, "approved tools");
  await press(page, "Ask again");
  await approved.waitFor({ state: "hidden" });
  const refused = call("echo", { message: "once more" });
  await press(page, "Refuse");
  expect(await refused).toContain("the user refused this call");
  expect(problems).toEqual([]);
});

test("a request for sampling shows the messages and the wishes, and can be refused for good", async () => {
  const { page, problems } = await at.open("/overview");
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
  const { page, problems } = await at.open("/servers/everything");
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
