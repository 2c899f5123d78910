#!/usr/bin/env bash
# Hands-free on the real desktop app: a pause in a question does not send it, Echo's voice gives way, and switching touches nothing.
# usage: build/e2e/handsfree.sh [OUTDIR]      logs go to OUTDIR (default build/bin/e2e-handsfree)
OUTDIR=${1:-$PWD/build/bin/e2e-handsfree}
# shellcheck source=build/e2e/stage.sh
source "$(dirname "$0")/stage.sh"

turn() { api /api/voice/conversation | grep -o "\"id\":$1,.*" | grep -o '"status":"[a-z]*"' | head -1 | cut -d'"' -f4; }
count() { js "window.seen.filter((e) => $1).length"; }

start "$work/data"
attach
js '[...document.querySelectorAll("label")].find((l) => /Hands-free/.test(l.innerText)).click(); 1' >/dev/null
ok "the window switches to hands-free" "$(await 10 true js '[...document.querySelectorAll("button")].some((b) => b.ariaLabel === "Start listening")')" true

echo "# a question with a pause in its middle"
voice "What is twelve" "$work/one.wav"; voice "times seven?" "$work/two.wav"
sox "$work/one.wav" "$work/first.wav" silence 1 0.01 0.5% reverse silence 1 0.01 0.5% reverse # no quiet but the pause
sox "$work/two.wav" "$work/second.wav" silence 1 0.01 0.5%
sox "$work/first.wav" "$work/second.wav" "$work/paused.wav" && sox "$work/first.wav" "$work/gap.wav" pad 0 0.55 && sox "$work/gap.wav" "$work/second.wav" "$work/paused.wav"
# shellcheck disable=SC2046 # two coordinates
xdotool mousemove $(middle 'Start listening') click 1
ok "a press listens" "$(await 10 listening last state)" listening
ok "with the detector" "$(await 30 1 bash -c "pgrep -P $echo_pid -f 'echo-engine listen' | wc -l")" 1
sleep 1; shot listening
paplay --device=micfeed "$work/paused.wav"
ok "it is heard" "$(await 60 true was 'e.type === "heard"')" true
heard=$(js 'window.seen.find((e) => e.type === "heard").text')
ok "from before the pause to after it ($heard)" "$(grep -ciE 'wh?at.*(seven|7)' <<<"$heard")" 1
ok "and answered" "$(await 60 true was 'e.type === "answered"')" true
ok "sent once" "$(count 'e.type === "heard" || e.type === "ignored"')" 1
ok "it goes on listening" "$(await 20 listening last state)" listening

echo "# two questions, one after the other"
await 30 true was 'e.speaking === true' >/dev/null; await 30 false last speaking >/dev/null
js "$hook" >/dev/null
voice "What is the capital of France?" "$work/next.wav"
paplay --device=micfeed "$work/next.wav"
ok "the next is heard without a press" "$(await 30 true was 'e.type === "heard" && /capital/i.test(e.text)')" true

echo "# talked over"
ask 'Cancel()'; await 10 '"busy":false' busy >/dev/null
js "$hook" >/dev/null
ask 'Ask("What can you do?")'
ok "Echo speaks" "$(await 30 true was 'e.speaking === true')" true
paplay --device=micfeed "$work/next.wav"
ok "its voice gave way" "$(await 5 true was 'e.ducked === true')" true
ok "and came back" "$(await 10 false last ducked)" false
ok "what was said waits its turn" "$(await 30 true was 'e.type === "queued"')" true
ask 'Cancel()'; await 10 '"busy":false' busy >/dev/null

echo "# the mode is switched while a reply runs and a question waits"
thinker
js "$hook" >/dev/null
ask 'Ask("Tell me slowly")'
ok "a reply runs" "$(await 30 true was 'e.type === "delta"')" true
running=$(js 'window.seen.find((e) => e.type === "start").id')
ask 'Ask("And then?")'
ok "a question waits" "$(await 30 true was 'e.type === "queued"')" true
for mode in push_to_talk hands_free push_to_talk; do
  settings "{\"voice\":{\"mode\":\"$mode\"}}"
  ok "to $mode: the reply runs" "$(turn "$running")" answering
  ok "and the question waits" "$(turn $((running + 1)))" queued
done
ok "nothing was cancelled" "$(was 'e.type === "cancelled" || e.type === "stopped"')" false
ok "with push to talk the microphone is closed" "$(await 5 0 microphones)" 0
ask 'Cancel()'
ok "Stop stops both" "$(await 10 2 count 'e.type === "cancelled"')" 2
finish
