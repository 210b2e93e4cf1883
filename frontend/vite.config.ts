import { svelte } from "@sveltejs/vite-plugin-svelte";
import tailwindcss from "@tailwindcss/vite";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/** Some of Bits UI's pieces carry a style attribute, which the Content-Security-Policy forbids; a class does the same. */
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
    // build/frontend.sh empties it, but for the file that keeps the folder in a clone.
    emptyOutDir: false,
    target: "safari16", // what WebKitGTK, WebView2 and WKWebView of supported systems understand
    assetsInlineLimit: 0, // the Content-Security-Policy knows no data: for scripts and fonts
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What several pages share is two files, icons with what draws them, and our small pieces; a file for each would
    // weigh more. The large pieces stay with those who need them, for the first page does not.
    rolldownOptions: {
      output: {
        // The style of the first page has the name that it always had; who knows its address finds it.
        assetFileNames: ({ names }) => (names.includes("index.css") ? "styles.css" : "assets/[name]-[hash][extname]"),
        codeSplitting: {
          groups: [
            { name: "shared", test: /@lucide/, minShareCount: 2 },
            {
              name: "pieces",
              test: /src\/lib\/(?!ui\/(Dialog|Confirm|Select|Menu)|form|markdown|charts)/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
});
