#!/usr/bin/env bash
# The real desktop app, headless: X server, window manager, compositor, session bus, tray host and virtual sound devices of its own.
# A synthesised voice asks into the virtual microphone; what the virtual loudspeaker played is recognised again.
# usage: build/e2e/desktop.sh [OUTDIR]      screenshots and logs go to OUTDIR (default build/bin/e2e-desktop)
OUTDIR=${1:-$PWD/build/bin/e2e-desktop}
# shellcheck source=build/e2e/stage.sh
source "$(dirname "$0")/stage.sh"

data=$work/data
start "$data"

echo "# the window"
ok "opens as the panel" "$(await 20 380x600 size)" 380x600
ok "is on screen" "$(await 10 IsViewable mapped)" IsViewable
ok "stays above others" "$(xprop -id "$wid" _NET_WM_STATE | grep -c ABOVE)" 1
ok "has no frame" "$(xprop -id "$wid" _MOTIF_WM_HINTS | grep -c '0x2, 0x0, 0x0')" 1
js "$hook" >/dev/null
sleep 1; shot panel

echo "# ask aloud, hear the answer"
voice "What is twelve times seven?" "$work/question.wav"
ok "the microphone is closed at first" "$(microphones)" 0
record answer
say "$work/question.wav"
ok "the question is heard" "$(await 90 true was 'e.type === "heard" && /twelve times seven|12 times 7/i.test(e.text)')" true
ok "the microphone is let go of" "$(await 5 0 microphones)" 0
ok "it is answered" "$(await 60 true was 'e.type === "answered" && e.saved && /84/.test(e.answer)')" true
ok "the answer is spoken" "$(await 60 true was 'e.speaking === true')" true
silent
said=$("$probe" recognize "$engine" "$models" "$out/answer.raw")
ok "the loudspeaker said it ($said)" "$(grep -ciE 'eighty[ -]four|84' <<<"$said")" 1
shot answered

echo "# talk over it"
ask() { js "window.go.app.Voice.$1.then(() => 0); 1" >/dev/null; }
js "$hook" >/dev/null; record plain; ask 'Replay(1)'
ok "it is read aloud again" "$(await 60 true was 'e.speaking === true')" true
silent
# shellcheck disable=SC2046 # two coordinates
js "$hook" >/dev/null; record ducked; xdotool mousemove $(middle Hold) mousedown 1; ask 'Replay(1)'
ok "held, its voice is lowered" "$(await 60 true was 'e.ducked === true')" true
silent; xdotool mouseup 1
ratio=$(awk -v a="$("$probe" level "$out/ducked.raw")" -v b="$("$probe" level "$out/plain.raw")" 'BEGIN{printf "%.3f", b ? a / b : 0}')
# The voice is synthesised anew each time, and so never quite as loud as before: the exact fifth is a test of the samples.
ok "to a fifth ($ratio)" "$(awk -v r="$ratio" 'BEGIN{print (r >= 0.16 && r <= 0.24)}')" 1
ok "and the microphone is let go of" "$(await 5 0 microphones)" 0

