#!/bin/sh
# Installs Schemathesis, which makes requests from an OpenAPI document, into .cache/python/fuzz-4.32.5 (100 MB).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
sh "$root/examples/python-environment.sh" fuzz-4.32.5 schemathesis==4.32.5
