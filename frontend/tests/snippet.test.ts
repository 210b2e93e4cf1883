import { describe, expect, test } from "vitest";
import { credentialsIn, isCredential } from "../src/pages/servers/add/credentials.ts";
import { credentialsOf, filled, nameFrom, newDraft, suggestName, withSecrets } from "../src/pages/servers/add/draft.ts";
import { parseJson } from "../src/pages/servers/add/jsonc.ts";
import { readSnippet } from "../src/pages/servers/add/snippet.ts";
import { lineOf, readCommand, split } from "../src/lib/commandline.ts";
import { nameProblem } from "../src/lib/names.ts";

/** What a draft comes to, on one line. */
const short = (text: string, known?: Map<string, string>) =>
  readSnippet(text, known).drafts.map(
    ({ name, transport, command, args, url }) =>
      `${name}: ${transport === "stdio" ? lineOf(command, args) : `${transport} ${url}`}`,
  );

describe("a snippet is understood as its program wrote it", () => {
  const rows: [from: string, text: string, servers: string[]][] = [
    [
      "Claude Desktop",
      `{"mcpServers": {"filesystem": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/My Files"]},
       "brave": {"command": "npx", "args": ["-y", "brave"], "env": {"BRAVE_API_KEY": "BSA-0123456789"}}}}`,
      ["filesystem: npx -y @modelcontextprotocol/server-filesystem '/Users/me/My Files'", "brave: npx -y brave"],
    ],
    [
      "Claude Code",
      `{"mcpServers": {"docs": {"type": "http", "url": "https://docs.example/mcp"}}}`,
      ["docs: streamable-http https://docs.example/mcp"],
    ],
    [
      "Claude Code's own file, with projects",
      `{"numStartups": 3, "projects": {"/home/me/a": {"allowedTools": [], "mcpServers": {"memory": {"type": "stdio", "command": "memory", "args": []}}}}}`,
      ["memory: memory"],
    ],
    [
      "Cursor",
      `{"mcpServers": {"api": {"url": "https://api.example/mcp", "headers": {"X-Key": "1"}}}}`,
      ["api: streamable-http https://api.example/mcp"],
    ],
    [
      "VS Code's mcp.json",
      `{ // servers of this folder
        "inputs": [{"type": "promptString", "id": "key", "password": true},],
        "servers": {"github": {"type": "http", "url": "https://api.githubcopilot.com/mcp/"}, "play": {"type": "stdio", "command": "npx", "args": ["@playwright/mcp@latest"]}},
      }`,
      ["github: streamable-http https://api.githubcopilot.com/mcp/", "play: npx @playwright/mcp@latest"],
    ],
    [
      "VS Code's settings",
      `{"editor.tabSize": 2, "mcp": {"inputs": [], "servers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}}`,
      ["time: uvx mcp-server-time"],
    ],
    [
      "Zed",
      `/* settings */ {"theme": "One", "context_servers": {"a": {"source": "custom", "command": "node", "args": ["a.js"], "env": {}},
        "b": {"command": {"path": "b-bin", "args": ["--x"], "env": {"B": "1"}}, "settings": {}},}}`,
      ["a: node a.js", "b: b-bin --x"],
    ],
    [
      "Windsurf",
      `{"mcpServers": {"r": {"serverUrl": "https://r.example/sse"}, "off": {"command": "x", "disabled": true}}}`,
      ["r: sse https://r.example/sse", "off: x"],
    ],
    [
      "Codex's tables as JSON",
      `{"mcp_servers": {"linear": {"url": "https://mcp.linear.app/mcp", "bearer_token_env_var": "LINEAR"}, "ctx": {"command": "npx", "args": ["-y", "ctx"], "startup_timeout_sec": 20}}}`,
      ["linear: streamable-http https://mcp.linear.app/mcp", "ctx: npx -y ctx"],
    ],
    [
      "Gemini",
      `{"mcpServers": {"g": {"httpUrl": "https://g.example/sse"}}}`,
      ["g: streamable-http https://g.example/sse"],
    ],
    [
      "opencode",
      `{"$schema": "https://opencode.ai/config.json", "mcp": {"l": {"type": "local", "command": ["bun", "x", "l"], "environment": {"A": "b"}}, "r": {"type": "remote", "url": "https://r.example"}}}`,
      ["l: bun x l", "r: streamable-http https://r.example"],
    ],
    ["Amp", `{"amp.mcpServers": {"a": {"command": "a"}}}`, ["a: a"]],
    [
      "a setup file of ours",
      `{"servers": [{"name": "m", "command": "memory", "tags": ["notes"]}, {"name": "u", "url": "https://u.example"}]}`,
      ["m: memory", "u: streamable-http https://u.example"],
    ],
    [
      "an export with transport sse",
      `{"servers": [{"name": "e", "transport": "sse", "url": "https://e.example/x"}]}`,
      ["e: sse https://e.example/x"],
    ],
    [
      "one entry",
      `{"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]}`,
      ["memory: npx -y @modelcontextprotocol/server-memory"],
    ],
    [
      "one remote entry",
      `{"url": "https://mcp.sentry.dev/mcp"}`,
      ["sentry: streamable-http https://mcp.sentry.dev/mcp"],
    ],
    ["a member without its braces", `"memory": {"command": "memory"},`, ["memory: memory"]],
    ["mcpServers without its braces", `"mcpServers": {"a": {"command": "a"}}`, ["a: a"]],
    ["entries by name alone", `{"a": {"command": "a"}, "b": {"command": "b"}}`, ["a: a", "b: b"]],
    ["a list of entries", `[{"command": "a"}, {"command": "b"}]`, ["a: a", "b: b"]],
    ["a fence around it", '```json\n{"mcpServers": {"a": {"command": "a"}}}\n```\n', ["a: a"]],
    ["a byte order mark", `\uFEFF{"a": {"command": "a"}}`, ["a: a"]],
    ["a whole line as command", `{"a": {"command": "npx -y 'a b'"}}`, ["a: npx -y 'a b'"]],
    [
      "a program in a folder with a blank",
      `{"a": {"command": "C:\\\\Program Files\\\\a.exe"}}`,
      [`a: 'C:\\Program Files\\a.exe'`],
    ],
    ["numbers among arguments", `{"a": {"command": "a", "args": ["--port", 80, true, null]}}`, ["a: a --port 80 true"]],
    ["a server called __proto__", `{"mcpServers": {"__proto__": {"command": "a"}}}`, ["_proto: a"]],
    ["a server called servers", `{"mcpServers": {"servers": {"command": "a"}}}`, ["servers: a"]],
  ];
  test.each(rows)("%s", (_, text, servers) => expect(short(text)).toEqual(servers));
});

