// A hub whose home folder has files of editors, with comments, tabs, TOML or syntax errors.

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { many, TestHub } from "./hub.ts";

export const TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

/** entry returns the JSON entry of a server with count tools. */
const entry = (count: number, name: string): string => {
  const [command, ...args] = many(count, name);
  return `"command": ${JSON.stringify(command)}, "args": ${JSON.stringify(args)}`;
};

const cursor = `{
  // what I use every day
  "mcpServers": {
    "notes": { ${entry(40, "notes")} },
    "github": {
      ${entry(6, "github")},
      "env": { "GITHUB_TOKEN": "${TOKEN}" }
    },
  },
}
`;

/** The path and content of each editor's file. With null, only the folder exists. */
const texts = {
  cursor: [".cursor/mcp.json", cursor],
  vscode: [
    ".config/Code/User/mcp.json",
    `{\n\t"servers": {\n\t\t"notes": {"type": "stdio", ${entry(40, "notes")}}\n\t}\n}\n`,
  ],
  "claude-desktop": [".config/Claude/claude_desktop_config.json", null],
  codex: [".codex/config.toml", 'model = "some"\n\n[mcp_servers.clock]\ncommand = "clock-mcp"\nargs = ["--utc"]\n'],
  zed: [".config/zed/settings.json", '{\n  "theme": "One",,\n  "context_servers": {}\n}\n'],
} as const satisfies Record<string, readonly [path: string, text: string | null]>;

export type EditorId = keyof typeof texts;

export class EditorHub extends TestHub {
  readonly ids = Object.keys(texts) as EditorId[];

  /**
   * install creates the files of the given editors, by default of all. Each file appears at the same moment as its
   * folder.
   */
  install(...ids: EditorId[]): this {
    for (const id of ids.length ? ids : this.ids) {
      const [file, text] = texts[id];
      const staged = join(this.folder, `staged-${id}`);
      mkdirSync(dirname(join(staged, file)), { recursive: true });
      if (text !== null) writeFileSync(join(staged, file), text, { mode: 0o600 });
      let part = text === null ? dirname(file) : file; // the longest beginning of the path whose parent exists
      while (!existsSync(dirname(join(this.folder, part)))) part = dirname(part);
      if (part === file || !existsSync(join(this.folder, part)))
        renameSync(join(staged, part), join(this.folder, part));
      rmSync(staged, { recursive: true });
    }
    return this;
  }

  file(id: EditorId): string {
    return join(this.folder, texts[id][0]);
  }

  /** text returns the current content of an editor's file; "" if it does not exist. */
  text(id: EditorId): string {
    return existsSync(this.file(id)) ? readFileSync(this.file(id), "utf8") : "";
  }

  /** original returns the content that install wrote. */
  original(id: EditorId): string {
    return texts[id][1] ?? "";
  }

  write(id: EditorId, text: string | null): void {
    if (text !== null) writeFileSync(this.file(id), text, { mode: 0o600 });
  }

  /** open runs a process with the name of an editor's program. The returned function ends it. */
  async open(name: string): Promise<() => Promise<void>> {
    const program = join(this.folder, name);
    copyFileSync("/bin/sleep", program);
    const child = spawn(program, ["600"], { stdio: "ignore" });
    await once(child, "spawn");
    return async () => {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    };
  }

  lock(id: EditorId): void {
    chmodSync(this.file(id), 0o400);
  }

  /** start runs the hub without variables that relocate editors' files and without editors on the PATH. */
  override start(env: Record<string, string> = {}): Promise<this> {
    const bare = Object.fromEntries(["XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"].map((name) => [name, ""]));
    return super.start({ ...bare, PATH: dirname(process.execPath) + ":/usr/bin:/bin", ...env });
  }
}
