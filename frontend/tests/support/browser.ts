// A real browser for tests. It checks pages for console errors, requests to other hosts, and violations found by axe.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from "playwright-core";
import { expect } from "vitest";
import type { TestHub } from "./hub.ts";

const executable = ["chromium-headless-shell", "chromium", "google-chrome"]
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? executable, args: ["--no-sandbox", "--disable-gpu"] });

export interface View {
  theme?: "light" | "dark";
  width?: number;
  height?: number;
  /** Console messages that the test expects. They are not reported as problems. */
  expected?: RegExp;
  /** Prepares the browser page before the dashboard is opened. */
  prepare?: (page: Page) => Promise<unknown>;
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Unexpected console errors and warnings, and requests to other hosts. */
  problems: string[];
}

/** visit opens a page of the dashboard with a ticket and waits until the hub's state is loaded. */
export async function visit(browser: Browser, hub: TestHub, path = "/overview", view: View = {}): Promise<Visit> {
  const { theme = "light", width = 1280, height = 800, expected, prepare } = view;
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height }, locale: "en-GB" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // only a broken test waits so long
  const problems: string[] = [];
  const note = (text: string) => expected?.test(text) || problems.push(text);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && note(message.text()));
  page.on("pageerror", (error) => note(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(hub.url) && !/^(data|blob):/.test(request.url())) note(`request to ${request.url()}`);
  });
  await page.addInitScript(recordToasts);
  await prepare?.(page);
  await page.goto(await hub.address(path));
  await page
    .getByRole("status")
    .getByText(/Ready|Paused|running/)
    .first()
    .waitFor();
  return { page, context, problems };
}

/**
 * hold delays the hub's answer to a request until release is called. Pass the function prepare to visit as part of
 * View. change, if given, changes the answer.
 */
export function hold(url: string, change: (answer: object) => object = (answer) => answer) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    prepare: (page: Page) =>
      page.route(url, async (route) => {
        const response = await route.fetch();
        await opened;
        await route.fulfill({ response, json: change((await response.json()) as object) });
      }),
    /** release sends the answer and returns once the page has shown the result. */
    release: async (page: Page) => {
      const answered = page.waitForResponse(url);
      open();
      await (await answered).finished();
      await page.evaluate(() => new Promise((shown) => setTimeout(() => requestAnimationFrame(shown))));
    },
  };
}

/** recordToasts runs in the page and collects the text of every toast. */
function recordToasts(): void {
  const shown: string[] = [];
  Object.assign(window, { shown });
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node.parentElement?.matches("[data-toasts]") && node.textContent?.trim()) shown.push(node.textContent.trim());
  }).observe(document, { childList: true, subtree: true });
}

/**
 * tryAgain clicks "Try again" in a part of a page, when the requests of that part can succeed again. If an event or a
 * new connection has already repeated the requests, the button is gone, and tryAgain does nothing.
 */
export const tryAgain = (part: Page | Locator): Promise<void> =>
  part
    .getByRole("button", { name: "Try again" })
    .evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()));

/** toast waits for a toast with a text. If none appears, the error lists the toasts that were shown instead. */
export async function toast(page: Page, text: string | RegExp): Promise<void> {
  try {
    await page.locator("[data-toasts]").getByText(text).first().waitFor();
  } catch (problem) {
    const shown = await page.evaluate(() => (window as unknown as { shown: string[] }).shown);
    throw new Error(`no toast ${String(text)}; shown were: ${JSON.stringify(shown)}`, { cause: problem });
  }
}

/** pick selects the option of a drop-down list whose text is, or matches, option. It waits for the option. */
export async function pick(list: Locator, option: string | RegExp): Promise<void> {
  const exact =
    typeof option === "string"
      ? new RegExp(`^\\s*${option.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}( · .*)?\\s*$`)
      : option;
  const found = list.locator("option").filter({ hasText: exact }).first();
  await found.waitFor({ state: "attached" });
  await list.selectOption({ value: (await found.getAttribute("value")) ?? "" });
}

/**
 * settled waits until all transitions and animations have ended, except for those that repeat endlessly. It also
 * waits until long lists have measured their rows, because unmeasured rows are hidden.
 */
const settled = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const moving = () =>
      document
        .getAnimations()
        .filter(
          ({ playState, effect }) => playState === "running" && Number.isFinite(effect?.getComputedTiming().endTime),
        );
    for (let now = moving(); now.length > 0; now = moving())
      await Promise.allSettled(now.map(({ finished }) => finished));
    const hidden = () =>
      [...document.querySelectorAll(':is([role="list"], [role="log"]) [style*="visibility"]')].some(
        (row) => (row as HTMLElement).style.visibility === "hidden" && row.getClientRects().length > 0,
      );
    while (hidden()) await new Promise(requestAnimationFrame);
  });

/**
 * expectAccessible fails if axe finds any violation. where describes the page in the failure message. The page
 * reduces its motion, because axe would otherwise read colours that a transition shows for a few frames only. If axe
 * finds anything, it reads the page again, because rows that are added to a list meanwhile are hidden for a frame.
 */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  let found: string[] = [];
  for (let run = 0; run < 3; run++) {
    await settled(page);
    found = await violations(page);
    if (found.length === 0) break;
  }
  expect(found, `axe on ${where}`).toEqual([]);
}

const violations = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const { violations } = await axe.run(document, { resultTypes: ["violations"], preload: false });
    return violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html.slice(0, 200)).join(" · ")}`,
    );
  });

/**
 * expectFits fails if the content of an element that matches selector is wider than the element. It waits for the
 * layout, which follows a change of the window's size with a delay.
 */
export const expectFits = (page: Page, where: string, selector = "html"): Promise<void> =>
  expect
    .poll(
      () =>
        page.evaluate(
          (selector) =>
            [...document.querySelectorAll(selector)]
              .filter((part) => part.scrollWidth > part.clientWidth)
              .map((part) => `${part.tagName.toLowerCase()} by ${part.scrollWidth - part.clientWidth} pixels`),
          selector,
        ),
      { message: `too wide: ${where}` },
    )
    .toEqual([]);
