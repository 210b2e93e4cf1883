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
      "no-undef": "off", // the type checker knows better
      "svelte/no-at-html-tags": "error", // foreign Markdown goes through lib/ui/Markdown.svelte alone
      "svelte/no-navigation-without-resolve": "off", // that is SvelteKit's
      "no-restricted-globals": ["error", "alert", "confirm", "prompt"],
    },
  },
);
