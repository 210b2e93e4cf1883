// Tests of how the Browse page converts READMEs and plans for display.

import { describe, expect, test } from "vitest";
import { plainReadme } from "../src/pages/browse/readme.ts";
import { badgeOf, commandOf, installLink, linksOf } from "../src/pages/browse/share.ts";
import { stepsOf } from "../src/pages/browse/steps.ts";
import type { Plan } from "../src/pages/browse/types.ts";

describe("a readme", () => {
  test("keeps the text of its layout, without tags and comments", () => {
    expect(plainReadme(`<div align="center"><b>Big</b><!-- note --></div>`)).toBe("\n**Big**\n");
    expect(plainReadme(`<h2 id="x">Use</h2>text`)).toBe("\n\n## Use\n\ntext");
    expect(plainReadme(`<img src="https://images.example/a.png" alt="A logo">`)).toBe("A logo");
    expect(plainReadme("before <!-- never closed")).toBe("before ");
  });

  test("keeps code, comparisons and tags that are not layout", () => {
    const code = "```html\n<b>x</b> <!-- y -->\n```";
    expect(plainReadme(code)).toBe(code);
    expect(plainReadme("`<b>` and 1 < 2 and a<b-c>")).toBe("`<b>` and 1 < 2 and a<b-c>");
    expect(plainReadme("<script>alert(1)</script>")).toBe("<script>alert(1)</script>");
    expect(plainReadme("~~~\n<p>never closed")).toBe("~~~\n<p>never closed");
  });

  test("takes little time, however hostile it is", () => {
    const began = performance.now();
    for (const part of ["<!--", "<p ", "`", "``` ", "<b>", "<img alt=", "\n```", "<!-- -->"])
      plainReadme(part.repeat(Math.floor(256_000 / part.length)));
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

const plan: Plan = {
  ...{ id: "npm:@a/b", name: "b", hash: "", needs: { programs: ["npx"] }, options: [] },
  option: { id: "npm", kind: "npm", name: "@a/b", ready: true, required: 1, secrets: 1, downloads: true },
  command: ["npx", "-y", "@a/b@1.0.0", "--key", "${secret:--key}"],
  env: { MODE: "read" },
  secrets: [{ name: "--key", reference: "${secret:--key}", where: "Argument 4" }],
  risk: { consequence: "", warnings: [], marks: [] },
  questions: [
    { name: "B_TOKEN", label: "B_TOKEN", where: "", variable: "B_TOKEN", required: true, secret: true, missing: true },
    { name: "MODE", label: "MODE", where: "", variable: "MODE", required: false, secret: false, missing: false },
  ],
};

describe("links to a server", () => {
  const linkFor = (app: string, of: Plan) => linksOf(of.id, of).find((shared) => shared.app === app)?.link ?? "";
  const json = (text: string) => JSON.parse(text) as object;

  test("ask for secrets in the other program", () => {
    const config = new URL(linkFor("Cursor", plan)).searchParams.get("config") ?? "";
    expect(json(Buffer.from(config, "base64").toString())).toEqual({
      command: "npx",
      args: ["-y", "@a/b@1.0.0", "--key", "${env:key}"],
      env: { B_TOKEN: "${env:B_TOKEN}", MODE: "read" },
    });
    const code = linkFor("VS Code", plan);
    expect(json(decodeURIComponent(code.slice(code.indexOf("?") + 1)))).toEqual({
      name: "b",
      command: "npx",
      args: ["-y", "@a/b@1.0.0", "--key", "${input:key}"],
      env: { B_TOKEN: "${input:B_TOKEN}", MODE: "read" },
      inputs: [
        { type: "promptString", id: "B_TOKEN", description: "B_TOKEN", password: true },
        { type: "promptString", id: "key", description: "key", password: true },
      ],
    });
  });

  test("exist for remote servers, and not for programs of this machine", () => {
    const remote: Plan = {
      ...plan,
      option: { ...plan.option, kind: "remote" },
      ...{ command: [], env: {}, url: "https://b.example/mcp", headers: { "X-Key": "${secret:X-Key}" }, questions: [] },
      secrets: [{ name: "X-Key", reference: "${secret:X-Key}", where: "The header X-Key" }],
    };
    const code = linkFor("VS Code", remote);
    expect(json(decodeURIComponent(code.slice(code.indexOf("?") + 1)))).toEqual({
      ...{ name: "b", type: "http", url: "https://b.example/mcp", headers: { "X-Key": "${input:X_Key}" } },
      inputs: [{ type: "promptString", id: "X_Key", description: "X_Key", password: true }],
    });
    const bundle: Plan = { ...plan, option: { ...plan.option, kind: "mcpb" }, command: ["/home/a/bundle/run"] };
    expect(linksOf(bundle.id, bundle).map(({ app }) => app)).toEqual(["Agent Discover"]);
    expect(linksOf(plan.id, { ...plan, problem: "no" }).map(({ app }) => app)).toEqual(["Agent Discover"]);
    expect(linksOf("npm:x", undefined).map(({ app }) => app)).toEqual(["Agent Discover"]);
  });

  test("have badges that lead to web pages, which readmes may link to", () => {
    const pageOf = (app: string) => {
      const shared = linksOf(plan.id, plan).find((one) => one.app === app)!;
      const [, page] = /^\[!\[Install in [^\]]+\]\(https:[^)]+\)\]\((https:[^()]+)\)$/.exec(badgeOf(shared)) ?? [];
      return new URL(page ?? "");
    };
    const cursor = pageOf("Cursor");
    expect(cursor.origin + cursor.pathname).toBe("https://cursor.com/en/install-mcp");
    expect(cursor.search).toBe(new URL(linkFor("Cursor", plan)).search);
    const code = pageOf("VS Code");
    expect(code.origin + code.pathname).toBe("https://vscode.dev/redirect/mcp/install");
    const parts = { name: code.searchParams.get("name"), ...json(code.searchParams.get("config") ?? "") };
    const link = linkFor("VS Code", plan);
    expect({ ...parts, inputs: json(code.searchParams.get("inputs") ?? "") }).toEqual(
      json(decodeURIComponent(link.slice(link.indexOf("?") + 1))),
    );
  });

  test("escape the names of listings", () => {
    const id = "npm:x) ![y](z";
    expect(installLink(id)).toBe("agentdiscover://install?id=npm%3Ax%29%20%21%5By%5D%28z");
    expect(badgeOf(linksOf(id, undefined)[0]!)).toMatch(/\]\(agentdiscover:[^()]*\)$/);
    expect(commandOf("npm:@a/b")).toBe("agent-discover market install npm:@a/b");
    expect(commandOf("npm:$(x)'")).toBe("agent-discover market install 'npm:$(x)'\\'''");
  });
});

test("each step of a job has a state", () => {
  const states = (kind: string, step: string, state: string) => stepsOf({ kind, step, state }).map((one) => one.state);
  expect(states("install", "waiting", "running")).toEqual(["waiting", "waiting", "waiting", "waiting"]);
  expect(states("install", "register", "running")).toEqual(["done", "done", "doing", "waiting"]);
  expect(states("install", "start", "failed")).toEqual(["done", "done", "done", "failed"]);
  expect(states("install", "download", "cancelled")).toEqual(["done", "cancelled", "waiting", "waiting"]);
  expect(states("update", "done", "done")).toEqual(["done", "done", "done", "done"]);
  expect(states("program", "download", "running")).toEqual(["doing"]);
});
