#!/bin/sh
# Makes a Python environment, .cache/python/<name>, of what pip is told: python-environment.sh <name> <pip's arguments>.
# One that is there already is left as it is.
set -eu
name=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
target="$root/.cache/python/$name"
[ ! -x "$target/bin/python" ] || exit 0
mkdir -p "$root/.cache/python"
# Made beside and renamed: whoever comes at the same time, or after a kill, never finds half an environment.
half=$(mktemp -d "$root/.cache/python/.$name.XXXXXX")
trap 'rm -rf "$half"' EXIT
python3 -m venv "$half"
"$half/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
[ -d "$target" ] || mv "$half" "$target"
