import { expect, test } from "vitest";
import { expectAccessible } from "./support/browser.ts";
import { inspected } from "./support/inspected.ts";
import { button, choose, field, press, tab } from "./support/inspector.ts";

const at = inspected();
const { open } = at;

test("a call runs as a task, whose state is followed and whose result is shown", async () => {
  const { page, problems } = await open("/test/everything?tool=simulate-research-query");
  await page.getByText("runs as a task").waitFor();
  await field(page, "topic").fill("turtles");
  await press(page, "Call");
  await press(page, "Show tasks");
  const tasks = page.getByRole("list", { name: "Tasks" });
  await tasks.getByText("completed", { exact: true }).waitFor();
  await expectAccessible(page, "tasks");
  await button(tasks, "Result").click();
  await tasks
    .getByText(/turtles/)
    .first()
    .waitFor();

  await tab(page, "Tools");
  await press(page, "Call");
  await press(page, "Show tasks");
  await button(tasks, "Cancel task").click();
  await tasks.getByText("cancelled", { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

test("any request is sent and sent again, and errors are shown", async () => {
  const { page, problems } = await open("/test/everything?tab=messages");
  const form = page.getByRole("form", { name: "Request" });
  const log = page.getByRole("log", { name: "Messages" });
  await press(page, "New request");
  await form.getByLabel("Method").fill("resources/templates/list");
  await form.getByLabel("Parameters").fill("[");
  expect(await button(form, "Send request").isDisabled()).toBe(true);
  await form.getByLabel("Parameters").fill('{"cursor": ""}');
  await press(page, "Send request");
  await log.getByRole("button", { name: /to the server resources\/templates\/list/ }).waitFor();
  await expectAccessible(page, "a request");
  await form.getByLabel("Method").fill("no/such");
  await press(page, "Send request");
  await form.getByText("(code -32601)").waitFor();
  await press(page, "Close");
  await form.waitFor({ state: "detached" });

  await choose(page, "Method", "resources/templates/list");
  await log.getByRole("button", { name: /to the server/ }).click();
  await press(page, "Send again…");
  expect(await form.getByLabel("Method").inputValue()).toBe("resources/templates/list");
  expect(JSON.parse(await form.getByLabel("Parameters").inputValue())).toEqual({ cursor: "" });
  expect(problems).toEqual([]);
});

test("the version of the protocol and the capabilities of both sides are shown", async () => {
  const { page, problems } = await open("/test/everything?tab=server");
  const server = page.getByRole("region", { name: "Server", exact: true });
  await server.getByText("2025-11-25, with a session").waitFor();
  await server.getByText("What Agent Discover declares").click();
  await server.getByRole("region", { name: "What Agent Discover declares" }).getByText('"elicitation"').waitFor();
  expect(problems).toEqual([]);
});
