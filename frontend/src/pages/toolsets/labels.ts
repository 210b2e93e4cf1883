// The words for states of toolsets and their tools.

import { plural } from "$lib/format";
import type { Toolset, ToolsetTool } from "$lib/stores/toolsets.svelte";
import type { Tone } from "$lib/ui/state";

type State = ToolsetTool["state"];

export const states: Record<State, { label: string; tone: Tone; text: string }> = {
  ready: { label: "Ready", tone: "good", text: "As you have accepted it" },
  drifted: { label: "Changed", tone: "warn", text: "Calls are refused until you pin it again" },
  missing: { label: "Missing", tone: "bad", text: "Its server was removed or does not list it any more" },
  waiting: {
    label: "Waits",
    tone: "neutral",
    text: "The tool or its server waits for approval, or its server is disabled or incomplete",
  },
};

/** summaryOf returns the most important fact about the state of a toolset. */
export function summaryOf(set: Toolset): { label: string; tone: Tone } {
  if (!set.approved) return { label: "Waits for approval", tone: "warn" };
  const number = (state: State) => set.tools.filter((tool) => tool.state === state).length;
  const gone = number("missing") ? `, ${number("missing")} missing` : "";
  if (number("drifted")) return { label: `${plural(number("drifted"), "tool")} changed${gone}`, tone: "warn" };
  if (set.tools.some((tool) => tool.proposed_note)) return { label: "Note to review", tone: "warn" };
  if (number("missing")) return { label: `${plural(number("missing"), "tool")} missing`, tone: "bad" };
  if (number("waiting")) return { label: `${plural(number("waiting"), "tool")} waiting`, tone: "neutral" };
  const disabled = set.tools.filter((tool) => tool.disabled).length;
  if (disabled) return { label: `${plural(disabled, "tool")} disabled`, tone: "warn" };
  return { label: "Ready", tone: "good" };
}

/** keyOfTool identifies a tool in its toolset. */
export const keyOfTool = ({ server, tool }: { server: string; tool: string }): string => `${server}.${tool}`;