echo "# fold, hide, show"
ok "the tray offers to fold" "$(await 5 'Fold Echo' entry Echo)" "Fold Echo"
ok "attached" "$(held)" '"held":true'
spot=$(corner)
"$probe" click "Fold Echo"
ok "folds into the orb" "$(await 10 72x72 size)" 72x72
ok "at the same spot" "$(corner)" "$spot"
ok "folded, it lets go of the conversation" "$(await 5 '"held":false' held)" '"held":false'
ok "the tray offers to show" "$(await 5 'Show Echo' entry Echo)" "Show Echo"
xdotool mousemove 100 100; sleep 1.5; shot orb
x=${spot%,*} y=${spot#*,}
ok "the orb is round: its corner shows the desktop" "$([ "$(apart orb $((x + 2)),$((y + 2)) 60,60)" -le 4 ] && echo yes)" yes
ok "the orb is painted" "$([ "$(apart orb $((x + 36)),$((y + 36)) 60,60)" -gt 10 ] && echo yes)" yes
xdotool mousemove $((x + 36)) $((y + 36)) click 1
ok "a click unfolds it" "$(await 10 380x600 size)" 380x600
ok "at the same spot again" "$(await 5 "$spot" corner)" "$spot"
wmctrl -i -c "$wid"
ok "closing folds" "$(await 10 72x72 size)" 72x72
"$probe" click "Show Echo"
ok "the tray unfolds" "$(await 10 380x600 size)" 380x600
js 'window.go.app.Shell.Hide(); 1' >/dev/null
ok "hides" "$(await 10 IsUnMapped mapped)" IsUnMapped
ok "the API answers while it is hidden" "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "$address/healthz")" 200
"$app" --data "$data" >"$out/second.out" 2>&1
ok "a second start ends well" "$?" 0
ok "and shows the first's window" "$(await 10 IsViewable mapped)" IsViewable
ok "where it was" "$(await 5 "$spot" corner)" "$spot"
api /api/companion -X POST -d '{"action":"fold"}' >/dev/null
ok "the API folds it" "$(await 10 72x72 size)" 72x72
api /api/companion -X POST -d '{"action":"talk"}' >/dev/null
ok "Talk unfolds it" "$(await 10 380x600 size)" 380x600
ok "attaches" "$(await 5 '"held":true' held)" '"held":true'
ok "and opens the microphone" "$(await 10 1 microphones)" 1
api /api/companion -X POST -d '{"action":"fold"}' >/dev/null
ok "folding closes the microphone" "$(await 5 0 microphones)" 0

echo "# a key from anywhere"
xdotool keydown ctrl keydown alt keydown space
ok "held, it unfolds" "$(await 10 380x600 size)" 380x600
ok "attaches" "$(await 5 '"held":true' held)" '"held":true'
ok "and opens the microphone" "$(await 10 1 microphones)" 1
sleep 1.5
ok "which stays open while the key repeats" "$(microphones)" 1
xdotool keyup space keyup alt keyup ctrl
ok "released, it is let go of" "$(await 5 0 microphones)" 0
api /api/settings -X PATCH -d '{"voice":{"global_key":""}}' >/dev/null; sleep .5
xdotool keydown ctrl keydown alt keydown space; sleep 1
ok "with no key chosen nothing listens" "$(microphones)" 0
xdotool keyup space keyup alt keyup ctrl
api /api/settings -X PATCH -d '{"voice":{"global_key":"Ctrl+Alt+Space"}}' >/dev/null
api /api/companion -X POST -d '{"action":"fold"}' >/dev/null
await 10 72x72 size >/dev/null

"$probe" click "Save conversations"
ok "the tray switches saving" "$(await 5 '"save_conversations":false' bash -c "curl -s -H 'Authorization: Bearer $token' $address/api/settings | grep -o '\"save_conversations\":[a-z]*'")" '"save_conversations":false'
"$probe" click "Save conversations"
ok "and back" "$(await 5 'Save conversations (ticked)' entry Save)" "Save conversations (ticked)"

echo "# a chosen loudspeaker goes and returns"
"$probe" click "Show Echo"; await 10 380x600 size >/dev/null
js 'window.go.app.Voice.Open({}).then(() => 0); 1' >/dev/null; await 10 '"held":true' held >/dev/null
desk() { pactl load-module module-null-sink sink_name=desk rate=48000 norewinds=1 sink_properties=device.description=Desk; }
plays() { # the sink of the app's newest stream; oto keeps one on the default one, at rest
  local sink
  sink=$(pactl list sink-inputs | awk '/Sink: /{s=$2}/application.process.binary = "echo-companion"/{print s}' | tail -1)
  pactl list short sinks | awk -v s="$sink" '$1 == s {print $2}'
}
unplug=$(desk)
api /api/settings -X PATCH -d '{"voice":{"output_device":"Desk"}}' >/dev/null
js "$hook" >/dev/null
ask 'Ask("What can you do?")'
ok "a long answer is spoken" "$(await 120 true was 'e.speaking === true')" true
ok "from the chosen one" "$(await 10 desk plays)" desk
shot speaking
"$probe" click Quit & quitting=$!
asked() { xdotool search --onlyvisible --name '^Quit Echo$' | wc -l; }
ok "Quit asks while a reply runs" "$(await 10 1 asked)" 1
shot quit
# Not in one command: the dialog is gone before the key is released, xdotool ends with that, and the key repeats in every window to come.
xdotool search --onlyvisible --name '^Quit Echo$' windowfocus --sync; xdotool key Escape; xdotool keyup Escape
ok "and goes on when told so" "$(await 5 0 asked)" 0
wait "$quitting"
pactl unload-module "$unplug"
ok "once it goes Echo says so" "$(await 10 true was '/loudspeaker/.test(e.problem || "")')" true
ok "and speaks from the default one" "$(await 10 speaker plays)" speaker
desk >/dev/null
ok "once it returns it is taken back" "$(await 10 desk plays)" desk
api /api/settings -X PATCH -d '{"voice":{"output_device":""}}' >/dev/null
ok "and the default one is chosen again" "$(await 10 speaker plays)" speaker
js 'window.go.app.Voice.Cancel().then(() => 0); 1' >/dev/null
ok "Stop silences it" "$(await 5 true js 'window.seen.filter((e) => e.speaking !== undefined).at(-1).speaking === false')" true

echo "# the sound server dies in the middle of an answer"
js "$hook" >/dev/null
ask 'Ask("What can you do?")'
ok "a long answer is spoken" "$(await 120 true was 'e.speaking === true')" true
kill -9 "$pulse"; wait "$pulse" 2>/dev/null
ok "Echo says so" "$(await 10 true was '/loudspeaker/.test(e.problem || "")')" true
sound
ok "and speaks on" "$(await 15 true js 'window.seen.filter((e) => e.speaking !== undefined).at(-1).speaking === true && window.seen.filter((e) => e.speaking !== undefined).at(-1).problem === ""')" true
ok "the tray offers to stop" "$(await 5 'Stop reply' entry Stop)" "Stop reply"
js 'window.go.app.Voice.Cancel().then(() => 0); 1' >/dev/null
ok "Stop silences it" "$(await 5 true js 'window.seen.filter((e) => e.speaking !== undefined).at(-1).speaking === false')" true

echo "# the end"
"$probe" click Quit
ok "Quit ends it" "$(await 10 gone bash -c "kill -0 $echo_pid 2>/dev/null || echo gone")" gone
wait "$echo_pid"; ok "cleanly" "$?" 0
ok "no icon is left behind" "$(ls -d "$work"/tmp/systray_* 2>/dev/null | wc -l)" 0
ok "nothing crashed" "$(grep -cE 'SIGSEGV|SIGABRT|panic:|fatal error|level=ERROR' "$out/app.err")" 0

echo "# without a bus and a tray"
DBUS_SESSION_BUS_ADDRESS=unix:path=$work/nothing start "$data"
ok "the window is there" "$(await 20 IsViewable mapped)" IsViewable
ok "where it was left" "$(await 5 "$spot" corner)" "$spot"
chat=$(api /api/chat/sessions | grep -o '"id":"[^"]*","title":"What is twelve times seven?"' | cut -d'"' -f4)
[ -n "$chat" ] || chat=$(api /api/chat/sessions | grep -oE '"id":"[^"]*"' | tail -1 | cut -d'"' -f4)
kept=$(api "/api/chat/sessions/$chat")
ok "the question is on disk" "$(grep -c '"role":"user"' <<<"$kept")" 1
ok "with its tool's result" "$(grep -cE '"role":"tool","text":"84"' <<<"$kept")" 1
ok "and its answer" "$(grep -cE '"role":"assistant","text":"[^"]*84' <<<"$kept")" 1
kill -TERM "$echo_pid"; began=$SECONDS
ok "SIGTERM ends it" "$(await 10 gone bash -c "kill -0 $echo_pid 2>/dev/null || echo gone")" gone
ok "within 5 s" "$([ $((SECONDS - began)) -le 5 ] && echo yes)" yes
wait "$echo_pid"; ok "cleanly as well" "$?" 0

echo "$passed passed, $failed failed; pictures in $out"
[ $failed -eq 0 ]
