// An embedding server with the API of Ollama, which can delay its responses or fail.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const DIMENSIONS = 8;

/** vectorOf returns a non-zero vector; texts with similar letters get similar vectors. */
function vectorOf(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0.1);
  for (const letter of text) {
    const at = letter.charCodeAt(0) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}

export class Embedder implements AsyncDisposable {
  /** hold: responses wait for release. fail: responses are errors. */
  mode: "answer" | "hold" | "fail" = "answer";

  #held: (() => void)[] = [];
  #server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => this.#take(JSON.parse(body) as { input: string[] }, response));
  });

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** release sends a number of delayed responses. By default, it sends all and delays no more. */
  release(requests = Infinity): void {
    if (requests === Infinity) this.mode = "answer";
    for (const answer of this.#held.splice(0, requests)) answer();
  }

  #take({ input }: { input: string[] }, response: ServerResponse): void {
    if (this.mode === "fail") return void response.writeHead(503).end();
    const answer = () => response.end(JSON.stringify({ embeddings: input.map(vectorOf) }));
    if (this.mode === "hold") this.#held.push(answer);
    else answer();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
