// Benchmarks of the dashboard: script size, time to first paint, and smooth scrolling through thousands of tools.
// Part of `make bench`, with a warm hub and a browser without a cache.

import type { Browser, Page } from "playwright-core";
import { launch } from "./support/browser.ts";
import { many, TestHub } from "./support/hub.ts";
import { scriptSizes } from "./support/size.ts";

const LOADS = 11;
const TOOLS = 3_000;
const SERVERS = 20;

interface Task {
  start: number;
  ms: number;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const figure = (what: string, got: string, asked: string) =>
  console.log(what.padEnd(58), got.padStart(24), asked.padStart(10));

function weigh(): void {
  const { all, parts } = scriptSizes();
  const first = parts.find(({ name }) => name.startsWith("index-"))?.kB ?? NaN;
  figure("all scripts, gzipped (the first one)", `${all.toFixed(1)} kB (${first.toFixed(1)})`, "<= 320 kB");
}

/** paint opens the overview and returns the times in ms of the first paint and of the first paint with data. */
async function paint(browser: Browser, hub: TestHub): Promise<{ first: number; filled: number }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(await hub.address());
  await page.getByRole("status").getByText("Ready").waitFor();
  const times = await page.evaluate(() => ({
    first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
    filled: performance.now(),
  }));
  await context.close();
  return times;
}

/** scroll scrolls through a list, one wheel notch per frame, and returns the tasks over 50 ms. */
async function scroll(page: Page): Promise<Task[]> {
  return page.evaluate(async () => {
    const long: Task[] = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) long.push({ start: entry.startTime, ms: entry.duration });
    }).observe({ type: "longtask" });
    const frame = () => new Promise(requestAnimationFrame);
    const list = [...document.querySelectorAll("main *")].reduce((a, b) => (b.scrollHeight > a.scrollHeight ? b : a));
    await frame();
    const from = performance.now();
    while (list.scrollTop + list.clientHeight < list.scrollHeight - 2) {
      const before = list.scrollTop;
      list.scrollTop += 400;
      await frame();
      if (list.scrollTop === before) break;
    }
    await frame();
    return long.filter(({ start }) => start >= from);
  });
}

await using hub = await new TestHub().start();
for (let i = 0; i < SERVERS; i++) await hub.add(`bench-${i}`, many(TOOLS / SERVERS, `s${i}`));
const browser = await launch();
console.log(`\nDashboard: ${SERVERS} servers, ${TOOLS} tools, Chromium ${browser.version()}`);
weigh();

const paints = [];
await paint(browser, hub);
for (let i = 0; i < LOADS; i++) paints.push(await paint(browser, hub));
const first = paints.map(({ first }) => first);
figure(
  `first paint, median of ${LOADS} (worst)`,
  `${median(first).toFixed(0)} ms (${Math.max(...first).toFixed(0)})`,
  "<= 300 ms",
);
figure("state of the hub shown", `${median(paints.map(({ filled }) => filled)).toFixed(0)} ms`, "");

const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
await page.goto(await hub.address("/tools"));
await page.getByText("s0_create_invoice_0").first().waitFor();
const long = await scroll(page);
const longest = Math.max(0, ...long.map(({ ms }) => ms));
figure(`${TOOLS} tools scrolled: tasks over 50 ms (longest)`, `${long.length} (${longest.toFixed(0)} ms)`, "0");
await browser.close();
