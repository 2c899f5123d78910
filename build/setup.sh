#!/usr/bin/env bash
# Sets up what is missing, and says so: `build/setup.sh run` for `make run`, `build/setup.sh test` for `make test`.
# Safe to run again: what is there is left alone, and a second run takes a second or two.
set -euo pipefail
cd "$(dirname "$0")/.."

purpose=${1:-run}

# What it takes to build Echo and to run it: a C compiler, GTK with WebKit for the window, the tray, sound, phonemes for the voice.
packages=(build-essential pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev libayatana-appindicator3-dev libasound2-dev
  libasound2-plugins libspeexdsp-dev espeak-ng-data curl)
# What the tests need beside: a screen, a window manager, a sound server without hardware, a browser, a second voice.
test_packages=(xvfb dbus-daemon openbox picom x11-utils xdotool wmctrl hsetroot imagemagick fonts-dejavu-core
  pulseaudio pulseaudio-utils espeak-ng sox chromium)
[ "$purpose" = test ] && packages+=("${test_packages[@]}")

say() { printf '\033[1m==>\033[0m %s\n' "$*"; }
die() { printf '\nEcho cannot be set up: %s\n' "$*" >&2; exit 1; }

# at_least WANTED HAVE: whether version HAVE is WANTED or newer.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n1)" = "$1" ]; }

toolchains() {
  command -v go >/dev/null || die "Go 1.26 or newer is missing. Get it from https://go.dev/dl/, then run make again."
  local go_version node_version
  go_version=$(go env GOVERSION | sed 's/^go//')
  at_least 1.26 "$go_version" || die "Go $go_version is too old: Echo needs 1.26 or newer, from https://go.dev/dl/."
  command -v node >/dev/null && command -v npm >/dev/null || die "Node.js 20.19 or newer with npm is missing. Get it from https://nodejs.org/, then run make again."
  node_version=$(node --version | sed 's/^v//')
  at_least 20.19 "$node_version" || die "Node.js $node_version is too old: Echo needs 20.19 or newer, from https://nodejs.org/."
}

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

system_packages() {
  local missing=() package answer sudo=()
  if ! command -v apt-get >/dev/null; then
    system_packages_elsewhere
    return
  fi
  for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -eq 0 ] && return
  say "These Debian packages are missing: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "install them as root: apt-get install ${missing[*]}"
    sudo=(sudo)
    if [ "${CI:-}" != true ]; then
      [ -t 0 ] || die "install them first: sudo apt-get install ${missing[*]}"
      read -r -p "Install them with sudo apt-get? [Y/n] " answer
      case "$answer" in [nN]*) die "install them yourself: sudo apt-get install ${missing[*]}" ;; esac
    fi
  fi
  say "Installing them (this can take a few minutes)"
  "${sudo[@]}" apt-get update -qq || die "apt-get update failed: look at the message above, and at your network."
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get could not install ${missing[*]}: look at the message above."
}

# Elsewhere than on Debian nothing is installed: what is missing is said.
system_packages_elsewhere() {
  command -v pkg-config >/dev/null || die "pkg-config and a C compiler are missing. On Fedora: dnf install gcc pkgconf gtk3-devel webkit2gtk4.1-devel libayatana-appindicator-gtk3-devel alsa-lib-devel speexdsp-devel espeak-ng."
  local library
  for library in gtk+-3.0 webkit2gtk-4.1 alsa speexdsp; do
    pkg-config --exists "$library" || die "the development files of $library are missing: install them with your system's package manager."
  done
}

toolchains
system_packages
