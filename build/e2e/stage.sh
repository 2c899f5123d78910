# shellcheck shell=bash
# The stage of the desktop's checks, to be sourced: a desktop of its own, and how to start the app on it and to look at it.
# It takes OUTDIR, for screenshots and logs, and APP, the program.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
root=$PWD out=$OUTDIR app=${APP:-$PWD/build/bin/echo-companion} engine=$PWD/build/bin/echo-engine
models=${XDG_CACHE_HOME:-$HOME/.cache}/echo-companion/models
inspector=127.0.0.1:$((20000 + RANDOM % 20000))
rm -rf "$out" && mkdir -p "$out"
work=$(mktemp -d /tmp/echo.XXXXXX) && chmod 700 "$work" && mkdir -m 700 "$work/run" "$work/tmp"
pids=() passed=0 failed=0

# Ends what was started here, newest first, and nothing else.
cleanup() {
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do kill "${pids[i]}" 2>/dev/null; done
  wait 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT

ok() { # NAME GOT WANT
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1)) && echo "ok    $1"
  else
    failed=$((failed + 1)) && echo "FAIL  $1: got '$2', want '$3'"
  fi
}
# Asks again until COMMAND prints WANT, for at most SECONDS; prints what it printed last.
await() { # SECONDS WANT COMMAND...
  local until=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000)) want=$2 got # SECONDS are whole ones: two of them can be one
  shift 2
  while :; do
    got=$("$@" 2>/dev/null)
    [ "$got" = "$want" ] && break
    [ "${EPOCHREALTIME/[.,]/}" -ge $until ] && break
    sleep .1
  done
  echo "$got"
}
need() {
  local missing=()
  for tool in Xvfb dbus-daemon openbox picom xdotool xwininfo xprop wmctrl hsetroot import pulseaudio pactl paplay parec espeak-ng sox curl; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  [ ${#missing[@]} -eq 0 ] || { echo "missing: ${missing[*]}. Run: make setup"; exit 1; }
}
need
go build -o build/bin/e2e-probe ./build/e2e/probe || exit 1
probe=$root/build/bin/e2e-probe

# --- the desktop ------------------------------------------------------------------------------------------------------------------
exec 9>"$work/display"
Xvfb -displayfd 9 -screen 0 1280x800x24 -nolisten tcp >"$out/xvfb.log" 2>&1 9>&9 & pids+=($!)
until [ -s "$work/display" ]; do sleep .05; done
export DISPLAY=:$(tr -d '[:space:]' <"$work/display")
dbus-daemon --session --nofork --address="unix:path=$work/bus" >"$out/dbus.log" 2>&1 & pids+=($!)
until [ -S "$work/bus" ]; do sleep .05; done
export DBUS_SESSION_BUS_ADDRESS=unix:path=$work/bus XDG_RUNTIME_DIR=$work/run NO_AT_BRIDGE=1
unset WAYLAND_DISPLAY PULSE_SERVER
openbox >"$out/openbox.log" 2>&1 & pids+=($!)
hsetroot -solid '#7a8a99' >/dev/null 2>&1
picom --backend xrender --config /dev/null >"$out/picom.log" 2>&1 & pids+=($!) # before the app: transparency is decided at its start
"$probe" watch >"$out/tray.log" 2>&1 & pids+=($!)
await 10 ready cat "$out/tray.log" >/dev/null
# norewinds: a null sink would hold sound back for more than a second
cat >"$work/echo.pa" <<PA
load-module module-native-protocol-unix
load-module module-null-sink sink_name=speaker rate=48000 norewinds=1 sink_properties=device.description=Speaker
load-module module-null-sink sink_name=micfeed rate=48000 norewinds=1 sink_properties=device.description=MicFeed
load-module module-remap-source source_name=virtmic master=micfeed.monitor source_properties=device.description=VirtualMic
set-default-sink speaker
set-default-source virtmic
PA
sound() {
  pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no -F "$work/echo.pa" >>"$out/pulse.log" 2>&1 & pulse=$!
  pids+=($pulse)
  await 10 virtmic pactl get-default-source >/dev/null
}
sound

# --- the app, and how to look at it -----------------------------------------------------------------------------------------------
start() { # DATA
  TMPDIR=$work/tmp WEBKIT_INSPECTOR_HTTP_SERVER=$inspector "$app" --data "$1" --addr 127.0.0.1:0 >"$out/app.out" 2>>"$out/app.err" & echo_pid=$!
  pids+=($echo_pid)
  local until=$((SECONDS + 60))
  until [ "$(js 'document.querySelector("button") !== null' 2>/dev/null)" = true ]; do
    kill -0 $echo_pid 2>/dev/null || { echo "FAIL  the app ended at its start"; tail -20 "$out/app.err"; exit 1; }
    [ $SECONDS -lt $until ] || { echo "FAIL  the window does not come up"; tail -20 "$out/app.err"; exit 1; }
    sleep .2
  done
  until wid=$(window) && [ -n "$wid" ]; do
    [ $SECONDS -lt $until ] || { echo "FAIL  the window is not shown"; xwininfo -root -tree | grep '"Echo"'; cat "$1/window.json"; tail -20 "$out/app.err"; exit 1; }
    sleep .2
  done
  address=$(sed -n 's/^listening on //p' "$out/app.out") token=$(cat "$1/token")
}
js() { timeout 30 "$probe" eval "$inspector" "$1"; }
api() { curl -sS -m 10 -H "Authorization: Bearer $token" "${@:2}" "$address$1"; }
# The window keeps its id through hiding and showing; tooltips carry the same name.
window() {
  local id
  for id in $(xdotool search --onlyvisible --name '^Echo$'); do
    [ "$(xwininfo -id "$id" | awk '/Width/{print $NF}')" = 380 ] && echo "$id" && return
  done
}
size() { xwininfo -id "$wid" | awk '/Width/{w=$NF}/Height/{h=$NF}END{print w"x"h}'; }
mapped() { xwininfo -id "$wid" | awk '/Map State/{print $NF}'; }
corner() { xwininfo -id "$wid" | awk '/Absolute upper-left X/{x=$NF}/Absolute upper-left Y/{y=$NF}END{print x","y}'; }
entry() { "$probe" menu | grep -m1 "$1"; }
held() { api /api/status | grep -o '"held":[a-z]*'; }
busy() { api /api/status | grep -o '"busy":[a-z]*'; }
microphones() { pactl list source-outputs | grep -c 'application.process.binary = "echo-companion"'; }
shot() { import -window root "$out/$1.png"; }
# How far apart two pixels of a picture are, in percent.
apart() { convert "$out/$1.png" -format "%[fx:int(100*(abs(p{$2}.r-p{$3}.r)+abs(p{$2}.g-p{$3}.g)+abs(p{$2}.b-p{$3}.b)))]" info:; }
# The page's own events, kept for looking at them later.
hook='window.seen = []; if (!window.hooked) for (const n of ["voice", "playback", "capture"]) window.runtime.EventsOn("echo:" + n, (e) => window.seen.push(e)); window.hooked = true; 1'
was() { js "window.seen.some((e) => $1)"; }
# The middle of a button, by its accessible name, as X coordinates.
middle() {
  local at
  at=$(js "(() => { const b = [...document.querySelectorAll('button')].find((b) => (b.ariaLabel || b.textContent).includes('$1')); if (!b) return ''; const r = b.getBoundingClientRect(); return Math.round(r.x + r.width / 2) + ',' + Math.round(r.y + r.height / 2); })()" | tr -d '"')
  local origin
  origin=$(corner)
  echo "$((${origin%,*} + ${at%,*})) $((${origin#*,} + ${at#*,}))"
}
# Holds the talk button while a file is played into the microphone.
say() { # WAV
  # shellcheck disable=SC2046 # two coordinates
  xdotool mousemove $(middle Hold) mousedown 1
  await 10 1 microphones >/dev/null
  sleep .4
  paplay --device=micfeed "$1"
  sleep .3
  xdotool mouseup 1
}
record() { parec --device=speaker.monitor --rate=16000 --channels=1 --format=s16le --latency-msec=20 >"$out/$1.raw" & recorder=$!; pids+=($recorder); }
silent() { await 60 true was 'e.speaking === false' >/dev/null; sleep .5; kill "$recorder"; wait "$recorder" 2>/dev/null; }
voice() { espeak-ng -v en-us -s 150 -w "$work/voice.wav" "$1" && sox "$work/voice.wav" -r 48000 "$2" gain -3; }
# --- what the scenes have in common -----------------------------------------------------------------------------------------------
run() { js "window.go.app.$1.then(() => 0); 1" >/dev/null; } # a bound call
ask() { run "Voice.$1"; }
attach() { js "$hook" >/dev/null; ask 'Open({})'; await 10 '"held":true' held >/dev/null; }
settings() { api /api/settings -X PATCH -d "$1" >/dev/null; }
companion() { api /api/companion -X POST -d "{\"action\":\"$1\"}" >/dev/null; }
problem() { js "window.seen.filter((e) => e.$1 !== undefined).at(-1)?.problem" | tr -d '"'; } # of the newest status of speaking or state
last() { js "JSON.stringify(window.seen.filter((e) => e.$1 !== undefined).at(-1)?.$1)" | tr -d '"\\'; } # a field of the newest event that has it
shows() { js "document.body.innerText.includes('$1')"; }
# What the app's newest stream is connected to.
listens() { where source-outputs Source sources; }
plays() { where sink-inputs Sink sinks; } # oto keeps a stream on the default one, at rest
where() {
  local id
  id=$(pactl list "$1" | awk -v k="$2:" '$1 == k {s=$2} /application.process.binary = "echo-companion"/ {print s}' | tail -1)
  pactl list short "$3" | awk -v s="$id" '$1 == s {print $2}'
}
# How many streams the app has on a loudspeaker.
streams() { # SINK
  local id
  id=$(pactl list short sinks | awk -v n="$1" '$2 == n {print $1}')
  pactl list sink-inputs | awk -v id="$id" '$1 == "Sink:" {s=$2} /application.process.binary = "echo-companion"/ && s == id {n++} END {print n+0}'
}
gone() { kill -0 "$echo_pid" 2>/dev/null || echo gone; }
ends() { # NAME: the app ends by itself, cleanly
  local over
  over=$(await 8 gone gone)
  [ "$over" = gone ] || { kill -QUIT "$echo_pid"; sleep 1; kill -9 "$echo_pid" 2>/dev/null; }
  wait "$echo_pid"
  ok "$1" "$over $?" "gone 0"
}
thinker() { # a scripted model answers from now on
  "$probe" model >"$out/model.out" & pids+=($!)
  until [ -s "$out/model.out" ]; do sleep .05; done
  settings "{\"reasoning\":{\"provider\":\"openai\",\"base_url\":\"$(cat "$out/model.out")\",\"model\":\"scripted\"}}"
}
finish() {
  ok "nothing crashed" "$(grep -cE 'SIGSEGV|SIGABRT|panic:|fatal error|level=ERROR' "$out/app.err")" 0
  echo "$passed passed, $failed failed; pictures and logs in $out"
  [ $failed -eq 0 ]
}
