#!/usr/bin/env bash
# Runs the benchmarks of docs/benchmarks.md. Figures are ratios within one run; the milliseconds and megabytes beside them are this machine's.
set -euo pipefail
cd "$(dirname "$0")/.."
build/models.sh
(cd backend/engine && go test -run '^$' -bench . -benchtime 10x ./...)
go test -run '^$' -bench . -benchtime 10x ./app/
go test -tags production -run '^$' -bench . ./backend/cancel/
go test -run '^$' -bench . ./backend/conversation/ ./backend/chat/ ./backend/httpapi/ ./backend/store/ ./backend/audio/ ./backend/filter/ ./backend/prose/ ./backend/history/ ./backend/passage/
go test -tags desktop,production,webkit2_41 -run '^$' -bench . -benchtime 15x ./backend/playback/
