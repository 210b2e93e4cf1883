import { expect, test } from "vitest";
import { expectAccessible, pick } from "./support/browser.ts";
import { inspected } from "./support/inspected.ts";
import { button, field, press, result, tab } from "./support/inspector.ts";

const at = inspected();
const { open } = at;

test("elicitations are accepted, declined or postponed", async () => {
  const { page, problems } = await open("/test/everything?tool=trigger-elicitation-request");
  const dialog = page.getByRole("dialog", { name: "everything asks for input" });
  await press(page, "Call");
  await dialog.waitFor();
  await dialog.getByText("Please provide inputs for the following fields:").waitFor();
  await press(page, "Accept and send");
  await dialog.getByText("This is required.").waitFor();
  await dialog.getByRole("textbox", { name: "String (required)" }).fill("Ada Lovelace");
  await field(dialog, "String with email").fill("nobody");
  await press(page, "Accept and send");
  await dialog.getByText("This must be an e-mail address.").waitFor();
  await field(dialog, "String with email").fill("ada@example.com");
  await dialog.getByLabel("String with date format").fill("1815-12-10");
  await field(dialog, "Integer").fill("7");
  await pick(dialog.getByLabel("Titled Single Select Enum", { exact: true }), "Green Lantern");
  await dialog.getByRole("checkbox", { name: "Piano" }).click();
  await dialog.getByRole("radio", { name: "true" }).click();
  await expectAccessible(page, "a question");
  const sent = JSON.parse((await dialog.getByRole("region", { name: "Data to send" }).textContent()) ?? "") as object;
  await press(page, "Accept and send");
  await dialog.waitFor({ state: "hidden" });
  await result(page).getByText("Name: Ada Lovelace").waitFor();
  const raw = await result(page)
    .getByText(/Raw result/)
    .textContent();
  expect(JSON.parse(/\{[^]*\}/.exec(raw ?? "")?.[0] ?? "")).toEqual({ action: "accept", content: sent });
  expect(sent).toMatchObject({
    birthdate: "1815-12-10",
    integer: 7,
    titledSingleSelectEnum: "hero-2",
    untitledMultipleSelectEnum: ["Guitar", "Piano"],
    check: true,
  });
  expect(sent).not.toHaveProperty("homepage");

  await press(page, "Call");
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await button(page, "Answer 1 question").click();
  await dialog.waitFor();
  await press(page, "Decline");
  await result(page)
    .getByText(/declined/)
    .first()
    .waitFor();
  expect(problems).toEqual([]);
});

test("requests for sampling are answered or declined by the user", async () => {
  const { page, problems } = await open("/test/everything?tool=trigger-sampling-request");
  await field(page, "prompt").fill("What is <b>six times seven</b>?");
  await press(page, "Call");
  const dialog = page.getByRole("dialog", { name: "everything asks for a message from a model" });
  const messages = dialog.getByRole("list", { name: "Messages for the model" });
  await messages.getByText("You are a helpful test server.").waitFor();
  await messages.getByText("What is <b>six times seven</b>?").waitFor();
  await press(page, "Send answer");
  await dialog.getByText("This is required.").waitFor();
  await expectAccessible(page, "a request for sampling");
  await field(dialog, "Answer").fill("forty-two\nor so");
  await press(page, "Send answer");
  await dialog.waitFor({ state: "hidden" });
  await result(page).getByText("forty-two").waitFor();
  await result(page).getByText('"model": "person"').waitFor();

  await press(page, "Call");
  await dialog.waitFor();
  await press(page, "Decline");
  await result(page).getByText("User rejected sampling request").waitFor();
  await tab(page, "Events");
  await page
    .getByRole("log")
    .getByRole("button", { name: /succeeded/ })
    .waitFor();
  expect(problems).toEqual([]);
});

test("an address that a server asks to open is shown whole, and only a click opens it", async () => {
  const { page, problems } = await open("/test/everything?tool=trigger-url-elicitation");
  const opened: string[] = [];
  await page.context().route(
    ({ hostname }) => hostname === "login.example",
    (route) => {
      opened.push(route.request().url());
      return route.fulfill({ contentType: "text/html", body: "signed in" });
    },
  );
  const url = `https://google.com@login.example/${"long/".repeat(40)}?state=end`;
  const dialog = page.getByRole("dialog", { name: "everything asks you to open a web page" });
  for (const [action, answer] of [
    ["Decline", "User declined to open the URL"],
    ["Cancel", "User cancelled the URL elicitation"],
    ["Accept", "User completed the URL elicitation flow"],
  ] as const) {
    await field(page, "url").fill(url);
    await press(page, "Call");
    await dialog.waitFor();
    expect(await dialog.locator("[data-host]").textContent()).toBe("login.example");
    expect(await dialog.getByLabel("Address", { exact: true }).textContent()).toBe(url);
    await dialog.getByText("The part before @ is a user name").waitFor();
    if (action === "Accept") {
      await expectAccessible(page, "an address to open");
      expect(opened).toEqual([]);
      const popup = page.context().waitForEvent("page");
      await press(page, "Open in browser");
      await (await popup).getByText("signed in").waitFor();
      expect(opened).toHaveLength(1);
    }
    await dialog.getByRole("button", { name: action, exact: true }).click();
    await result(page).getByText(answer).waitFor();
  }
  await field(page, "url").fill("javascript:alert(1)");
  await press(page, "Call");
  await dialog.getByText("This is not a web address").waitFor();
  expect(await button(dialog, "Open in browser").count()).toBe(0);
  await dialog.getByRole("button", { name: "Decline", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(problems).toEqual([]);
});
