#!/bin/sh
# Installs Letta's official Python clients, each version into an environment of its own: .cache/python/<version>.
# Without arguments all that the tests use; those that are there already are left as they are.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- 0.1.172 1.12.1

for version in "$@"; do
  target="$root/.cache/python/$version"
  [ ! -x "$target/bin/python" ] || continue
  mkdir -p "$root/.cache/python"
  # Made beside and renamed: whoever comes at the same time, or after a kill, never finds half an environment.
  half=$(mktemp -d "$root/.cache/python/.$version.XXXXXX")
  trap 'rm -rf "$half"' EXIT
  python3 -m venv "$half"
  "$half/bin/python" -m pip install --quiet --disable-pip-version-check "letta-client==$version"
  [ -d "$target" ] || mv "$half" "$target"
done
