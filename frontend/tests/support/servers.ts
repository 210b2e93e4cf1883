// Steps on the pages of servers.

import type { Page } from "playwright-core";
import type { TestHub } from "./hub.ts";

export interface Server {
  id: number;
  name: string;
  active: boolean;
  args: string[];
  env: Record<string, string>;
  headers?: Record<string, string>;
  tags: string[];
  tool_count: number;
  transport: string;
}

export const servers = (hub: TestHub) => hub.rest<Server[]>("GET", "/api/servers");
export const named = async (hub: TestHub, name: string) => {
  const found = (await servers(hub)).find((server) => server.name === name);
  if (!found) throw new Error(`there is no server ${name}`);
  return found;
};

export const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
export const tab = (page: Page, name: string) => page.getByRole("tab", { name }).click();

export const soon = { timeout: 60_000 };
