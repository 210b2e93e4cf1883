// An agent for tests, which runs a companion process as an editor does and sends it JSON-RPC messages.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { binary, type TestHub } from "./hub.ts";

interface Answer {
  id?: number;
  result?: { content?: { text: string }[]; isError?: boolean };
  error?: { message: string };
}

export class Agent {
  #process: ChildProcessWithoutNullStreams;
  #waiting = new Map<number, (answer: Answer) => void>();
  #id = 0;

  private constructor(hub: TestHub) {
    const env = { ...process.env, AGENT_DISCOVER_HOME: hub.folder };
    this.#process = spawn(binary, ["mcp"], { env, stdio: "pipe" });
    createInterface({ input: this.#process.stdout }).on("line", (line) => {
      const answer = JSON.parse(line) as Answer;
      if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer);
    });
  }

  /** join starts a companion and initializes an MCP session with a client name. */
  static async join(hub: TestHub, name: string): Promise<Agent> {
    const agent = new Agent(hub);
    const clientInfo = { name, version: "1.0.0" };
    await agent.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    agent.#write({ method: "notifications/initialized" });
    await agent.ask("tools/list", {});
    return agent;
  }

  #write(message: object): void {
    this.#process.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  }

  ask(method: string, params: object): Promise<Answer> {
    const id = ++this.#id;
    const answer = new Promise<Answer>((found) => this.#waiting.set(id, found));
    this.#write({ id, method, params });
    return answer;
  }

  /** cancel cancels the last request. */
  cancel(): void {
    this.#write({ method: "notifications/cancelled", params: { requestId: this.#id } });
  }

  /** registry calls the hub's registry tool and returns its text. */
  async registry(action: string, args: object): Promise<string> {
    const { result, error } = await this.ask("tools/call", { name: "registry", arguments: { action, ...args } });
    if (error) throw new Error(error.message);
    return result?.content?.[0]?.text ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = new Promise((done) => this.#process.once("exit", done));
    this.#process.stdin.end();
    await gone;
  }
}
