#!/usr/bin/env bash
# Fetches the speech models that are missing into the user's cache, by pinned version and checksum.
set -euo pipefail
cd "$(dirname "$0")/.."
go run . models fetch
