// Export of toolsets as files.

import { toolsets } from "$lib/stores/toolsets.svelte";

/** save downloads the file of a toolset. */
export async function save(name: string): Promise<void> {
  const url = URL.createObjectURL(new Blob([await toolsets.export(name)], { type: "application/json" }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = `${name}.toolset.json`;
  anchor.click();
  URL.revokeObjectURL(url);
}
