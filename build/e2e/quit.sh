#!/usr/bin/env bash
# Ends the real desktop app again and again, in every way and at awkward moments: each time it must exit with 0 and without a crash.
# usage: build/e2e/quit.sh [ROUNDS]      logs go to build/bin/e2e-quit
OUTDIR=$PWD/build/bin/e2e-quit
# shellcheck source=build/e2e/stage.sh
source "$(dirname "$0")/stage.sh"

data=$work/data
ends() { # NAME: the app ends by itself, cleanly
  local gone status
  gone=$(await 8 gone bash -c "kill -0 $echo_pid 2>/dev/null || echo gone")
  [ "$gone" = gone ] || { kill -QUIT "$echo_pid"; sleep 1; kill -9 "$echo_pid" 2>/dev/null; }
  wait "$echo_pid"; status=$?
  ok "$1" "$gone $status" "gone 0"
}
launch() { WEBKIT_INSPECTOR_HTTP_SERVER=$inspector "$app" --data "$data" --addr 127.0.0.1:0 >"$out/app.out" 2>>"$out/app.err" & echo_pid=$!; pids+=($echo_pid); }
reply() {
  js 'window.seen = []; window.runtime.EventsOn("echo:playback", (e) => window.seen.push(e)); window.go.app.Voice.Open({}).then(() => window.go.app.Voice.Ask("What can you do?")); 1' >/dev/null
  await 60 true was 'e.speaking === true' >/dev/null
}
for ((round = 1; round <= ${1:-4}; round++)); do
  echo "# round $round"
  launch; await 60 1 grep -c 'listening on' "$out/app.out" >/dev/null; sleep 0.$((RANDOM % 10)); kill -TERM "$echo_pid"
  ends "SIGTERM while it starts"
  start "$data"; kill -TERM "$echo_pid"
  ends "SIGTERM"
  start "$data"; "$probe" click Quit
  ends "Quit in the tray"
  start "$data"; js 'setTimeout(() => window.go.app.Shell.Quit(), 200); 1' >/dev/null
  ends "Quit in the page"
  start "$data"; kill -TERM "$echo_pid"; kill -INT "$echo_pid"; "$probe" click Quit 2>/dev/null
  ends "all at once"
  start "$data"; reply; kill -TERM "$echo_pid"
  ends "SIGTERM in the midst of an answer"
  start "$data"; reply; "$probe" click Quit & sleep .$((RANDOM % 10)); kill -TERM "$echo_pid"; wait $! 2>/dev/null
  ends "SIGTERM while Quit asks"
  start "$data"; js 'window.go.app.Shell.Fold(); 1' >/dev/null; kill -TERM "$echo_pid"
  ends "SIGTERM while it folds"
done
ok "nothing crashed" "$(grep -cE 'SIGSEGV|SIGABRT|panic:|fatal error|CRITICAL|level=ERROR' "$out/app.err")" 0
echo "$passed passed, $failed failed; logs in $out"
[ $failed -eq 0 ]
