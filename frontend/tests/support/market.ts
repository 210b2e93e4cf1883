// The registries of a marketplace on loopback: the official registry, npm with packages that really start, and an empty
// index of Python packages.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { TestHub } from "./hub.ts";
import { bundle, entriesAt, packages, type PackageFiles } from "./packages.ts";
import { tarball } from "./tar.ts";

/** While it is closed, requests wait for the Gate to open. */
export class Gate {
  #closed: { promise: Promise<void>; open: () => void } | undefined;

  close(): void {
    if (this.#closed) return;
    let open = () => {};
    const promise = new Promise<void>((done) => (open = done));
    this.#closed = { promise, open };
  }

  open(): void {
    this.#closed?.open();
    this.#closed = undefined;
  }

  pass = (): Promise<void> => this.#closed?.promise ?? Promise.resolve();
}

export class Registries implements AsyncDisposable {
  #server: Server;
  /** The gates that hold back searches of npm and downloads of its packages. */
  readonly search = new Gate();
  readonly downloads = new Gate();
  /** The status with which npm answers searches. */
  searchStatus = 200;
  /** The newest versions of packages that have several, by name. */
  readonly newer: Record<string, PackageFiles> = {};
  /** The addresses of images and other things that no page may request. */
  readonly strange: string[] = [];

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** use makes a hub that is started later use these registries, and returns the environment to start it with. */
  use(hub: TestHub): Record<string, string> {
    const home = hub.folder;
    writeFileSync(join(home, ".npmrc"), `registry=${this.url}/npm/\naudit=false\nfund=false\nupdate-notifier=false\n`);
    mkdirSync(join(home, ".config/uv"), { recursive: true });
    writeFileSync(join(home, ".config/uv/uv.toml"), `[[index]]\nurl = "${this.url}/pypi/simple/"\ndefault = true\n`);
    return { AGENT_DISCOVER_REGISTRY_URL: `${this.url}/official`, XDG_CONFIG_HOME: join(home, ".config") };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    const path = decodeURIComponent(pathname);
    const json = (value: object | undefined, status = value ? 200 : 404) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value ?? {}));
    if (path.startsWith("/official/v0.1/servers")) json(this.#official(path));
    else if (path === "/npm/-/v1/search") {
      await this.search.pass();
      json(found(searchParams.get("text") ?? ""), this.searchStatus);
    } else if (path === "/files/station.mcpb") response.writeHead(200).end(bundle);
    else if (path.startsWith("/npm/")) {
      await this.#npm(path.slice(5), response, json);
    } else {
      if (!path.startsWith("/pypi/")) this.strange.push(path);
      json(undefined);
    }
  }

  #official(path: string): object | undefined {
    const entries = entriesAt(`${this.url}/files/station.mcpb`);
    const name = /\/servers\/(.+)\/versions\//.exec(path)?.[1];
    if (!name) return { servers: entries, metadata: { count: entries.length } };
    return entries.find((entry) => (entry as { server: { name: string } }).server.name === name);
  }

  async #npm(path: string, response: ServerResponse, json: (value: object | undefined) => void): Promise<void> {
    const [, file, version] = /^(.+)\/-\/package-(.+)\.tgz$/.exec(path) ?? [];
    if (file) {
      await this.downloads.pass();
      const known = this.#versions(file).find((one) => one.manifest.version === version);
      response.writeHead(known ? 200 : 404).end(known && archive(known));
      return;
    }
    const [, name = path, wanted] = /^(.+)\/(latest|\d[^/]*)$/.exec(path) ?? [];
    const versions = this.#versions(name);
    const exact = versions.find((one) => one.manifest.version === wanted);
    const newest = versions.at(-1);
    if (wanted) json(newest && manifest(exact ?? newest, this.url));
    else json(newest && document(newest, versions, this.url));
  }

  /** The versions of a package, the newest last. */
  #versions(name: string): PackageFiles[] {
    return [packages[name], this.newer[name]].filter((one) => one !== undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.search.open();
    this.downloads.open();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const archive = ({ files, manifest: about }: PackageFiles): Buffer =>
  tarball({ "package.json": JSON.stringify(about), ...files });

function manifest(known: PackageFiles, url: string): object {
  const data = archive(known);
  const { name, version } = known.manifest;
  return {
    ...known.manifest,
    dist: {
      tarball: `${url}/npm/${name}/-/package-${version}.tgz`,
      integrity: `sha512-${createHash("sha512").update(data).digest("base64")}`,
    },
  };
}

function document(newest: PackageFiles, versions: PackageFiles[], url: string): object {
  const by = (of: (one: PackageFiles) => unknown) =>
    Object.fromEntries(versions.map((one) => [one.manifest.version, of(one)]));
  return {
    name: newest.manifest.name,
    readme: newest.readme,
    "dist-tags": { latest: newest.manifest.version },
    versions: by((one) => manifest(one, url)),
    time: { created: versions[0]?.created, modified: newest.created, ...by(({ created }) => created) },
  };
}

/** found returns the answer of npm's search: the packages with a word of the text. */
function found(text: string): object {
  const words = text.split(" ").filter((word) => word && !word.includes(":") && word !== "mcp");
  const fits = ({ manifest: { name, description, keywords } }: PackageFiles) =>
    !words.length || words.some((word) => `${name} ${description} ${keywords.join(" ")}`.toLowerCase().includes(word));
  const objects = Object.values(packages)
    .filter(fits)
    .map(({ manifest: about, created }) => ({
      package: { ...about, date: created, links: { repository: "https://git.example/" + about.name } },
      downloads: { monthly: 48_211 },
    }));
  return { objects, total: objects.length };
}
