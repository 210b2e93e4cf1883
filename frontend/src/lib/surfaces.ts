// The surfaces: the sets of tools that a client of the hub can be shown.

import { editors } from "./stores/editors.svelte";

const SERVER = "server:";
const TOOLSET = "toolset:";

/**
 * surfaces returns the surfaces that are not limited to one server or toolset. The first is the default of new
 * entries.
 */
export const surfaces = (): { value: string; label: string; text: string }[] =>
  (editors.answer?.surfaces ?? []).map(({ surface, label, text }) => ({ value: surface, label, text }));

/** serverOf returns the server of a surface that is limited to one server; otherwise "". */
export const serverOf = (surface: string): string => (surface.startsWith(SERVER) ? surface.slice(SERVER.length) : "");

/** toolsetOf returns the toolset of a surface that is limited to one toolset; otherwise "". */
export const toolsetOf = (surface: string): string =>
  surface.startsWith(TOOLSET) ? surface.slice(TOOLSET.length) : "";

/**
 * choices returns the options of a drop-down list: the result of surfaces, and one for each toolset and each server.
 */
export const choices = (
  servers: readonly { name: string }[],
  toolsets: readonly { name: string }[] = [],
): { value: string; label: string }[] => [
  ...surfaces(),
  ...toolsets.map(({ name }) => ({ value: TOOLSET + name, label: `Toolset ${name}` })),
  ...servers.map(({ name }) => ({ value: SERVER + name, label: `Only ${name}` })),
];

/** labelOf returns the name of a surface. */
export const labelOf = (surface: string): string =>
  surfaces().find(({ value }) => value === surface)?.label ??
  (toolsetOf(surface) ? `Toolset ${toolsetOf(surface)}` : `Only ${serverOf(surface)}`);
