#!/bin/sh
# Installs letta-code, Letta's own command line program, into .cache/letta-code (100 MB). It is one file with nearly all
# that it needs in it. Of what it names as its dependencies some packages are not in npm's registry, so that npm refuses to
# install it; without a terminal it runs with these two.
set -eu
version=0.32.18
root=$(cd "$(dirname "$0")/../.." && pwd)
target="$root/.cache/letta-code"
[ "$(cat "$target/version" 2>/dev/null)" != "$version" ] || exit 0
rm -rf "$target"
mkdir -p "$target/node_modules/@letta-ai"
cd "$target"
echo '{ "private": true }' >package.json
npm install --no-audit --no-fund --ignore-scripts --save-exact ws@8.19.0 sharp@0.34.5
archive=$(npm pack --silent "@letta-ai/letta-code@$version")
tar xzf "$archive"
mv package node_modules/@letta-ai/letta-code
rm "$archive"
echo "$version" >version
