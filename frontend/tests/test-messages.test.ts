import { expect, test } from "vitest";
import { expectAccessible } from "./support/browser.ts";
import { inspected } from "./support/inspected.ts";
import { button, called, choose, field, press, tab, tool } from "./support/inspector.ts";

const at = inspected();
const { open } = at;

test("the messages in both directions are listed, filtered, shown, copied and sent again", async () => {
  const { page, problems } = await open("/test/everything?tab=messages");
  const log = page.getByRole("log", { name: "Messages" });
  const row = (name: RegExp) => log.getByRole("button", { name });
  await choose(page, "Method", "initialize"); // the list scrolls, so that only the last messages may be on the page
  await row(/to the server initialize/).waitFor();
  await row(/from the server initialize answer/).waitFor();
  await tab(page, "Tools");
  await tool(page, "get-sum");
  await field(page, "a").fill("2");
  await field(page, "b").fill("40");
  await (await called(page)).getByText("The sum of 2 and 40 is 42").waitFor();
  await tab(page, "Messages");
  await choose(page, "Method", "tools/call");
  await row(/from the server tools\/call answer/).waitFor();
  await choose(page, "Direction", "To the server");
  await row(/from the server/).waitFor({ state: "detached" });
  await row(/to the server tools\/call/).click();
  const text = log.getByRole("region", { name: "Message" });
  await text.getByText('"name": "get-sum"').waitFor();
  await expectAccessible(page, "messages");
  await press(page, "Copy");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(JSON.parse(copied)).toMatchObject({ method: "tools/call", params: { arguments: { a: 2, b: 40 } } });
  await press(page, "Send again…");
  expect(await field(page, "b").inputValue()).toBe("40");
  await field(page, "b").fill("41");
  await (await called(page)).getByText("The sum of 2 and 41 is 43").waitFor();
  await tab(page, "Messages");
  await page.getByLabel("Search messages").fill("is 43");
  await page.getByText("1 message", { exact: true }).waitFor();
  await row(/from the server tools\/call answer/).waitFor();
  await page.getByLabel("Search messages").fill("nothing like this");
  await page.getByText("No matching messages").waitFor();
  await press(page, "Clear");
  await page.getByText("No messages", { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

test("messages are recorded only while somebody inspects the server", async () => {
  const { page, context } = await open("/test/everything?tab=messages");
  await page.getByRole("log", { name: "Messages" }).waitFor();
  await context.close();
  // Omit answers, because their order varies: if a server starts slowly, its answer to server/discover comes only
  // after the hub has sent initialize.
  const kept = async () => {
    const { messages } = await at.hub.rest<{ messages: { method?: string }[] }>("GET", "/api/servers/1/messages");
    return messages.flatMap(({ method }) => method ?? []);
  };
  const keptAfterACall = async () => {
    await at.hub.rest("POST", "/api/servers/1/call", { tool: "echo", args: { message: "unseen" } });
    return kept();
  };
  await expect.poll(keptAfterACall).toEqual(["server/discover", "initialize", "notifications/initialized"]);
});

test("a shared process has fixed roots, and a process for the test gets its own", async () => {
  const { page, problems } = await open("/test/everything?tab=server");
  const roots = page.getByRole("region", { name: "Roots" });
  await roots.getByText("No roots.").waitFor();
  await roots.getByText("All clients share this process").waitFor();
  await button(roots, "Test in its own process").click();
  await roots.getByLabel("Folder or file:// URI").fill("/srv/my notes");
  await button(roots, "Add root").click();
  await roots.getByText("file:///srv/my%20notes").waitFor();
  await expectAccessible(page, "roots");
  await tab(page, "Events");
  await button(page, /The server asked for its roots/)
    .first()
    .waitFor();
  await tab(page, "Tools");
  await tool(page, "get-roots-list");
  await (await called(page)).getByText("file:///srv/my%20notes").first().waitFor();
  await tab(page, "Server");
  await roots.getByLabel("Folder or file:// URI").fill("https://example.com");
  await button(roots, "Add root").click();
  await page.getByText("every root must be a file:// URI").waitFor();
  await button(roots, "Remove file:///srv/my%20notes").click();
  await roots.getByText("No roots.").waitFor();
  await tab(page, "Messages");
  await choose(page, "Method", "notifications/roots/list_changed");
  await page.getByText("2 messages", { exact: true }).waitFor();
  expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
});
