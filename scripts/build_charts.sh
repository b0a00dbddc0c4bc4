#!/usr/bin/env bash
# Build workbench/suite/reports/observable-plot.min.js: the parts of Observable Plot that charts use, as one script.
# Needs Node.js and network access. Only needed to update the library.
set -euo pipefail
target="$PWD/workbench/suite/reports/observable-plot.min.js"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --no-audit --no-fund @observablehq/plot@0.6.17 d3@7.9 esbuild@0.28
echo 'export { axisFy, axisX, axisY, barX, dot, gridX, gridY, line, link, plot, ruleX, ruleY, text } from "@observablehq/plot";' >entry.js
npx esbuild entry.js --bundle --minify --format=iife --global-name=Plot --legal-comments=none --outfile=plot.js
echo "/* Observable Plot 0.6.17 with d3 7.9. Built by scripts/build_charts.sh; licences in observable-plot.LICENSE.txt. */" >"$target"
cat plot.js >>"$target"
