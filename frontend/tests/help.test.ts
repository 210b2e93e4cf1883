import { readdirSync, readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, expectFits, launch, visit } from "./support/browser.ts";
import { TestHub } from "./support/hub.ts";

const folder = new URL("../guide/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
/** The pages that the dashboard leaves out. */
const omitted = ["README", "attacks", "changing", "developing"];
/** The titles of the pages by their ids, as the contents list them. */
const listed = new Map(
  [...read("README.md").matchAll(/^- \[(.+?)\]\((.+?)\.md\)/gm)]
    .map(([, title = "", id = ""]) => [id, title] as const)
    .filter(([id]) => !omitted.includes(id)),
);

let browser: Browser;
let hub: TestHub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
});

afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

const article = (page: Page, name: string) => page.getByRole("article", { name, exact: true });
const open = (page: Page, place: string) => page.evaluate((to) => (location.hash = to), place);

test("the contents list every page by its title", () => {
  const files = readdirSync(folder).filter((name) => !omitted.includes(name.replace(/\.md$/, "")));
  expect([...listed.keys()].map((id) => `${id}.md`).sort()).toEqual(files.sort());
  for (const [id, title] of listed) expect(read(`${id}.md`).split("\n", 1)[0], id).toBe(`# ${title}`);
});

for (const theme of ["light", "dark"] as const) {
  test(`the guide opens from the menu and is accessible in ${theme}`, async () => {
    const { page, context, problems } = await visit(browser, hub, "/overview", { theme });
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Help" }).click();
    await article(page, "Guide").getByRole("link", { name: "Approvals", exact: true }).click();
    await article(page, "Approvals").getByRole("heading", { name: "Approvals", level: 2 }).waitFor();
    const contents = page.getByRole("navigation", { name: "Guide" });
    expect(await contents.locator("[aria-current]").innerText()).toBe("Approvals");
    await expectAccessible(page, `a page of the guide, ${theme}`);
    await contents.getByRole("link", { name: "Settings" }).click();
    await article(page, "Settings").getByText("port: 3424").waitFor();
    await expectAccessible(page, `settings in the guide, ${theme}`);
    expect(problems).toEqual([]);
    await context.close();
  });
}

test("every page fits into every window, and every link leads to a page, a heading or another site", async () => {
  const { page, context, problems } = await visit(browser, hub, "/help");
  const places = new Set<string>();
  for (const [id, title] of [["", "Guide"] as const, ...listed]) {
    await open(page, id ? `#/help/${id}` : "#/help");
    await article(page, title).locator("h2").first().waitFor();
    for (const width of [1280, 480]) {
      await page.setViewportSize({ width, height: 800 });
      await expectFits(page, `${title} at ${width}`, ".overflow-y-auto:has(article)");
    }
    const links = await article(page, title)
      .locator("a")
      .evaluateAll((all) => all.map((a) => [a.getAttribute("href") ?? "", a.getAttribute("target") ?? ""] as const));
    for (const [href, target] of links) {
      expect(href, title).toMatch(/^(#\/help|https?:\/\/)/);
      expect(target, href).toBe(href.startsWith("#") ? "" : "_blank");
      if (href.startsWith("#")) places.add(href);
    }
    expect(await article(page, title).innerText(), title).not.toMatch(/\]\(|!\[/);
  }
  for (const place of places) {
    await open(page, place);
    const [, id = "", heading = ""] = /^#\/help\/?([\w-]*)(?:\?at=(.*))?$/.exec(place) ?? [];
    await article(page, listed.get(id) ?? "Guide").waitFor();
    if (heading) await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe(`guide-${heading}`);
  }
  expect(places.size).toBeGreaterThan(20);
  expect(problems).toEqual([]);
  await context.close();
});

test("pages are found and read by keyboard alone", async () => {
  const { page, context, problems } = await visit(browser, hub, "/help");
  await article(page, "Guide").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("keychain passphrase");
  const found = page.getByRole("list", { name: "Pages found" });
  await found.getByRole("link", { name: /^Secrets/ }).waitFor();
  await expectAccessible(page, "pages found");
  await found.getByRole("link", { name: /^Secrets/ }).focus();
  await page.keyboard.press("Enter");
  await article(page, "Secrets").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("ARTICLE");
  await page.keyboard.press("/");
  await page.keyboard.type("zebra crossing");
  await page.getByText("No page contains all of these words").waitFor();
  await page.keyboard.press("Escape");
  await article(page, "Secrets").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("a narrow window shows the contents or one page", async () => {
  const { page, context, problems } = await visit(browser, hub, "/help/sandbox", { width: 480 });
  await article(page, "Sandbox").waitFor();
  expect(await page.getByRole("navigation", { name: "Guide" }).count()).toBe(0);
  await expectAccessible(page, "the guide in a narrow window");
  await page.getByRole("link", { name: "All pages" }).click();
  await article(page, "Guide").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("an unknown page says so and leads to the others", async () => {
  const { page, context, problems } = await visit(browser, hub, "/help/nothing");
  await page.getByText("The guide has no page “nothing”").waitFor();
  await expectAccessible(page, "an unknown page of the guide");
  await page.getByRole("link", { name: "Show all pages" }).click();
  await article(page, "Guide").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the guide can be read while the hub is stopped", async () => {
  await using own = await new TestHub().start();
  const { page, context } = await visit(browser, own, "/help/troubleshooting");
  await article(page, "Troubleshooting").waitFor();
  await own.rest("POST", "/api/stop").catch(() => undefined);
  await page
    .getByRole("status")
    .getByText(/Stopped|Not connected/i)
    .first()
    .waitFor();
  await article(page, "Troubleshooting").getByRole("link", { name: "approval", exact: true }).click();
  await article(page, "Approvals").waitFor();
  await context.close();
});
