// The abilities and suspicious properties of a proposed server. Only the hub decides what to warn of, so that the
// dashboard, the tray and the command line give the same warnings.

import type { Server } from "$lib/api/socket";

/** A warning about one place in the configuration. */
export type Mark = NonNullable<Server["risk"]>["marks"][number];

export const consequence = (server: Server): string => server.risk?.consequence ?? "";

/** warnings returns sentences about suspicious properties of a server, worst first. */
export const warnings = (server: Server): string[] => server.risk?.warnings ?? [];

/** marksAt returns the warnings about a place such as args[0] or env.PATH. */
export const marksAt = (server: Server, place: string): Mark[] =>
  (server.risk?.marks ?? []).filter((mark) => mark.place === place);
