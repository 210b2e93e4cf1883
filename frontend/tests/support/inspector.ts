// Steps on the pages of the inspector.

import type { Locator, Page } from "playwright-core";
import { pick } from "./browser.ts";
import { packaged, type TestHub } from "./hub.ts";

/**
 * addEverything adds the reference server and returns its id. All messages that the hub sends to the server are also
 * written to the file heard.
 */
export async function addEverything(hub: TestHub, heard: string): Promise<number> {
  const line = packaged("everything").map((word) => `'${word}'`);
  const args = ["-c", `tee '${heard}' | ${line.join(" ")}`];
  return (
    await hub.rest<{ id: number }>("POST", "/api/servers", { name: "everything", command: "sh", args, start: false })
  ).id;
}

/** cancelQuestions ends all questions that wait for an answer. */
export async function cancelQuestions(hub: TestHub): Promise<void> {
  const { entries } = await hub.rest<{ entries: { id: string }[] }>("GET", "/api/elicitations");
  for (const { id } of entries) await hub.rest("POST", `/api/elicitations/${id}/respond`, { action: "cancel" });
}

export const result = (page: Page): Locator => page.getByRole("region", { name: "Result", exact: true });
export const button = (page: Page | Locator, name: string | RegExp) => page.getByRole("button", { name });
export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
export const tab = (page: Page, name: string) => page.getByRole("tab", { name }).click();

export const field = (at: Page | Locator, name: string) => {
  const names = { name: new RegExp(`^${name}\\b`) };
  return at.getByRole("textbox", names).or(at.locator("input").and(at.getByRole("combobox", names)));
};

/** choose selects an option of a drop-down list. */
export async function choose(page: Page, list: string | RegExp, option: string | RegExp): Promise<void> {
  await pick(page.getByRole("main").getByRole("combobox", { name: list }).first(), option);
}

/** tool opens a tool from the list. */
export const tool = (page: Page, name: string) =>
  page.getByRole("group", { name: "Tools" }).getByRole("button", { name }).first().click();

/** called calls the open tool and waits for the result. */
export async function called(page: Page): Promise<Locator> {
  await press(page, "Call");
  await result(page)
    .getByRole("status")
    .filter({ hasText: /Done|Failed/ })
    .waitFor();
  return result(page);
}
