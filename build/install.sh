#!/usr/bin/env bash
# Installs what `make build` made for this user: the programs, the menu entry and the icon. PREFIX is ~/.local unless told.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${PREFIX:-$HOME/.local}
programs=$prefix/lib/echo-companion

install -d "$programs" "$prefix/bin" "$prefix/share/applications"
install -m 755 build/bin/echo-companion build/bin/echo-engine "$programs/"
install -m 644 build/bin/*.so* "$programs/"
ln -sf "$programs/echo-companion" "$prefix/bin/echo-companion"
for size in 64 256; do
  install -D -m 644 "build/icons/echo-$size.png" "$prefix/share/icons/hicolor/${size}x${size}/apps/echo-companion.png"
done
install -D -m 644 build/icons/echo.svg "$prefix/share/icons/hicolor/scalable/apps/echo-companion.svg"
sed "s|@BIN@|$programs|" build/echo.desktop >"$prefix/share/applications/echo-companion.desktop"
command -v update-desktop-database >/dev/null && update-desktop-database "$prefix/share/applications" 2>/dev/null || true
echo "Echo is installed: look for it in your menu, or run $prefix/bin/echo-companion."
