// The parts of the dashboard that are loaded on demand, so that the first page appears early.

import { pages } from "./pages";

/**
 * loadAll loads every part. In a browser the page signs in only after that, and loads no code from then on: another
 * program may take the port of a hub that ends, and its code would get everything that this page may do. A part that
 * is loaded once comes from memory.
 */
export const loadAll = (): Promise<unknown> =>
  Promise.all([
    ...pages.map((page) => page.load()),
    import("./shell/Palette.svelte"),
    import("./shell/Elicitations.svelte"),
    import("./shell/Elicitation.svelte"),
    import("./pages/tools/learned/Learned.svelte"),
  ]);
