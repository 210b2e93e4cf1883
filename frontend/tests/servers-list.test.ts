// Tests of the list of servers.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, expectFits, launch, pick, visit } from "./support/browser.ts";
import { many, TestHub } from "./support/hub.ts";
import { named, row, soon, tab } from "./support/servers.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

describe("a list of two hundred servers", () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await new TestHub().start();
    await hub.add("live", many(4, "<b>tool</b>"), {
      description: `\u202E${"long words ".repeat(400)}<img src=x onerror="document.title='owned'">\u0000\u0007`,
      tags: ["<i>tag</i>", "x".repeat(300)],
    });
    for (let i = 0; i < 199; i++) {
      const name = `server-${String(i).padStart(3, "0")}${i === 7 ? "x".repeat(54) : ""}`;
      await hub.rest("POST", "/api/servers", {
        name,
        command: i % 2 ? "npx" : undefined,
        args: i % 2 ? ["-y", `package-${i}`] : undefined,
        transport: i % 2 ? "stdio" : "sse",
        homepage: i % 2 ? undefined : `https://127.0.0.1:1/${i}/sse`,
        tags: [`group-${i % 5}`],
        warm: false,
      });
    }
  });
  afterAll(() => hub[Symbol.asyncDispose]());

  for (const [theme, width] of [
    ["light", 1600],
    ["dark", 1280],
    ["light", 480],
  ] as const) {
    test(`is virtual, fits in ${width} pixels and is accessible in ${theme}`, async () => {
      const { page, context, problems } = await visit(browser, hub, "/servers", { theme, width });
      const grid = page.getByRole("grid");
      await grid.waitFor();
      expect(await grid.getAttribute("aria-rowcount")).toBe("201");
      expect(await page.getByRole("row").count()).toBeLessThan(60);
      await expectFits(page, "servers-list");
      const heights = await page.getByRole("row").evaluateAll((rows) => rows.slice(1).map((row) => row.clientHeight));
      expect(new Set(heights)).toEqual(new Set([35]));
      expect(await page.locator("main b, main i, main img").count()).toBe(0);
      await expectAccessible(page, `list, ${theme}, ${width}`);
      expect(problems).toEqual([]);
      await context.close();
    });
  }

  test("hostile texts stay text on the server's page", async () => {
    const { page, context, problems } = await visit(browser, hub, "/servers/live", { width: 480 });
    for (const name of ["Overview", "Tools", "Configuration"]) {
      await tab(page, name);
      await page.getByRole("tabpanel").locator(":not([aria-hidden])").first().waitFor();
      await expectFits(page, "servers-list");
    }
    expect(await page.locator("main b, main i, main img").count()).toBe(0);
    expect(await page.title()).toBe("live · Agent Discover");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("is searched, filtered and sorted, and the address keeps the view", async () => {
    const { page, context, problems } = await visit(browser, hub, "/servers");
    await page.keyboard.press("/");
    await page.keyboard.type("PACKAGE-1 npx");
    await page.getByText("55 of 200").waitFor(); // 1, 11…19, 101…199, the odd ones
    await pick(page.getByLabel("Tag", { exact: true }), /^group-1\b/);
    await page.getByText("12 of 200").waitFor();
    await page.reload();
    await page.getByText("12 of 200").waitFor();
    expect(await page.getByLabel("Search servers").inputValue()).toBe("PACKAGE-1 npx");
    await pick(page.getByLabel("State", { exact: true }), /^Running/);
    await page.getByText("No server matches").waitFor();
    await expectAccessible(page, "no match");
    await page.getByRole("button", { name: "Show all servers" }).click();
    await page.getByRole("columnheader", { name: "Tools" }).getByRole("button").click();
    expect(await page.getByRole("columnheader", { name: "Tools" }).getAttribute("aria-sort")).toBe("descending");
    await page.getByRole("row").nth(1).getByRole("link", { name: "live" }).waitFor();
    await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
    await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
    await page.getByRole("row").nth(1).getByRole("link", { name: "server-198" }).click();
    await page.getByRole("link", { name: "All servers" }).click();
    await page.getByRole("row").nth(1).getByRole("link", { name: "server-198" }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("works by keyboard alone", async () => {
    const { page, context, problems } = await visit(browser, hub, "/servers");
    const focused = () => page.evaluate(() => document.activeElement?.querySelector("a")?.textContent ?? "");
    await row(page, "live").waitFor();
    await page.getByRole("columnheader", { name: "Errors" }).getByRole("button").focus();
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("live");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("server-000");
    await page.keyboard.press("End");
    await expect.poll(focused, soon).toBe("server-198");
    await page.keyboard.press("PageUp");
    await expect.poll(focused, soon).toBe("server-188");
    await page.keyboard.press("Home");
    await expect.poll(focused, soon).toBe("live");
    await page.keyboard.press("Space");
    await page.getByRole("switch", { name: "live always listed", checked: true }).waitFor();
    expect(await named(hub, "live")).toMatchObject({ active: true });
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("live always listed");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "List only when found" }).waitFor();
    await expectAccessible(page, "the menu of a server");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/servers\/live$/);
    expect(problems).toEqual([]);
    await context.close();
  });
});
