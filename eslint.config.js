import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["node_modules/", ".venv/", "artifacts/", "data/", "**/*.min.js", "**/lit_html.js"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, globals: globals.browser },
    rules: {
      // Names of values and events that go to the server and back are spelled as Python spells them.
      camelcase: ["error", { properties: "never" }],
      eqeqeq: "error",
      "no-implicit-globals": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "no-var": "error",
      "one-var": ["error", "never"],
      "prefer-const": "error",
    },
  },
  // The scripts in the page's head and in reports are not modules.
  {
    files: [
      "workbench/ui/gradio_parts/*.js",
      "workbench/ui/scripts/head/*.js",
      "workbench/suite/reports/*.js",
    ],
    languageOptions: { sourceType: "script" },
  },
];
