// What is edited of a server, and what is sent of it.

import type { Server } from "$lib/api/socket";
import { tagsOf } from "../add/draft";
import { pairsOf, textsOf } from "../Pairs.svelte";

/** formOf fills a form from a server. */
export const formOf = (from: Server) => ({
  description: from.description,
  transport: from.transport,
  command: from.command ?? "",
  args: from.args ?? [],
  homepage: from.homepage ?? "",
  env: pairsOf(from.env),
  headers: pairsOf(from.headers),
  tags: (from.tags ?? []).join(", "),
});

/** said is what a form says, as the hub takes it. */
export const said = (of: ReturnType<typeof formOf>) => ({
  description: of.description,
  transport: of.transport,
  command: of.command.trim(),
  args: [...of.args],
  homepage: of.homepage.trim(),
  env: textsOf(of.env),
  headers: textsOf(of.headers),
  tags: tagsOf(of.tags),
});