describe("what is no server says why, with line and reason", () => {
  const rows: [text: string, problem: string | RegExp][] = [
    ["", "Line 1, column 1: there is nothing here yet"],
    ["  // only this\n", /Line 2, .*nothing here yet/],
    [`{"a": {"command": "x"`, `Line 1, column 7: the "{" that begins here is never closed with "}"`],
    [
      `{\n  "a": {\n    "command": "x"\n    "args": []\n  }\n}`,
      `Line 4, column 5: a comma is missing after the value of "command"`,
    ],
    [`{\n  "a" {}\n}`, `Line 2, column 7: a colon is missing after "a"`],
    [`{\n\n "a": {"command": "x}\n}`, `Line 3, column 19: a text begins here and its closing quote is missing`],
    [`{'a': 1}`, "Line 1, column 2: a name must stand in double quotes, not in single ones"],
    [`{“a”: 1}`, /Line 1, column 2: .*curly quote \(“\), where JSON wants a straight one/],
    [`{"a": “b”}`, /Line 1, column 7: .*curly quote/],
    [`{"a": npx}`, `Line 1, column 7: "npx" must stand in double quotes`],
    [`{"a": 'b'}`, `Line 1, column 7: a value is expected, and "'" is none`],
    [`{a: 1}`, `Line 1, column 2: a name in double quotes is expected, and "a" is none`],
    [`{"a": "C:\\Users"}`, /Line 1, column 10: a backslash stands alone/],
    [`{"a": ["b" "c"]}`, /column 12: a comma is missing between two items/],
    [`{"a": ["b"}`, `Line 1, column 11: "}" closes nothing here; "]" is expected`],
    [`"a": {"command": "x"} }`, `Line 1, column 23: "}" closes nothing here`],
    [`{} {}`, `Line 1, column 4: "{" comes after the end of the JSON`],
    [`{"a": 01}`, `Line 1, column 7: "01" must stand in double quotes`],
    [`{ /* open`, "Line 1, column 3: a comment begins here and is never closed"],
    ["[".repeat(5000), /nested too deeply/],
    [`{}`, "The braces are empty."],
    [`{"theme": "dark"}`, /no server in it/],
    [`42`, /no server in it/],
    [`[mcp_servers.memory]\ncommand = "npx"`, /This is TOML/],
    [`npx -y @modelcontextprotocol/server-memory`, /command line.*Local/],
    [`https://mcp.example/sse`, /address.*Remote/],
    [`mcpServers:\n  a:\n    command: x`, /YAML/],
  ];
  test.each(rows)("%j", (text, problem) => {
    const found = readSnippet(text);
    expect(found.drafts).toEqual([]);
    expect(found.problem).toMatch(problem);
  });
});

