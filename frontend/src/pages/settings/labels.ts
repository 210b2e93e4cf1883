// What the settings are called, and how they are entered.

import type { Setting, ToolRule } from "$lib/stores/settings.svelte";

export interface Entry {
  key: string;
  label: string;
  hint: string;
  /** The values of a choice. */
  choices?: string[];
}

export interface Group {
  title: string;
  entries: Entry[];
}

const entry = (key: string, label: string, hint: string, choices?: string[]): Entry => ({ key, label, hint, choices });

/** The settings by subject. Those that are not named here are shown under their keys, as Other settings. */
export const groups: Group[] = [
  {
    title: "Agents and tools",
    entries: [
      entry("agents.install", "Agents may add servers and toolsets", "ask: a person approves each", [
        "ask",
        "allow",
        "deny",
      ]),
      entry("discovery.enabled", "Apply rules and overrides", "Limits of clients and approvals always apply"),
      entry("discovery.approval.destructive", "Ask before destructive calls", "A person approves each such call"),
      entry("discovery.startNew", "Start new servers once", "So that agents find their tools"),
      entry("discovery.cache.enabled", "Keep lists of tools", "Otherwise servers are asked each time"),
      entry("discovery.cache.ttl", "Age of lists of tools", "In seconds; older ones are read again"),
    ],
  },
  {
    title: "Trust",
    entries: [
      entry(
        "trust.changes",
        "Changed and new tools",
        "clean: a person approves only those in which the scan finds something",
        ["ask", "clean"],
      ),
      entry(
        "trust.results",
        "Results that give orders",
        "note: log only; mark: also tell the agent; block: keep back",
        ["note", "mark", "block"],
      ),
      entry("trust.credentials", "Credentials in calls", "warn: log only; mask: replace; block: refuse the call", [
        "off",
        "warn",
        "mask",
        "block",
      ]),
    ],
  },
  {
    title: "Servers",
    entries: [
      entry("limits.start_timeout", "Time to start", "For a server to start and list its tools, such as 1m"),
      entry("limits.call_timeout", "Time of a call", "Without an answer or progress, such as 90s"),
      entry("limits.idle_stop", "Stop idle servers after", "Since the last call, such as 5m"),
      entry("limits.refresh_tools", "List tools again every", "Of servers that announce no changes; 0s: never"),
      entry("limits.processes", "Processes at the same time", "0: any number"),
      entry("limits.server_memory_mb", "Memory of a server", "In MiB; 0: any amount"),
      entry("warm_packages", "Download packages early", "As soon as a server is added"),
    ],
  },
  {
    title: "Search",
    entries: [
      entry("search.provider", "Provider of meanings", "builtin works without a network", [
        "builtin",
        "none",
        "local",
        "openai",
      ]),
      entry("search.model", "Model", "Of local and openai"),
      entry("search.url", "Address", "Of local"),
      entry("search.threads", "Cores in the background", "That builtin may use"),
      entry("search.idle_unload", "Unload the model after", "Since its last use; 0s: never"),
      entry("search.learning", "Learn from calls", "Prefer tools that agents called after similar queries"),
    ],
  },
  {
    title: "Records and files",
    entries: [
      entry("log.retention_days", "Days to keep the log of calls", "0: forever"),
      entry("audit.retention_days", "Days to keep the audit log", "0: forever"),
      entry("results.folder", "Folder for files of long results", "Empty: agents cannot save files"),
      entry("setup_file", "Setup file", "JSON file that declares servers; empty: none"),
    ],
  },
  {
    title: "Hub",
    entries: [
      entry("port", "Port", "On this machine; 0: any free one"),
      entry("editors.auto_register", "Add the entry to new editors", "As soon as they are found"),
      entry(
        "market.registry_url",
        "Address of the registry",
        "Official registry of servers to install; empty switches it off",
      ),
      entry("oauth.client_id_document", "Client ID document", "An https address that you host; empty: none"),
    ],
  },
];

/** The rules have a panel of their own. */
const RULES = "discovery.toolRules";

/** others returns the settings that no group names. */
export function others(all: Setting[]): Setting[] {
  const named = new Set(groups.flatMap((group) => group.entries.map((one) => one.key)));
  return all.filter(({ key }) => key !== RULES && !named.has(key));
}

/** effectOf returns what a rule does, as a verb. */
export const effectOf = ({ enabled }: ToolRule): string =>
  enabled === undefined ? "Tag" : enabled ? "Enable" : "Disable";

/** describe returns which tools a rule is about. */
export function describe({ pattern = [], server }: ToolRule): string {
  const what = pattern.length ? pattern.join(", ") : "all tools";
  return server ? `${what} of ${server}` : what;
}

/** patternsOf returns the patterns in a text, one on each line. */
export const patternsOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** tagsOf returns the tags in a text, separated by commas. */
export const tagsOf = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
