// Parsing of results into parts to display. Results are untrusted.

import { isObject, own, parse, print } from "../../lib/form/json.ts";

export type Block =
  | { kind: "text"; text: string; notes: string }
  | { kind: "image"; src: string; mime: string; size: number; notes: string }
  | { kind: "audio"; src: string; mime: string; size: number; notes: string }
  | { kind: "link"; uri: string; name: string; description: string; mime: string; notes: string }
  | { kind: "resource"; uri: string; mime: string; text?: string; blob?: string; notes: string }
  | { kind: "other"; json: string; why: string; notes: string };

export interface Outcome {
  blocks: Block[];
  /** The structuredContent of the result as indented JSON. */
  structured?: string;
  isError: boolean;
  /** The message of the hub about the failed call; empty if there is none. */
  hint?: string;
  meta?: string;
  /** The whole result as indented JSON. */
  whole: string;
}

// Formats that browsers show without running code. SVG is excluded: it can contain scripts.
const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const SOUNDS = new Set(
  ["wav", "x-wav", "wave", "mpeg", "mp3", "ogg", "webm", "aac", "mp4", "flac"].map((name) => `audio/${name}`),
);

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** read parses the JSON result of tools/call. */
export function read(raw: string): Outcome {
  const parsed = parse(raw);
  if (!parsed.ok || !isObject(parsed.value))
    return { blocks: [{ kind: "text", text: raw, notes: "" }], isError: false, whole: raw };
  const result = parsed.value;
  const content = own(result, "content");
  const structured = own(result, "structuredContent");
  const meta = own(result, "_meta");
  return {
    blocks: Array.isArray(content) ? content.map(blockOf) : [],
    structured: structured === undefined ? undefined : print(structured),
    isError: own(result, "isError") === true,
    hint: hintOf(own(result, "arguments_error"), own(result, "did_you_mean")),
    meta: meta === undefined ? undefined : print(meta),
    whole: print(result, 2, raw),
  };
}

function hintOf(misfit: unknown, meant: unknown): string {
  if (misfit) return `The arguments do not fit the schema of the tool: ${text(misfit)}.`;
  return Array.isArray(meant) ? `Did you mean ${meant.map(text).join(" or ")}?` : "";
}

/** blockOf parses one content block. */
export function blockOf(block: unknown): Block {
  if (!isObject(block)) return { kind: "other", json: print(block), why: "not a content block", notes: "" };
  const get = (name: string) => text(own(block, name));
  const notes = notesOf(own(block, "annotations"));
  const mime = get("mimeType");
  switch (get("type")) {
    case "text":
      return { kind: "text", text: get("text"), notes };
    case "image":
      return media("image", mime, get("data"), notes);
    case "audio":
      return media("audio", mime, get("data"), notes);
    case "resource_link":
      return {
        kind: "link",
        uri: get("uri"),
        name: get("title") || get("name"),
        description: get("description"),
        mime,
        notes,
      };
    case "resource": {
      const inner = own(block, "resource");
      return { ...contentOf(isObject(inner) ? inner : {}), notes };
    }
  }
  return { kind: "other", json: print(block), why: `a block of type “${get("type").slice(0, 40)}”`, notes };
}

/** contentOf parses resource contents: text, image, audio or other bytes. */
export function contentOf(content: object): Exclude<Block, { kind: "link" }> {
  const [uri, mime] = [text(own(content, "uri")), text(own(content, "mimeType"))];
  const blob = own(content, "blob");
  if (typeof blob === "string") {
    if (IMAGES.has(mime)) return media("image", mime, blob, "");
    if (SOUNDS.has(mime)) return media("audio", mime, blob, "");
    return { kind: "resource", uri, mime, blob, notes: "" };
  }
  return { kind: "resource", uri, mime, text: text(own(content, "text")), notes: "" };
}

function media(kind: "image" | "audio", mime: string, data: string, notes: string): Exclude<Block, { kind: "link" }> {
  const known = (kind === "image" ? IMAGES : SOUNDS).has(mime.toLowerCase());
  const json = print({ type: kind, mimeType: mime, data: data.length > 200 ? `${data.slice(0, 200)}…` : data });
  if (!known) return { kind: "other", json, why: `${kind} of type “${mime.slice(0, 60)}” is not supported`, notes };
  if (!isBase64(data)) return { kind: "other", json, why: `${kind} with invalid base64 data`, notes };
  return {
    kind,
    src: `data:${mime.toLowerCase()};base64,${data.replace(/\s/g, "")}`,
    mime,
    size: bytesIn(data),
    notes,
  };
}

export const isBase64 = (data: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(data.replace(/\s/g, ""));

/** The number of bytes in a base64 text. */
export const bytesIn = (data: string): number => Math.floor((data.replace(/[\s=]/g, "").length * 3) / 4);

function notesOf(notes: unknown): string {
  if (!isObject(notes)) return "";
  const audience = own(notes, "audience");
  const priority = own(notes, "priority");
  return [
    Array.isArray(audience) && audience.length ? `for ${audience.map(String).join(" and ").slice(0, 60)}` : "",
    typeof priority === "number" ? `priority ${priority}` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** pretty indents a text that is JSON, and returns other texts unchanged. */
export function pretty(given: string): string {
  if (!/^\s*[[{]/.test(given) || given.length > 2_000_000) return given;
  const parsed = parse(given);
  return parsed.ok ? print(parsed.value, 2, given) : given;
}

/** textOf returns the text of a result that a model would read. */
export function textOf(outcome: Outcome): string {
  const texts = outcome.blocks.map((block) => {
    if (block.kind === "text") return block.text;
    if (block.kind === "resource") return block.text ?? "";
    return block.kind === "link" ? `${block.name} ${block.uri} ${block.description}` : "";
  });
  const whole = texts.filter(Boolean).join("\n");
  return whole || (outcome.structured ?? "");
}

/** tokensIn estimates the number of tokens in a text. It approximates o200k_base without its vocabulary. */
export function tokensIn(given: string): number {
  const part = given.slice(0, 1_000_000);
  let tokens = 0;
  for (const [piece] of part.matchAll(/\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]+|\n+/gu)) {
    if (/^\p{L}/u.test(piece))
      tokens += Math.max(1, Math.round(piece.length / (/^[\u0000-\u024f]/.test(piece) ? 6 : 2)));
    else tokens += /^[\p{N}\n]/u.test(piece) ? 1 : Math.ceil(piece.length / 3);
  }
  return Math.round(tokens * (given.length / Math.max(1, part.length)));
}
