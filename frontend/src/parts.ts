// The parts of the dashboard that are loaded on demand, so that the first page appears early.

import { pages } from "./pages";

/**
 * loadAll loads every part. In a browser, the page signs in only after that, so it loads no code while it is signed
 * in. Otherwise, a program that takes the port of a hub that has ended could serve code to the page, and that code
 * could do everything that the page may do. Later imports of a part return the loaded module from memory.
 */
export const loadAll = (): Promise<unknown> =>
  Promise.all([
    ...pages.map((page) => page.load()),
    import("./shell/Palette.svelte"),
    import("./shell/Elicitations.svelte"),
    import("./shell/Elicitation.svelte"),
    import("./pages/tools/learned/Learned.svelte"),
  ]);
