import { svelte } from "@sveltejs/vite-plugin-svelte";
import tailwindcss from "@tailwindcss/vite";
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

export default defineConfig({
  plugins: [withoutInlineStyles, svelte(), tailwindcss()],
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
    // larger in total. Large modules stay out of them, because the first page does not need them.
    rolldownOptions: {
      output: {
        // The styles of the first page have a fixed name, so that their address does not change.
        assetFileNames: ({ names }) => (names.includes("index.css") ? "styles.css" : "assets/[name]-[hash][extname]"),
        codeSplitting: {
          groups: [
            { name: "shared", test: /@lucide/, minShareCount: 2 },
            {
              name: "pieces",
              test: /src\/lib\/(?!ui\/Dialog|form|markdown|charts)/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
});
