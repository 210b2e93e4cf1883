// The steps to set up the hub.

import type { Server } from "$lib/api/socket";

export interface Steps {
  server: boolean;
  editor: boolean;
  call: boolean;
}

/** stepsOf returns which steps are done. seen is the number of clients that have ever connected. */
export const stepsOf = (servers: Server[], seen: number, called: boolean): Steps => ({
  server: servers.length > 0,
  editor: seen > 0,
  call: called || servers.some((server) => (server.metrics?.total_calls ?? 0) > 0),
});
