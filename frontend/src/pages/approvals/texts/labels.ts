// The words, icons and tones for held items and for what the scan says about them.

import CircleCheck from "@lucide/svelte/icons/circle-check";
import Info from "@lucide/svelte/icons/info";
import ShieldX from "@lucide/svelte/icons/shield-x";
import TriangleAlert from "@lucide/svelte/icons/triangle-alert";
import type { Component } from "svelte";
import type { Item } from "$lib/stores/trust.svelte";
import type { Tone } from "$lib/ui/state";
import { visible } from "$lib/verbatim";

export const verdicts: Record<Item["verdict"], { word: string; tone: Tone; icon: Component; title: string }> = {
  block: { word: "Blocked", tone: "bad", icon: ShieldX, title: "The scan found signs of an attack" },
  warn: { word: "Suspicious", tone: "warn", icon: TriangleAlert, title: "The scan found something suspicious" },
  note: { word: "Note", tone: "neutral", icon: Info, title: "The scan found something unusual that is often harmless" },
  none: { word: "Clean", tone: "good", icon: CircleCheck, title: "The scan found nothing" },
};

const kinds: Record<Item["kind"], string> = {
  tool: "tool",
  prompt: "prompt",
  resource: "resource",
  template: "resource template",
  instructions: "instructions",
};

export const kindWord = ({ kind }: Item): string => kinds[kind];

/** nameOf returns the name of an item for a sentence. */
export const nameOf = ({ kind, name, server }: Pick<Item, "kind" | "name" | "server">): string =>
  kind === "instructions" ? `Instructions of ${server}` : visible(name);

/** stateWord returns the state of an item in one or two words. */
export const stateWord = ({ state, verdict, reason }: Item): string => {
  if (state === "approved") return "In use";
  if (state === "rejected") return "Rejected";
  if (state === "changed" || (verdict === "block" && reason === "changed")) return "Changed";
  return reason === "launch" ? "Held" : "New";
};

/** whyOf returns the sentences about why an item is held or shown. */
export function whyOf(item: Item): string {
  return item.listed ? causeOf(item) : `${causeOf(item)} Its server no longer lists it.`;
}

function causeOf({ state, reason, flips, verdict }: Item): string {
  if (state === "approved")
    return flips && verdict !== "warn"
      ? `Agents can use it. Its definition has changed and come back ${flips} times.`
      : "Agents can use it.";
  if (state === "rejected") return "You rejected it.";
  if (state === "blocked") return "The scan found signs of an attack in its definition.";
  if (reason === "launch") return "Its server is started in another way than when you approved it.";
  if (state === "changed") return "Its definition has changed since it was approved.";
  if (reason === "proposed") return "Its server was proposed by an agent or came with a persona.";
  if (reason === "alike")
    return "Its name differs from another one of its server only in case, width, spaces or characters that cannot be seen.";
  if (reason === "scan") return "The scan found something suspicious in its definition.";
  return "Its server has added it.";
}

const severity: Record<Item["verdict"], number> = { block: 3, warn: 2, note: 1, none: 0 };

/** urgency returns a number by which items are sorted: those that wait first, and among these the worst first. */
export const urgency = ({ waits, state, verdict }: Item): number =>
  (waits ? 20 : state === "rejected" ? 0 : 10) + 2 * severity[verdict] + (state === "changed" ? 1 : 0);

const members: Record<string, string> = {
  name: "Name",
  title: "Title",
  description: "Description",
  inputSchema: "Arguments",
  outputSchema: "Result",
  annotations: "Hints",
  arguments: "Arguments",
  icons: "Icons",
  uri: "URI",
  uriTemplate: "URI template",
  mimeType: "Type",
  _meta: "Metadata",
};

/** placeOf describes in words the place in a definition that a JSON pointer names, with hidden characters escaped. */
export function placeOf(pointer: string): string {
  if (!pointer) return "Text";
  const [first = "", ...rest] = pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const argument = first === "inputSchema" && rest[0] === "properties" && rest[1] !== undefined;
  if (!argument) return [members[first] ?? visible(first), ...rest.map(visible)].join(" › ");
  const [, name = "", ...more] = rest;
  return [`Argument ${visible(name)}`, ...more.filter((part) => part !== "properties").map(visible)].join(" › ");
}
