// The addresses of the page: the list with its filters, and the panel of one server.

import { router } from "$lib/stores/router.svelte";

const filters = ["q", "source", "runtime", "category"];

/**
 * filtered returns the query of the list's filters and of more. It omits all other parameters, which belong to a
 * panel.
 */
function filtered(more: Record<string, string> = {}): string {
  const kept = filters.flatMap((name) => {
    const value = router.place.query.get(name);
    return value ? [[name, value] as [string, string]] : [];
  });
  const query = new URLSearchParams([...kept, ...Object.entries(more)]).toString();
  return query ? `?${query}` : "";
}

/** listPlace returns the place of the list. */
export const listPlace = (): string => `/browse${filtered()}`;

/** updatePlace returns the place of the update of an installed server. */
export const updatePlace = (id: string, server: string): string =>
  `/browse/${encodeURIComponent(id)}${filtered({ step: "update", server })}`;

/**
 * serverPlace returns the place of a server's panel. step is "about" or "install", or "" to show a running
 * installation or else the details.
 */
export const serverPlace = (id: string, step = ""): string =>
  `/browse/${encodeURIComponent(id)}${filtered(step ? { step } : {})}`;
