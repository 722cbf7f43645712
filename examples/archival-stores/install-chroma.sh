#!/bin/sh
# Makes an environment with a Chroma server: .cache/python/chroma, some 500 MB. One that is there already is left as it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target="$root/.cache/python/chroma"
[ ! -x "$target/bin/python" ] || exit 0
mkdir -p "$root/.cache/python"
# Made beside and renamed: whoever comes at the same time, or after a kill, never finds half an environment.
half=$(mktemp -d "$root/.cache/python/.chroma.XXXXXX")
trap 'rm -rf "$half"' EXIT
python3 -m venv "$half"
"$half/bin/python" -m pip install --quiet --disable-pip-version-check chromadb==1.5.9
[ -d "$target" ] || mv "$half" "$target"
