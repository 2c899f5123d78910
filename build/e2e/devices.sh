#!/usr/bin/env bash
# Microphones and loudspeakers of the real desktop app go, return, change quickly and are not there at all.
# usage: build/e2e/devices.sh [OUTDIR]      logs go to OUTDIR (default build/bin/e2e-devices)
OUTDIR=${1:-$PWD/build/bin/e2e-devices}
# shellcheck source=build/e2e/stage.sh
source "$(dirname "$0")/stage.sh"

speaker() { pactl load-module module-null-sink sink_name=desk rate=48000 norewinds=1 sink_properties=device.description=Desk; }
microphone() { pactl load-module module-remap-source source_name=deskmic master=micfeed.monitor source_properties=device.description=DeskMic; }
said() { was "/$1/.test(e.problem || '')"; }

start "$work/data"
attach

echo "# the lists"
desk=$(speaker) deskmic=$(microphone)
js 'window.go.app.Capture.Devices().then((d) => { window.devices = d; }); 1' >/dev/null
ok "microphones by name" "$(await 5 DeskMic,VirtualMic js 'window.devices.inputs.map((d) => d.name).sort().join()' | tr -d '"')" DeskMic,VirtualMic
ok "loudspeakers by name" "$(js 'window.devices.outputs.map((d) => d.name).sort().join()' | tr -d '"')" Desk,MicFeed,Speaker

echo "# a chosen microphone goes and returns"
settings '{"voice":{"input_device":"DeskMic","mode":"hands_free"}}'
run 'Capture.Start()'
ok "the chosen one listens" "$(await 10 deskmic listens)" deskmic
ok "which is shown" "$(await 5 listening last state)" listening
pactl unload-module "$deskmic"
ok "once it goes Echo says so, within 2 s" "$(await 2 true said 'microphone')" true
ok "and listens with the default one" "$(await 5 virtmic listens)" virtmic
ok "which is true" "$(await 5 listening last state)" listening
ok "and says which" "$(problem state)" "The chosen microphone is not there. Echo uses the default one until it returns."
deskmic=$(microphone)
ok "once it returns it is taken back" "$(await 5 deskmic listens)" deskmic
ok "and nothing is said any more" "$(await 5 '' problem state)" ""

echo "# twenty changes in a second"
for i in {1..10}; do settings '{"voice":{"input_device":""}}'; settings '{"voice":{"input_device":"DeskMic"}}'; done
ok "leave the chosen microphone" "$(await 10 deskmic listens)" deskmic
ok "and one stream open" "$(await 5 1 microphones)" 1
settings '{"voice":{"output_device":"Desk"}}'
ask 'Ask("What can you do?")'
ok "the chosen loudspeaker speaks" "$(await 60 desk plays)" desk
for i in {1..10}; do settings '{"voice":{"output_device":""}}'; settings '{"voice":{"output_device":"Desk"}}'; done
ok "the chosen loudspeaker is left" "$(await 10 desk plays)" desk
ok "with one stream" "$(await 5 1 streams desk)" 1
ok "and none but the resting one on the default" "$(("$(streams speaker)" <= 1))" 1
ok "and Echo speaks" "$(await 5 true last speaking)" true
ask 'Cancel()'

echo "# unplugged in mid-utterance"
voice "What is twelve times seven?" "$work/question.wav"
js "$hook" >/dev/null
paplay --device=micfeed "$work/question.wav" & question=$!
ok "it is heard" "$(await 10 hearing last state)" hearing
pactl unload-module "$deskmic"
wait $question
ok "Echo says so" "$(await 5 true said 'microphone')" true
ok "what was said until then is no longer open" "$(await 30 '"busy":false' busy)" '"busy":false'
ok "and it listens again" "$(await 5 virtmic listens)" virtmic

echo "# a microphone that gives nothing"
js "$hook" >/dev/null
pactl suspend-source virtmic 1; pactl suspend-sink micfeed 1
ok "is noticed" "$(await 5 true said 'microphone')" true
sleep 2
ok "and never called listening" "$(js 'window.seen.filter((e) => e.state !== undefined).slice(-20).some((e) => e.state === "listening" && !e.problem)')" false
pactl suspend-sink micfeed 0; pactl suspend-source virtmic 0
ok "until it gives sound again" "$(await 10 listening last state)" listening

echo "# let go of"
companion fold
ok "folded, no stream is open" "$(await 5 0 microphones)" 0
companion show
sleep 1.5
ok "unfolded, none opens by itself" "$(microphones)" 0
attach; run 'Capture.Start()'
ok "it opens on its user's act" "$(await 10 1 microphones)" 1
run 'Shell.Hide()'
ok "hidden, no stream is open" "$(await 5 0 microphones)" 0
companion show
attach; run 'Capture.Start()'
await 10 1 microphones >/dev/null
"$probe" take "$address" "$token" >"$out/take.out" & taker=$!; pids+=($taker)
ok "a browser takes the conversation over" "$(await 10 true was 'e.type === "detached"')" true
ok "and no stream is open" "$(await 5 0 microphones)" 0
"$probe" menu >"$out/menu.out"
kill "$taker"; wait "$taker" 2>/dev/null

echo "# the default loudspeaker goes"
settings '{"voice":{"output_device":""}}'
await 10 '"held":false' held >/dev/null
attach
ask 'Ask("What can you do?")'
ok "it speaks" "$(await 60 speaker plays)" speaker
pactl unload-module module-null-sink 2>/dev/null # all of them: nothing is left
ok "Echo says so" "$(await 5 true said 'loudspeaker')" true
ok "and that there is none" "$(await 10 'No loudspeaker was found. Echo answers in text; connect one, and it speaks again.' problem speaking)" \
  'No loudspeaker was found. Echo answers in text; connect one, and it speaks again.'

echo "# no device at all"
run 'Capture.Press()'
ok "the microphone says why" "$(await 5 true said 'No microphone was found')" true
shot none
run 'Capture.Release()'
ask 'Ask("What is twelve times seven?")'
ok "typing works" "$(await 60 true was 'e.type === "answered" && /84/.test(e.answer)')" true
ok "and the reply ends" "$(await 60 true was 'e.type === "done"')" true
speaker >/dev/null; pactl set-default-sink desk
ok "one that is connected is noticed" "$(await 5 '' problem speaking)" ""
ask 'Ask("What is twelve times seven?")'
ok "connected again, it is spoken" "$(await 60 true was 'e.speaking === true')" true
finish
