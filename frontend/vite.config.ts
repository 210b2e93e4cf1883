import { svelte } from "@sveltejs/vite-plugin-svelte";
import tailwindcss from "@tailwindcss/vite";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/** Replaces the style attributes of Bits UI components by a class, because the Content-Security-Policy forbids them. */
const withoutInlineStyles: Plugin = {
  name: "without-inline-styles",
  enforce: "pre",
  transform: (code, id) =>
    id.includes("/bits-ui/") && id.endsWith(".svelte")
      ? code.replaceAll('style="display: contents;"', 'class="contents"')
      : undefined,
};

const icons = "@lucide/svelte/icons/";

/** Builds the icons of Lucide from their drawings and one component of our own: theirs repeat most of their code. */
const leanIcons: Plugin = {
  name: "lean-icons",
  enforce: "pre",
  resolveId: (source) => (source.startsWith(icons) ? `\0${source}.js` : undefined),
  load: (id) => {
    if (!id.startsWith(`\0${icons}`)) return undefined;
    const read = (file: string) =>
      readFileSync(new URL(`node_modules/@lucide/svelte/dist/icons/${file}`, import.meta.url), "utf8");
    const file = /export \{ default \} from "\.\/(.*)";/.exec(read(id.slice(icons.length + 1)))?.[1] ?? "";
    const data = /const iconData = (.*);/.exec(read(file))?.[1];
    if (!data) throw new Error(`${file} does not look like an icon of Lucide any more`);
    const { node } = JSON.parse(data) as { node: unknown };
    return `import Icon from "$lib/ui/Icon.svelte";
const node = ${JSON.stringify(node)};
export default (anchor, props) => Icon(anchor, { node, props });`;
  },
};

export default defineConfig({
  plugins: [withoutInlineStyles, leanIcons, svelte(), tailwindcss()],
  resolve: { alias: { $lib: fileURLToPath(new URL("./src/lib", import.meta.url)) } },
  build: {
    outDir: "dist",
    // build/frontend.sh empties the folder, except for the file that keeps it in Git.
    emptyOutDir: false,
    target: "safari16", // what WebKitGTK, WebView2 and WKWebView of supported systems understand
    assetsInlineLimit: 0, // the Content-Security-Policy knows no data: for scripts and fonts
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Code that several pages share goes into two chunks, icons and small modules, because many small chunks would be
    // larger in total. Large modules stay out of them, because the first page does not need them. Pages that are seldom the
    // first one share chunks too, which compresses them better: Servers and Browse, and the smaller ones.
    rolldownOptions: {
      checks: { bundlerTimings: false }, // the time is that of Svelte's compiler, and no plugin can be left out
      output: {
        // The styles of the first page have a fixed name, so that their address does not change.
        assetFileNames: ({ names }) => (names.includes("index.css") ? "styles.css" : "assets/[name]-[hash][extname]"),
        codeSplitting: {
          groups: [
            { name: "shared", test: /@lucide|ui\/Icon/, minShareCount: 2 },
            {
              name: "pieces",
              test: /src\/(lib\/(?!ui\/Dialog|form|markdown|charts)|pages\/)/,
              minShareCount: 2,
            },
            { name: "market", test: /src\/pages\/(browse|servers)\//, includeDependenciesRecursively: false },
            {
              name: "later",
              test: /src\/(pages\/(approvals|activity|editors|tools\/learned)|shell\/(Palette|Elicit|Sampling|UrlQ))/,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
});
