#!/bin/sh
# Installs Letta's official Python clients, each version into an environment of its own: .cache/python/<version>.
# Without arguments all that the tests use; those that are there already are left as they are.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- 0.1.172 1.12.1

for version in "$@"; do
  sh "$root/examples/python-environment.sh" "$version" "letta-client==$version"
done
