#!/usr/bin/env bash
# Build workbench/ui/scripts/shared/lit_html.js: the parts of lit-html that draw the page, as one script.
# Needs Node.js and network access. Only needed to update the library.
set -euo pipefail
folder="$PWD/workbench/ui/scripts/shared"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init --yes >/dev/null
npm install --no-audit --no-fund --loglevel error lit-html@3.3.3 esbuild@0.28
names="html live nothing render repeat"
cat >entry.js <<'END'
export { html, nothing, render } from "lit-html";
export { live } from "lit-html/directives/live.js";
export { repeat } from "lit-html/directives/repeat.js";
END
npx esbuild entry.js --bundle --minify --format=iife --global-name=lit --legal-comments=none --outfile=lit.js
{
    echo "// @ts-nocheck lit-html 3.3.3, built by scripts/build_lit.sh; its licence is in lit_html.LICENSE.txt."
    cat lit.js
    for name in $names; do echo "export const $name = lit.$name;"; done
} >"$folder/lit_html.js"
cp node_modules/lit-html/LICENSE "$folder/lit_html.LICENSE.txt"
