#!/bin/sh
# Run a script of package.json, `check` or `format`, with linters and TypeScript from npm. If Node.js is missing or too old, say so.
set -eu
skip() { echo "JavaScript: skipping $1, because $2 (Debian: apt-get install nodejs npm)"; exit 0; }
command -v node >/dev/null && command -v npm >/dev/null || skip "$1" "Node.js or npm is not installed"
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' \
    || skip "$1" "Node.js $(node --version) is older than 20.19"
if [ ! node_modules/.made -nt package.json ]; then
    echo "Installing prettier, eslint and TypeScript from npm"
    npm install --no-audit --no-fund --loglevel error
    touch node_modules/.made
fi
npm run --silent "$1"
