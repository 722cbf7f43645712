#!/bin/sh
# Installs letta-code, Letta's own command line program, with the Node that it needs, into .cache/letta-code (350 MB).
# It is the newest version whose packages are all in npm's registry and that speaks Letta's /v1.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target="$root/.cache/letta-code"
[ ! -x "$target/node_modules/node/bin/node" ] || exit 0
mkdir -p "$target"
cd "$target"
[ -f package.json ] || echo '{ "private": true }' >package.json
# Scripts only of the package that fetches Node: the others would compile what no test needs.
npm install --no-audit --no-fund --ignore-scripts --save-exact node@22.23.3 @letta-ai/letta-code@0.25.9
npm rebuild node
