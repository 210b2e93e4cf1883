// The buttons that fix findings of the checkup. A finding without one needs a step outside of Agent Discover.

import type { Schemas } from "$lib/api/client";
import { hub } from "$lib/stores/hub.svelte";
import { link } from "$lib/stores/router.svelte";
import type { ChangeRequest } from "./change.svelte";

type Finding = Schemas["EditorDoctorFinding"];

export interface Fix {
  label: string;
  /** The change of editors' files, which is shown before it is made. */
  request?: ChangeRequest;
  href?: string;
}

/** fixOf returns the fix for a finding; undefined if there is none. */
export function fixOf({ kind, editors, subject }: Finding): Fix | undefined {
  const ids = editors ?? [];
  const register = (label: string, replace = false): Fix => ({
    label,
    request: { action: "register", verb: label, editors: ids, replace },
  });
  switch (kind) {
    case "stale":
    case "dropped":
      return register("Repair");
    case "outdated":
      return register("Update");
    case "foreign":
      return register("Replace in", true);
    case "duplicate":
      return { label: "Import", href: "#/editors?tab=import" };
    case "tool-cap":
    case "schema":
    case "name-limit":
    case "odd":
      return hub.server(subject) ? { label: "Open server", href: link("servers", subject) } : undefined;
    case "missing":
      return ids[0] ? { label: "Open editor", href: link("editors", ids[0]) } : undefined;
  }
  return undefined;
}