describe("an entry that cannot be taken as it is says so", () => {
  const one = (text: string, known?: Map<string, string>) => readSnippet(text, known).drafts[0];

  test("one that was switched off is not ticked", () => {
    expect(one(`{"a": {"command": "a", "disabled": true}}`)).toMatchObject({ chosen: false });
    expect(one(`{"a": {"command": "a", "enabled": false}}`)).toMatchObject({ chosen: false });
  });
  test("one of the same name gets another, and it is said", () => {
    const draft = one(`{"memory": {"command": "other"}}`, new Map([["memory", "memory"]]));
    expect(draft).toMatchObject({
      name: "memory-2",
      chosen: true,
      notes: ["“memory” is taken; this one becomes “memory-2”."],
    });
  });
  test("one that is here already is not ticked", () => {
    expect(one(`{"mine": {"command": "memory"}}`, new Map([["memory", "memory"]]))).toMatchObject({
      chosen: false,
      notes: ["“memory” is the same and is here already."],
    });
  });
  test("two of one name in a list do not collide", () => {
    expect(short(`[{"name": "a", "command": "x"}, {"name": "a", "command": "y"}]`)).toEqual(["a: x", "a-2: y"]);
  });
  test("an extension of Zed has no command", () => {
    expect(one(`{"context_servers": {"x": {"source": "extension", "settings": {}}}}`)?.problem).toMatch(
      /extension of Zed/,
    );
  });
  test("an entry with nothing in it has no command", () => {
    expect(one(`{"mcpServers": {"x": {}}}`)?.problem).toMatch(/neither/);
  });
  test.each(["ftp://x", "javascript:alert(1)", "not an address"])("%s is no address of a server", (url) => {
    expect(one(JSON.stringify({ x: { url } }))?.problem).toMatch(/no http or https/);
  });
  test.each([
    [`{"x": {"command": "x", "env": {"KEY": "\${input:key}"}}}`, "KEY has ${input:key}"],
    [
      `{"x": {"url": "https://x.example", "headers": {"Authorization": "Bearer \${env:TOKEN}"}}}`,
      "Authorization has ${env:TOKEN}",
    ],
    [`{"x": {"command": "x", "args": ["\${workspaceFolder}"]}}`, "argument 1 has ${workspaceFolder}"],
    [`{"x": {"command": "x", "env": {"TOKEN": "YOUR_API_KEY"}}}`, "placeholder"],
    [`{"x": {"command": "x", "env": {"TOKEN": "<token>"}}}`, "placeholder"],
    [`{"x": {"command": "x", "cwd": "/x"}}`, "working folder"],
    [`{"x": {"command": "x", "env": {"A": {"b": 1}}}}`, "env.A is no text"],
  ])("%s", (text, note) => expect(one(text)?.notes.join()).toContain(note));
  test("what another program fills in is given by hand, and then no longer missed", () => {
    const draft = newDraft({
      env: { A: "x ${input:a}", B: "${env:B}" },
      notes: ["A has ${input:a}, …", "B has ${env:B}, …"],
    });
    expect(filled(draft, { "env.A": "$1", "env.B": "" })).toMatchObject({
      env: { A: "x $1", B: "${env:B}" },
      notes: ["B has ${env:B}, …"],
    });
  });
  test("a reference to a secret of ours is filled in", () => {
    expect(one(`{"x": {"command": "x", "env": {"K": "\${secret:K}"}}}`)?.notes).toEqual([]);
  });
});

describe("a name is one that the hub takes", () => {
  test.each([
    ["My Server", "My-Server"],
    ["@scope/pkg", "scope-pkg"],
    ["a__b_", "a_b"],
    ["registry", "registry-1"],
    ["mcp", "mcp-1"],
    ["é", "e"],
    ["مثال", "server-1"],
    ["", "server-1"],
    ["x".repeat(200), "x".repeat(60)],
    ["<img src=x onerror=alert(1)>", "img-src-x-onerror-alert-1"],
  ])("%j becomes %j", (text, name) => {
    expect(nameFrom(text)).toBe(name);
    expect(nameProblem(name)).toBeUndefined();
  });
  test.each(["", "a b", "a__b", "a_", "mcp", "ü", "x".repeat(65)])("%j is refused", (name) => {
    expect(nameProblem(name)).toBeTruthy();
  });
  test.each([
    ["npx -y @modelcontextprotocol/server-filesystem /tmp", "filesystem"],
    ["npx @playwright/mcp@latest", "mcp-1"],
    ["uvx mcp-server-fetch==1.0", "fetch"],
    ["uvx --from git+https://github.com/me/thing thing", "thing"],
    ["node /home/me/notes/dist/index.js", "notes"],
    ["docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server", "github"],
    ["/usr/local/bin/my-server --stdio", "my"],
    ["python server.py", "server"],
  ])("%s is called %s", (line, name) => {
    const { command, args } = readCommand(line);
    expect(suggestName({ transport: "stdio", command, args, url: "" })).toBe(name);
  });
});

