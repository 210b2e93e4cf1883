// Types generated from the hub's OpenAPI document. `npm run types` writes them to a file; a test checks that the file
// is up to date.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapi, { astToString, type OpenAPI3 } from "openapi-typescript";
import { TestHub } from "./support/hub.ts";

const file = fileURLToPath(new URL("../src/lib/api/schema.d.ts", import.meta.url));

export const committed = (): string => readFileSync(file, "utf8");

/** generated returns the types that are generated from the OpenAPI document of a running hub. */
export async function generated(hub: TestHub): Promise<string> {
  const document = (await (await fetch(`${hub.url}/openapi.json`)).json()) as OpenAPI3 & { info: { version: string } };
  document.info.version = "1"; // the hub's own, which changes with every build
  return "// Generated from the hub's /openapi.json by `npm run types`.\n\n" + astToString(await openapi(document));
}

if (process.argv.includes("--write")) {
  await using hub = await new TestHub().start();
  writeFileSync(file, await generated(hub));
}
