#!/bin/sh
# SPDX-License-Identifier: MIT
# make_pictures.sh - records the demo and makes the two pictures of README.md: view.png and flame.png in doc/.
#
# usage: doc/make_pictures.sh [BUILD]
#
# BUILD is a build tree (default: build). The script needs Chromium, which it runs without a window.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$source/build}" && pwd)
PATH=$build/tools:$PATH
export PATH

found=
for program in chromium chromium-browser google-chrome chromium-headless-shell; do
	! command -v $program > /dev/null || found=1
done
[ -n "$found" ] || {
	echo "make_pictures.sh: no Chromium: apt-get install chromium" >&2
	exit 1
}
[ -x "$build/tools/spoor" ] || {
	echo "make_pictures.sh: $build has no spoor: run ./bootstrap build first" >&2
	exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
demo=$source/tests/programs/demo
make -s -C "$work" -f "$demo/Makefile" srcdir="$demo" O="$work" CC=spoor-cc CXX=spoor-c++ CFLAGS="-O2 -g -ffile-prefix-map=$source/="
spoor record -q -o "$work/trace" -- "$work/demo" "$source/libspoor/format" > "$work/demo.out"
spoor view -o "$work/view.html" --title "spoor view: the demo" "$work/trace"
spoor flame -o "$work/flame.svg" --title "spoor flame: the demo" "$work/trace"
cd "$work"
browser=$(find "$source/tests" -name browser.py)
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${browser%/*} python3 "$source/doc/make_pictures.py" "$work" "$source/doc"
