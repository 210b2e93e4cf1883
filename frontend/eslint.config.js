import svelte from "eslint-plugin-svelte";
import ts from "typescript-eslint";
import config from "./svelte.config.js";

export default ts.config(
  { ignores: ["dist/", "placeholder/", "src/lib/api/schema.d.ts"] },
  ts.configs.recommended,
  svelte.configs.recommended,
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { extraFileExtensions: [".svelte"], parser: ts.parser, svelteConfig: config } },
  },
  {
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "no-undef": "off", // svelte-check reports undefined names
      "svelte/no-at-html-tags": "error", // show untrusted Markdown with lib/ui/Markdown.svelte
      "svelte/no-navigation-without-resolve": "off", // concerns SvelteKit only
      "no-restricted-globals": ["error", "alert", "confirm", "prompt"],
    },
  },
);
