// The abilities and suspicious properties of a proposed server. The hub alone decides what to warn of, so that every
// surface says the same.

import type { Server } from "$lib/api/socket";

/** A warning about one place in the configuration. */
export type Mark = NonNullable<Server["risk"]>["marks"][number];

export const consequence = (server: Server): string => server.risk?.consequence ?? "";

/** warnings returns sentences about suspicious properties of a server, worst first. */
export const warnings = (server: Server): string[] => server.risk?.warnings ?? [];

/** marksAt returns the warnings about a place such as args[0] or env.PATH. */
export const marksAt = (server: Server, place: string): Mark[] =>
  (server.risk?.marks ?? []).filter((mark) => mark.place === place);
