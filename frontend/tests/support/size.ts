// The size of the dashboard's scripts.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** scriptSizes returns the gzipped sizes of the built scripts in kB (1,000 bytes), largest first, and their sum. */
export function scriptSizes(): { all: number; parts: { name: string; kB: number }[] } {
  const folder = fileURLToPath(new URL("../../dist/assets/", import.meta.url));
  const parts = readdirSync(folder)
    .filter((name) => name.endsWith(".js"))
    .map((name) => ({ name, kB: gzipSync(readFileSync(folder + name)).length / 1_000 }))
    .sort((a, b) => b.kB - a.kB);
  return { all: parts.reduce((sum, { kB }) => sum + kB, 0), parts };
}
