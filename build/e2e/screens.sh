#!/usr/bin/env bash
# Takes the pictures of docs/screens of the real desktop app: the window in its states, light and dark, and the orb.
# usage: build/e2e/screens.sh [DIR]      default docs/screens
pictures=$(realpath -m "${1:-docs/screens}")
OUTDIR=$PWD/build/bin/e2e-screens
# shellcheck source=build/e2e/stage.sh
source "$(dirname "$0")/stage.sh"
mkdir -p "$pictures"

pointer() { xdotool mousemove 5 5; } # nothing hovers
picture() { # NAME: the window as it stands, with a margin
  local at
  at=$(corner)
  pointer; sleep 1.2 # transitions end
  import -window root -crop "$(size | tr -d '\n')+${at%,*}+${at#*,}" +repage -define png:compression-level=9 "$pictures/$1.png"
  echo "$1"
}
cold() { ask 'Cancel()'; await 10 '"busy":false' busy >/dev/null; ask 'End()'; await 10 '"held":false' held >/dev/null; attach; }
typed() { # TEXT: as its user types it
  js 'document.querySelector("textarea").focus(); 1' >/dev/null
  xdotool windowfocus --sync "$wid" type --delay 5 "$1"; xdotool key Return
}
reply() { js "$hook" >/dev/null; ask "Ask(\"$1\")"; }

rounds() { # THEME
  local theme=$1
  start "$work/$theme"
  [ -s "$out/model.out" ] || { "$probe" model >"$out/model.out" & pids+=($!); until [ -s "$out/model.out" ]; do sleep .05; done; }
  settings "{\"theme\":\"$theme\",\"reasoning\":{\"provider\":\"openai\",\"base_url\":\"$(cat "$out/model.out")\",\"model\":\"scripted\"}}"
  kill -TERM "$echo_pid"; wait "$echo_pid" 2>/dev/null
  start "$work/$theme" # the page reads the theme as it loads
  picture "window-idle-$theme"

  attach
  # shellcheck disable=SC2046 # two coordinates
  xdotool mousemove $(middle Hold) mousedown 1
  await 10 listening last state >/dev/null
  voice "Which is the tallest mountain of all, and how high is it, measured from the sea?" "$work/long.wav"
  paplay --device=micfeed "$work/long.wav" & local playing=$!
  await 10 hearing last state >/dev/null
  picture "window-listening-$theme"
  wait $playing
  companion fold; xdotool mouseup 1; companion show; await 10 380x600 size >/dev/null
  cold

  reply "What did I think about the garden?"
  await 30 true was 'e.type === "start"' >/dev/null
  picture "window-thinking-$theme"
  cold

  reply "Which is the tallest mountain?"
  await 60 true was 'e.speaking === true && e.sentence >= 1' >/dev/null
  picture "window-speaking-$theme"
  await 60 '"busy":false' busy >/dev/null; await 60 false last speaking >/dev/null
  picture "window-answered-$theme"
  cold

  reply "Tell me slowly"
  await 30 true was 'e.type === "delta"' >/dev/null
  typed "How was it measured, and who did that first?"; await 10 true was 'e.type === "queued"' >/dev/null
  typed "And the deepest sea?"; await 10 true was 'e.type === "queued" && e.position === 2' >/dev/null
  await 60 true was 'e.speaking === true' >/dev/null
  picture "window-waiting-$theme"
  cold

  reply "Why does it fail?"
  await 60 true was 'e.type === "failed"' >/dev/null
  picture "window-failed-$theme"
  cold

  reply "Which is the tallest mountain?"
  await 30 true was 'e.type === "delta"' >/dev/null
  companion fold; await 10 72x72 size >/dev/null
  picture "orb-thinking-$theme"
  await 60 '"busy":false' busy >/dev/null
  picture "orb-answer-$theme"
  companion show; await 10 380x600 size >/dev/null
  picture "window-away-$theme"
  companion fold; await 10 72x72 size >/dev/null
  picture "orb-idle-$theme"
  companion show; await 10 380x600 size >/dev/null; attach
  reply "Let me think, and then fail"
  companion fold; await 10 72x72 size >/dev/null; await 60 '"busy":false' busy >/dev/null
  picture "orb-trouble-$theme"
  kill -TERM "$echo_pid"; wait "$echo_pid" 2>/dev/null
}

rounds light
rounds dark