describe("a command line is taken apart as a shell would", () => {
  test.each<[string, string[]]>([
    ["npx -y pkg", ["npx", "-y", "pkg"]],
    [`a "b c" 'd "e"'`, ["a", "b c", `d "e"`]],
    [`a "say \\"hi\\""`, ["a", `say "hi"`]],
    [`a b\\ c`, ["a", "b c"]],
    [`a "" ''`, ["a", "", ""]],
    [`--k="v w"`, ["--k=v w"]],
    [`C:\\bin\\a.exe --dir C:\\x`, ["C:\\bin\\a.exe", "--dir", "C:\\x"]],
    [`"C:\\Program Files\\a.exe" "C:\\my dir\\"`, ["C:\\Program Files\\a.exe", "C:\\my dir\\"]],
    ["a \\\n  b \\\r\n c", ["a", "b", "c"]],
    ["  a \t b\n", ["a", "b"]],
    ["", []],
  ])("%j", (line, words) => expect(split(line)).toEqual({ words }));

  test.each([[["a b", "c'd", 'e"f', "", "g\\h", `C:\\x'y\\`, "ü", "-"]], [[`'`, `"`, `\\`, `\\"`]]])(
    "%j is read as it was written",
    (args) => {
      expect(split(lineOf("p", args)).words).toEqual(["p", ...args]);
    },
  );
  test("variables before the program are its environment", () => {
    expect(readCommand(`$ A=1 B="x y" npx -y p`)).toEqual({
      env: { A: "1", B: "x y" },
      command: "npx",
      args: ["-y", "p"],
    });
  });
  test("an open quote and the signs of a shell are told", () => {
    expect(readCommand(`a "b`).problem).toMatch(/not closed/);
    expect(readCommand("a | b").problem).toMatch(/No shell/);
    expect(readCommand("a 'x | y'").problem).toBeUndefined();
  });
});

describe("credentials are found, and taken out for the keychain", () => {
  test.each([
    ["GITHUB_TOKEN", "abcdef123", true],
    ["apiKey", "abcdef123", true],
    ["Authorization", "Bearer abcdefgh", true],
    ["NOTE", "ghp_0123456789abcdefghij0123", true],
    ["DATABASE", "postgres://me:pass@host/db", true],
    ["PATH", "/usr/bin:/bin", false],
    ["TOKEN", "short", false],
    ["TOKEN", "${secret:TOKEN}", false],
    ["TOKEN_FILE", "/run/token", false],
    ["SECRET", "~/keys/secret.pem", false],
    ["KEYBOARD", "abcdef123", false],
    ["MODE", "production", false],
  ])("%s=%s: %s", (name, value, is) => expect(isCredential(name, value)).toBe(is));

  test("among arguments", () => {
    const args = ["--token", "abcdef123", "--api-key=zyxwvu987", "--port", "8080", "sk-proj-0123456789abcdef0"];
    expect(credentialsIn(args).map(({ index, name }) => [index, name])).toEqual([
      [1, "token"],
      [2, "api-key"],
      [5, "argument 6"],
    ]);
  });
  test("what is kept leaves a reference where nothing else brings it back", () => {
    const draft = newDraft({
      command: "x",
      args: ["--token", "abcdef123", "--api-key=zyxwvu987"],
      env: { API_TOKEN: "qwertz12", MODE: "fast" },
    });
    expect(withSecrets(draft)).toMatchObject({
      args: ["--token", "${secret:token}", "--api-key=${secret:api-key}"],
      env: { MODE: "fast" },
      secrets: { token: "abcdef123", "api-key": "zyxwvu987", API_TOKEN: "qwertz12" },
    });
  });
  test("what is not ticked stays", () => {
    const draft = newDraft({ command: "x", env: { A_TOKEN: "qwertz12", B_TOKEN: "asdfgh34" } });
    const kept = credentialsOf(draft).filter(({ name }) => name === "B_TOKEN");
    expect(withSecrets(draft, kept)).toMatchObject({ env: { A_TOKEN: "qwertz12" }, secrets: { B_TOKEN: "asdfgh34" } });
  });
});

test("a long text is read in one go", () => {
  const entries = Object.fromEntries(
    Array.from({ length: 2000 }, (_, i) => [`s${i}`, { command: "x", args: [String(i)] }]),
  );
  expect(readSnippet(JSON.stringify({ mcpServers: entries }, null, 2)).drafts).toHaveLength(2000);
});

test.each([`"\\u00e4\\n"`, "-1.5e3", "[1,2,]", '{"a":[{},[]]}', "null"])("%s is the value that JSON says", (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text.replace(",]", "]")));
});
