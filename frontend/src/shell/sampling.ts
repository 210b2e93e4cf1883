// Parsing of the parameters of sampling/createMessage. They are untrusted.

import { isObject, own, print } from "$lib/form/json";
import { blockOf, type Block } from "../pages/test/result";

export interface SampledMessage {
  role: string;
  blocks: Block[];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** messagesOf returns the messages for the model, the system prompt first. */
export function messagesOf(request: object): SampledMessage[] {
  const list = own(request, "messages");
  const messages = (Array.isArray(list) ? list : []).filter(isObject).map((message) => {
    const content = own(message, "content");
    return {
      role: text(own(message, "role")).slice(0, 40) || "no role",
      blocks: (Array.isArray(content) ? content : [content]).slice(0, 50).map(blockOf),
    };
  });
  const system = text(own(request, "systemPrompt"));
  return system ? [{ role: "system", blocks: [blockOf({ type: "text", text: system })] }, ...messages] : messages;
}

/** plainTextOf returns messages as a text to paste into a chat. */
export const plainTextOf = (messages: SampledMessage[]): string =>
  messages
    .map(
      ({ role, blocks }) =>
        `${role}:\n${blocks.map((block) => (block.kind === "text" ? block.text : `[${block.kind}]`)).join("\n")}`,
    )
    .join("\n\n");

/** wishesOf returns the parameters of the request and the preferences for the model, as labels and texts. */
export function wishesOf(request: object): [label: string, text: string][] {
  const preferences = own(request, "modelPreferences");
  const prefers = (name: string) => (isObject(preferences) ? own(preferences, name) : undefined);
  const hints = prefers("hints");
  const weight = (name: string) => {
    const value = prefers(name);
    return typeof value === "number" ? `${Math.round(Math.min(Math.max(value, 0), 1) * 100)} %` : "";
  };
  const priorities = (
    [
      ["quality", weight("intelligencePriority")],
      ["speed", weight("speedPriority")],
      ["low cost", weight("costPriority")],
    ] as const
  ).flatMap(([name, value]) => (value ? [`${name} ${value}`] : []));
  const given = (value: unknown) => (value === undefined || value === null ? "" : print(value, 0));
  const context = text(own(request, "includeContext"));
  const tools = own(request, "tools");
  const stops = own(request, "stopSequences");
  const all: [string, string][] = [
    [
      "Model",
      Array.isArray(hints)
        ? hints
            .filter(isObject)
            .map((hint) => text(own(hint, "name")))
            .filter(Boolean)
            .join(", ")
        : "",
    ],
    ["Priorities", priorities.join(", ")],
    [
      "Length",
      typeof own(request, "maxTokens") === "number" ? `at most ${String(own(request, "maxTokens"))} tokens` : "",
    ],
    ["Temperature", given(own(request, "temperature"))],
    ["Ends at", Array.isArray(stops) && stops.length ? stops.map((stop) => given(stop)).join(" or ") : ""],
    [
      "Context",
      context && context !== "none"
        ? `of ${context === "thisServer" ? "this server" : "all servers"}, which is not added here`
        : "",
    ],
    ["Tools", Array.isArray(tools) && tools.length ? `${tools.length}, which a person cannot call from here` : ""],
  ];
  return all.filter(([, value]) => value).map(([label, value]) => [label, value.slice(0, 1_000)]);
}
