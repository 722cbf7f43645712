#!/bin/sh
# Makes an environment with a Chroma server: .cache/python/chroma, some 500 MB. One that is there already is left as it is.
set -eu
exec sh "$(dirname "$0")/../python-environment.sh" chroma chromadb==1.5.9
