#!/usr/bin/env bash
# Runs all tests, step by step, and ends with how many steps passed. Every step runs, also after one that failed.
set -uo pipefail
cd "$(dirname "$0")/.."

window=desktop,production,webkit2_41
passed=0 failed=() started=$SECONDS

step() {
  local name=$1 began=$SECONDS
  shift
  printf '\n\033[1m==> %s\033[0m\n' "$name"
  if "$@"; then
    passed=$((passed + 1))
    printf -- '--- %s: passed in %d s\n' "$name" $((SECONDS - began))
  else
    failed+=("$name")
    printf -- '--- %s: FAILED after %d s\n' "$name" $((SECONDS - began))
  fi
}

engine_tests() { (cd backend/engine && go test ./...); }
frontend_tests() { (cd frontend && npm run --silent test); }
plain_build() { local out; out=$(mktemp -d) && go build -o "$out/echo-companion" . && "$out/echo-companion" version && rm -r "$out"; }

step "speech models" build/models.sh
step "build" make --no-print-directory build
step "build without tags" plain_build
step "tools" make --no-print-directory tools
step "lint, vet and format" build/lint.sh
step "Go tests" go test -race ./...
step "Go tests with the window" go test -race -tags "$window" ./app/... ./backend/cancel/... ./backend/device/... ./backend/capture/... ./backend/playback/...
step "engine tests" engine_tests
step "frontend tests" frontend_tests
step "dashboard end to end" make --no-print-directory e2e-web
step "desktop end to end" make --no-print-directory e2e-desktop

printf '\nAll steps took %d s.\n' $((SECONDS - started))
for name in "${failed[@]}"; do printf 'failed: %s\n' "$name"; done
printf '%d passed, %d failed\n' "$passed" "${#failed[@]}"
[ ${#failed[@]} -eq 0 ]
