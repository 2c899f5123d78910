#!/usr/bin/env bash
# The real desktop app in trouble: sound that hangs, windows that go in the middle of something, crashes and signals.
# usage: build/e2e/trouble.sh [OUTDIR]      logs go to OUTDIR (default build/bin/e2e-trouble)
OUTDIR=${1:-$PWD/build/bin/e2e-trouble}
# shellcheck source=build/e2e/stage.sh
source "$(dirname "$0")/stage.sh"

said() { was "/$1/.test(e.problem || '')"; }
newest() { api '/api/chat/sessions?limit=1' | grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4; }
data=$work/data
start "$data"
attach

echo "# the sound server hangs in the middle of an answer"
ask 'Ask("What can you do?")'
ok "Echo speaks" "$(await 60 true was 'e.speaking === true')" true
kill -STOP "$pulse"
ok "it says that the loudspeaker is gone" "$(await 10 true said loudspeaker)" true
js "$hook" >/dev/null
ask 'Ask("What is twelve times seven?")'
ok "the window goes on" "$(await 30 true was 'e.type === "queued" || e.type === "start"')" true
ask 'Cancel()'
ok "Stop stops" "$(await 10 true was 'e.type === "stopped"')" true
run 'Capture.Press()'
ok "the microphone is not called listening" "$(await 10 true said microphone)" true
run 'Capture.Release()'
kill -CONT "$pulse"
ok "answering again" "$(await 20 closed last state)" closed
sleep 3
js "$hook" >/dev/null
ask 'Ask("What is twelve times seven?")'
ok "it is spoken to again" "$(await 60 true was 'e.speaking === true')" true
run 'Capture.Press()'
ok "and listens again" "$(await 10 listening last state)" listening
run 'Capture.Release()'
ok "until let go" "$(await 5 0 microphones)" 0

echo "# folded while the button is held"
await 30 '"busy":false' busy >/dev/null
voice "What is twelve times seven?" "$work/question.wav"
js "$hook" >/dev/null
# shellcheck disable=SC2046 # two coordinates
xdotool mousemove $(middle Hold) mousedown 1
await 10 1 microphones >/dev/null
paplay --device=micfeed "$work/question.wav" & playing=$!
ok "it hears" "$(await 10 hearing last state)" hearing
companion fold
ok "the microphone is closed" "$(await 5 0 microphones)" 0
wait $playing; xdotool mouseup 1
ok "what was begun is forgotten" "$(await 5 '"busy":false' busy)" '"busy":false'
companion show; await 10 380x600 size >/dev/null
sleep 1.5
ok "unfolded, nothing listens" "$(microphones)" 0
attach
say "$work/question.wav"
ok "and the button works again" "$(await 60 true was 'e.type === "heard"')" true
await 60 '"busy":false' busy >/dev/null

echo "# closed while a reply runs"
thinker
js "$hook" >/dev/null
ask 'Ask("Tell me about a mountain")'
ok "a reply runs" "$(await 30 true was 'e.type === "delta"')" true
wmctrl -i -c "$wid"
ok "closing folds" "$(await 10 72x72 size)" 72x72
ok "the reply goes on" "$(busy)" '"busy":true'
ok "the tray offers to stop it" "$(await 5 'Stop reply' entry Stop)" "Stop reply"
ok "it ends" "$(await 30 '"busy":false' busy)" '"busy":false'
ok "an answer waits" "$(await 5 waiting js 'window.go.app.Shell.Orb().then((o) => { window.orb = o.state; }); window.orb' | tr -d '"')" waiting
companion show; await 10 380x600 size >/dev/null
ok "it is marked" "$(await 10 true shows 'Answered while Echo was away')" true
ok "and can be heard" "$(js '[...document.querySelectorAll("button")].some((b) => /Play answer/.test(b.ariaLabel || b.textContent))')" true
ok "without connecting" "$(held)" '"held":false'

echo "# stopped from the tray"
attach
ask 'Ask("Tell me slowly")'
ok "a reply runs" "$(await 30 true was 'e.type === "delta"')" true
companion fold; await 10 72x72 size >/dev/null
await 5 'Stop reply' entry Stop >/dev/null; "$probe" click "Stop reply"
ok "folded, the tray stops it" "$(await 10 '"busy":false' busy)" '"busy":false'
ok "and Echo stays folded" "$(size)" 72x72
ok "and lets go again" "$(await 5 '"held":false' held)" '"held":false'
companion show; await 10 380x600 size >/dev/null
attach
ask 'Ask("Tell me slowly")'
ok "a reply runs" "$(await 30 true was 'e.type === "delta"')" true
"$probe" take "$address" "$token" >"$out/take.out" & taker=$!; pids+=($taker)
ok "a browser takes it over" "$(await 10 true was 'e.type === "detached"')" true
await 5 'Stop reply' entry Stop >/dev/null; "$probe" click "Stop reply"
ok "the tray stops it" "$(await 10 '"busy":false' busy)" '"busy":false'
ok "the browser is told" "$(await 5 1 grep -c '"type":"stopped"' "$out/take.out")" 1
ok "and keeps the conversation" "$(grep -c '"type":"detached"' "$out/take.out")" 0
kill "$taker"; wait "$taker" 2>/dev/null

echo "# another data folder"
"$app" --data "$work/other" --addr 127.0.0.1:0 >"$out/other.out" 2>"$out/other.err" & other=$!; pids+=($other)
ok "is another Echo" "$(await 20 1 grep -c 'listening on' "$out/other.out")" 1
ok "with a window of its own" "$(await 20 2 bash -c "xdotool search --onlyvisible --class Echo | wc -l")" 2
kill -TERM "$other"; wait "$other"; ok "which ends cleanly" "$?" 0

echo "# a signal in the middle of a reply"
await 10 '"held":false' held >/dev/null; attach
ask 'Ask("Tell me slowly")'
ok "a reply runs" "$(await 30 true was 'e.type === "delta"')" true
sleep 2
began=$SECONDS; kill -TERM "$echo_pid"
ends "SIGTERM ends it"
ok "within 5 s" "$((SECONDS - began <= 5))" 1
start "$data"
chat=$(newest); kept=$(api "/api/chat/sessions/$chat")
ok "the question is on disk" "$(grep -c '"text":"Tell me slowly"' <<<"$kept")" 1
ok "and the answer as far as it got" "$(grep -cE '"role":"assistant","text":"And on it goes[^}]*"state":"interrupted"' <<<"$kept")" 1

echo "# a crash in the middle of a reply"
attach
ask 'Ask("Tell me slowly, once more")'
ok "a reply runs" "$(await 30 true was 'e.type === "delta"')" true
sleep 2
kill -9 "$echo_pid"; wait "$echo_pid" 2>/dev/null
start "$data"
chat=$(newest); kept=$(api "/api/chat/sessions/$chat")
ok "the question is on disk" "$(grep -c '"text":"Tell me slowly, once more"' <<<"$kept")" 1
ok "and the answer as far as it got" "$(grep -cE '"state":"interrupted"' <<<"$kept")" 1
js "$hook" >/dev/null
ask "Open({chat: '$chat'})"
ok "carried on, it offers to try again" "$(await 10 true js '[...document.querySelectorAll("button")].some((b) => /Try again/.test(b.textContent))')" true
shot interrupted
kill -TERM "$echo_pid"
ends "SIGTERM ends it again"
finish
