// Follows a newcomer with an empty hub from "Postgres" to an answered call, with a real PostgreSQL and the real package from
// npm, and takes a picture of each step: node tests/newcomer.ts [FOLDER]. It fails if more than six clicks are needed.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHTTPServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launch, visit } from "./support/browser.ts";
import { TestHub } from "./support/hub.ts";

const maxClicks = 6;
const [folder = mkdtempSync(join(tmpdir(), "newcomer-"))] = process.argv.slice(2);
const installed = "/usr/lib/postgresql";

/** freePort returns a port of loopback that nothing listens on. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** The entry of the server in the official registry. */
const entry = {
  server: {
    name: "io.github.modelcontextprotocol/postgres",
    title: "PostgreSQL",
    description: "Reads the tables of a PostgreSQL database",
    version: "0.6.2",
    packages: [
      {
        registryType: "npm",
        identifier: "@modelcontextprotocol/server-postgres",
        version: "0.6.2",
        transport: { type: "stdio" },
        packageArguments: [
          { type: "positional", valueHint: "Address of the database", isRequired: true, format: "string" },
        ],
      },
    ],
  },
  _meta: {
    "io.modelcontextprotocol.registry/official": {
      status: "active",
      publishedAt: "2025-09-01T10:00:00Z",
      updatedAt: "2026-10-01T10:00:00Z",
      isLatest: true,
    },
  },
};

/** registry starts a registry with this entry and returns its address and a function that ends it. */
async function registry(): Promise<[string, () => void]> {
  const server = createHTTPServer((request, response) => {
    const one = request.url?.includes("/versions/");
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(one ? entry : { servers: [entry], metadata: { count: 1 } }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => server.close()];
}

/** database starts PostgreSQL with a table and returns its address and a function that ends it. */
async function database(): Promise<[string, () => void]> {
  const bin = join(installed, readdirSync(installed).sort().at(-1) ?? "", "bin");
  const home = mkdtempSync(join(tmpdir(), "postgres-"));
  chmodSync(home, 0o777); // PostgreSQL does not run as root
  const as = process.getuid?.() === 0 ? ["runuser", "-u", "nobody", "--"] : [];
  const run = (program: string, ...args: string[]) => {
    const [command = "", ...rest] = [...as, join(bin, program), ...args];
    return execFileSync(command, rest, { cwd: home, stdio: ["ignore", "pipe", "inherit"] });
  };
  const port = String(await freePort());
  const data = join(home, "data");
  run("initdb", "-U", "ada", "-A", "trust", "--no-sync", "-D", data);
  const options = `-p ${port} -k ${home} -c listen_addresses=127.0.0.1 -c fsync=off`;
  run("pg_ctl", "-D", data, "-w", "-l", join(home, "log"), "-o", options, "start");
  run(
    "psql",
    "-h",
    "127.0.0.1",
    "-p",
    port,
    "-U",
    "ada",
    "-d",
    "postgres",
    "-c",
    "CREATE TABLE books AS SELECT 'Moby-Dick' AS title",
  );
  const stop = () => {
    run("pg_ctl", "-D", data, "-m", "immediate", "stop");
    rmSync(home, { recursive: true, force: true });
  };
  return [`postgresql://ada@127.0.0.1:${port}/postgres`, stop];
}

/** follow goes through all steps on the dashboard and returns the number of clicks. */
async function follow(address: string, page: Page): Promise<number> {
  page.setDefaultTimeout(60_000); // the package and its dependencies are downloaded
  let clicks = 0;
  const picture = () => page.screenshot({ path: join(folder, `${clicks}.png`) });
  const click = async (role: "link" | "button", name: string | RegExp) => {
    await page.getByRole(role, { name }).first().click();
    clicks++;
  };
  await picture();
  await click("link", /^Browse/);
  await page.getByRole("searchbox").fill("Postgres");
  await page.getByRole("list", { name: "Found servers" }).getByRole("link", { name: "PostgreSQL" }).waitFor();
  await picture();
  await click("link", "PostgreSQL");
  await page.getByRole("dialog").getByRole("button", { name: "Install…" }).waitFor();
  await picture();
  await click("button", "Install…");
  await page.getByLabel("Address of the database").fill(address);
  await page.getByText("Installs exactly what is shown here.").waitFor();
  await picture();
  await click("button", /^Install$/);
  await page.getByText(/is installed, with \d+ tool/).waitFor();
  await picture();
  await click("link", /^query/);
  const call = page.getByRole("button", { name: /^Call/ });
  await call.waitFor();
  await page.getByRole("textbox", { name: "sql" }).fill("SELECT title FROM books");
  await picture();
  await click("button", /^Call/);
  await page.getByText("Moby-Dick").first().waitFor();
  await picture();
  return clicks;
}

if (!existsSync(installed)) {
  console.log("PostgreSQL is missing: run make test-market");
  process.exit(77);
}
mkdirSync(folder, { recursive: true });
const [address, stop] = await database();
const [registryURL, close] = await registry();
const hub = new TestHub();
// The profile of the new home folder passes on the settings that npm needs to reach the package registry.
const network = Object.entries(process.env).filter(([name]) =>
  /^(NODE_EXTRA_CA_CERTS$|(HTTPS?|NO)_PROXY$)/i.test(name),
);
const settings = [...network, ["PATH", process.env.PATH], ["NPM_CONFIG_USERCONFIG", join(homedir(), ".npmrc")]];
writeFileSync(join(hub.folder, ".profile"), settings.map(([name, value]) => `export ${name}='${value}'\n`).join(""));
await hub.start({ AGENT_DISCOVER_PASSPHRASE: "correct horse battery", AGENT_DISCOVER_REGISTRY_URL: registryURL });
const browser = await launch();
const { page } = await visit(browser, hub, "/overview", { width: 1440, height: 900 });
try {
  const clicks = await follow(address, page);
  console.log(`An answered call after ${clicks} clicks; the pictures are in ${folder}`);
  process.exitCode = clicks > maxClicks ? 1 : 0;
} catch (error) {
  await page.screenshot({ path: join(folder, "failed.png") });
  throw error;
} finally {
  await browser.close();
  await hub[Symbol.asyncDispose]();
  close();
  stop();
}
