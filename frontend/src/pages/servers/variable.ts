// Environment variables that a server needs.

import { api, take } from "$lib/api/client";
import type { Server } from "$lib/api/socket";

/** looksSecret reports whether the value of a variable is a credential, going by its name. */
export const looksSecret = (name: string): boolean =>
  /(^|_)(api_?)?(key|keys|token|secret|pass(word|phrase|wd)?|pwd|pat|credentials?|auth|cookie|dsn)(_|$)/i.test(name) ||
  /(APIKEY|TOKEN|SECRET|PASSWORD)/i.test(name);

/** setVariable stores the value of a variable: as a secret if it looks like one, otherwise in the configuration. */
export async function setVariable(server: Server, name: string, value: string): Promise<void> {
  const id = String(server.id);
  if (looksSecret(name))
    await take(api.PUT("/api/servers/{id}/secrets/{key}", { params: { path: { id, key: name } }, body: { value } }));
  else
    await take(
      api.PUT("/api/servers/{id}", { params: { path: { id } }, body: { env: { ...server.env, [name]: value } } }),
    );
}
