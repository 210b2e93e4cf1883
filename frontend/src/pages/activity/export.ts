// Export of the log as a file.

import { ApiError, request } from "$lib/api/client";
import { attempt, download } from "$lib/actions";
import { queryOf, type Filter } from "./filter";

const types = { jsonl: "application/jsonl", csv: "text/csv" };

/** exportLog saves all entries that match a filter. */
export async function exportLog(filter: Filter, format: keyof typeof types): Promise<void> {
  await attempt(async () => {
    const query = new URLSearchParams({ ...queryOf(filter), format });
    const answer = await request(`/api/logs/export?${query}`);
    if (!answer.ok) {
      const { error } = (await answer.json()) as { error?: string };
      throw new ApiError(error ?? `The hub answered with status ${answer.status}.`, answer.status);
    }
    const day = new Date().toISOString().slice(0, 10);
    await download(`agent-discover-log-${day}.${format}`, await answer.blob(), types[format]);
  });
}
