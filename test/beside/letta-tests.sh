#!/bin/sh
# Makes the Python environment in which the archived Letta server's own tests run, .cache/python/letta-tests, as that
# server's lock file has it: letta-tests.sh <checkout of the Letta repository, branch archive>. The checkout is only read.
set -eu
repository=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
target="$root/.cache/python/letta-tests"
[ ! -f "$target/ready" ] || exit 0
sh "$root/examples/python-environment.sh" uv uv==0.9.30
uv="$root/.cache/python/uv/bin/uv"
# Left out: what is compiled from C, and what no test imports.
UV_PROJECT_ENVIRONMENT="$target" "$uv" sync --quiet --directory "$repository" --frozen --no-install-project \
  --extra dev --extra server --extra postgres --extra external-tools \
  --no-install-package psycopg2 --no-install-package pyright --no-install-package ipykernel
"$uv" pip install --quiet --python "$target/bin/python" pytest-timeout==2.4.0
touch "$target/ready"
