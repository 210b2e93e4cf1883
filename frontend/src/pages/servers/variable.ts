// Environment variables that a server needs.

import { api, take } from "$lib/api/client";
import type { Server } from "$lib/api/socket";

/** setVariable stores the value of a variable: as a secret, or in the configuration. */
export async function setVariable(server: Server, name: string, value: string, secret: boolean): Promise<void> {
  const id = String(server.id);
  if (secret)
    await take(api.PUT("/api/servers/{id}/secrets/{key}", { params: { path: { id, key: name } }, body: { value } }));
  else
    await take(
      api.PUT("/api/servers/{id}", { params: { path: { id } }, body: { env: { ...server.env, [name]: value } } }),
    );
}
