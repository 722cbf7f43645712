#!/bin/sh
# Makes an environment with what worker.py needs: .cache/python/activity-tool. One that is there already is left as it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
exec sh "$here/../python-environment.sh" activity-tool -r "$here/requirements.txt"
