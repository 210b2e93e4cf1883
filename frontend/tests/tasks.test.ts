// Tasks as servers of both eras describe them.

import { expect, test } from "vitest";
import { resultIn, startedBy, taskOf } from "../src/pages/test/tasks.ts";

test.each([
  ["2025-11-25", '{"task":{"taskId":"7","status":"working","pollInterval":5000}}'],
  ["2026-07-28", '{"resultType":"task","taskId":"7","status":"working","pollIntervalMs":5000}'],
])("a call to a server of %s starts a task", (_, answer) => {
  expect(startedBy(answer)).toMatchObject({ id: "7", status: "working", interval: 5_000 });
});

test("a result is no task", () => {
  expect(startedBy('{"content":[{"type":"text","text":"\\"task\\""}],"taskId":"7"}')).toBeUndefined();
  expect(taskOf({ resultType: "complete" })).toBeUndefined();
});

test("the state of a task has its result or its error", () => {
  const content = [{ type: "text", text: "done" }];
  expect(resultIn({ taskId: "7", status: "completed", result: { content } })).toEqual({ content });
  expect(resultIn({ taskId: "7", status: "failed", error: { code: 1, message: "no" } })).toEqual({
    content: [{ type: "text", text: "no" }],
    isError: true,
  });
  expect(resultIn({ taskId: "7", status: "working" })).toBeUndefined();
});
