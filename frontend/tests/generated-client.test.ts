// Tests of a client whose types are all generated from the hub's OpenAPI document. It calls the operations that
// return answers of servers. The compiler checks the types of these answers.

import { expect, test } from "vitest";
import type { paths } from "../src/lib/api/schema";
import { packaged, TestHub } from "./support/hub.ts";

type Answers = { responses: { 200: { content: { "application/json": unknown } } } };
type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? B : undefined;
type Answer<O> = O extends { responses: { 200: { content: { "application/json": infer A } } } } ? A : never;
type Method = "get" | "post";
type Operation<P extends keyof paths, M extends Method> = paths[P][M] & Answers;

/** client returns a function that calls an operation by its path in the document. */
function client(hub: TestHub) {
  return async function call<P extends keyof paths, M extends Method>(
    method: M,
    path: P,
    id: string,
    body: Body<Operation<P, M>>,
  ): Promise<Answer<Operation<P, M>>> {
    const response = await fetch(hub.url + path.replace("{id}", id), {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${hub.info.token}` },
      body: body === undefined ? null : JSON.stringify(body),
    });
    expect(response.status, `${method} ${path}`).toBe(200);
    return (await response.json()) as Answer<Operation<P, M>>;
  };
}

test("a generated client reads the answers of servers", async () => {
  await using hub = await new TestHub().start();
  const call = client(hub);
  const id = String(await hub.add("everything", packaged("everything")));
  await hub.rest("POST", `/api/servers/${id}/activate`);
  const [command, ...args] = packaged("everything");
  const { handle } = await hub.restAsPerson<{ handle: string }>("POST", "/api/transient", { command, args });

  const tools = await call("get", "/api/servers/{id}/tools", id, undefined);
  expect(tools.tools.map((tool) => tool["name"])).toContain("echo");
  const resources = await call("get", "/api/servers/{id}/resources", id, undefined);
  const uri = String(resources.resources[0]?.["uri"]);
  const read = await call("post", "/api/servers/{id}/resource/read", id, { uri });
  expect(read.contents[0]?.["uri"]).toBe(uri);
  const templates = await call("get", "/api/servers/{id}/resource-templates", id, undefined);
  expect(templates.resourceTemplates.length).toBeGreaterThan(0);
  const prompts = await call("get", "/api/servers/{id}/prompts", id, undefined);
  expect(prompts.prompts.map((prompt) => prompt["name"])).toContain("simple-prompt");
  const prompt = await call("post", "/api/servers/{id}/prompt/get", id, { name: "simple-prompt" });
  expect(prompt.messages[0]?.["role"]).toBe("user");
  const echoed = await call("post", "/api/servers/{id}/call", id, { tool: "echo", args: { message: "hello" } });
  expect(echoed.content?.[0]?.["text"]).toBe("Echo: hello");
  const structured = await call("post", "/api/servers/{id}/call", id, {
    tool: "get-structured-content",
    args: { location: "New York" },
  });
  expect(Object.keys(structured.structuredContent ?? {})).toContain("temperature");

  const same = await call("get", "/api/transient/{id}/tools", handle, undefined);
  expect(same.tools.length).toBe(tools.tools.length);
  const failed = await call("post", "/api/transient/{id}/call", handle, { tool: "no-such-tool" });
  expect(failed.isError).toBe(true);
});
