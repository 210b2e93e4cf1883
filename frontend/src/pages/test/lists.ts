// Parsing of the tools, resources, templates and prompts that servers list, which may violate MCP.

import { isObject, own } from "../../lib/form/json.ts";

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: unknown;
  outputSchema: unknown;
  readOnly?: boolean;
  destructive?: boolean;
  idempotent?: boolean;
  openWorld?: boolean;
  /** Whether a call may run as a task: "required", "optional", or any other text if it may not. */
  task: string;
}

export interface Resource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  size?: number;
}

export interface Template {
  uriTemplate: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
}

export interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; title: string; description: string; required: boolean }[];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const flag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

/**
 * each converts the objects of a list. It skips objects without a name (the member key) and those with a duplicate
 * name.
 */
function each<T>(list: unknown, key: string, make: (item: object, get: (name: string) => string) => T): T[] {
  if (!Array.isArray(list)) return [];
  const seen = new Set<string>();
  return list.flatMap((item: unknown) => {
    if (!isObject(item)) return [];
    const get = (name: string) => text(own(item, name));
    const id = get(key);
    if (!id || seen.has(id)) return [];
    seen.add(id);
    return [make(item, get)];
  });
}

export const toolsOf = (list: unknown): Tool[] =>
  each(list, "name", (item, get) => {
    const [notes, execution] = [own(item, "annotations"), own(item, "execution")];
    const note = (name: string) => (isObject(notes) ? own(notes, name) : undefined);
    return {
      name: get("name"),
      title: get("title") || text(note("title")),
      description: get("description"),
      inputSchema: own(item, "inputSchema"),
      outputSchema: own(item, "outputSchema"),
      readOnly: flag(note("readOnlyHint")),
      destructive: flag(note("destructiveHint")),
      idempotent: flag(note("idempotentHint")),
      openWorld: flag(note("openWorldHint")),
      task: isObject(execution) ? text(own(execution, "taskSupport")) : "",
    };
  });

export const resourcesOf = (list: unknown): Resource[] =>
  each(list, "uri", (item, get) => {
    const size = own(item, "size");
    return {
      uri: get("uri"),
      name: get("name") || get("uri"),
      title: get("title"),
      description: get("description"),
      mimeType: get("mimeType"),
      size: typeof size === "number" && size >= 0 ? size : undefined,
    };
  });

export const templatesOf = (list: unknown): Template[] =>
  each(list, "uriTemplate", (_, get) => ({
    uriTemplate: get("uriTemplate"),
    name: get("name") || get("uriTemplate"),
    title: get("title"),
    description: get("description"),
    mimeType: get("mimeType"),
  }));

export const promptsOf = (list: unknown): Prompt[] =>
  each(list, "name", (item, get) => ({
    name: get("name"),
    title: get("title"),
    description: get("description"),
    arguments: each(own(item, "arguments"), "name", (argument, of) => ({
      name: of("name"),
      title: of("title"),
      description: of("description"),
      required: own(argument, "required") === true,
    })),
  }));

/** schemaOf returns a JSON Schema for the arguments of a prompt, which are all strings. */
export const schemaOf = (prompt: Prompt): object => ({
  type: "object",
  properties: Object.fromEntries(
    prompt.arguments.map(({ name, title, description }) => [name, { type: "string", title, description }]),
  ),
  required: prompt.arguments.filter((argument) => argument.required).map((argument) => argument.name),
});
