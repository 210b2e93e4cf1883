// The words for states, outcomes and clients, which the hub, the tray and the command line use too.

import type { Schemas } from "./api/client.ts";
import table from "../../../backend/base/words/words.json" with { type: "json" };

export interface Word {
  word: string;
  title: string;
}

export const words: {
  servers: Record<keyof (typeof table)["servers"], Word>;
  checks: Record<string, Word>;
  listed: Word;
  outcomes: Record<keyof (typeof table)["outcomes"], Word>;
  clients: Record<string, Word>;
} = table;

/** clientWord returns the name to show for a client of the log: "Dashboard" for this page. */
export const clientWord = (name: string): string => words.clients[name]?.word ?? name;

/** secretPlace names the place where the hub stores secrets, for the middle of a sentence. */
export const secretPlace = (vault: Schemas["VaultStatus"] | undefined): string =>
  vault?.keeper === "file" ? "the secrets file" : "the keychain";

/** The meaning of "Always listed", as a tooltip. */
export const explained = `${words.listed.title}, so that agents need not search for them. Agents find and call the tools of other servers too.`;

/**
 * serverLabel returns the name of a server for a sentence. The name of an ad-hoc server is generated and is not shown.
 */
export const serverLabel = (name: string): string => (name.startsWith("__transient__") ? "The ad-hoc server" : name);
