#!/bin/sh
# SPDX-License-Identifier: MIT
# configure_path.sh - configure says in one message that it supports no path with a space, be it that of the sources or
# that of the build, and takes one with a dot, a plus, an upper-case letter and the word spoor.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
sources=$(cd "$top_srcdir" && pwd)

# rejected NAME CONFIGURE - in the working directory: one message, which names the folder.
rejected()
{
	status=0
	"$2" --silent > "$work/$1.out" 2> "$work/$1.err" || status=$?
	[ $status != 0 ] || fail "$1: configure takes a path with a space"
	equal "$1: messages" "$(grep -c 'configure: error:' "$work/$1.err")" 1
	grep -q "error: the path '.*/with space' has a space" "$work/$1.err" || fail "$1: $(cat "$work/$1.err")"
	[ ! -e Makefile ] || fail "$1: there is a Makefile"
}

mkdir "with space" elsewhere plain
(cd "with space" && rejected build "$sources/configure")
ln -s "$sources" "elsewhere/with space"
(cd plain && rejected sources "$work/elsewhere/with space/configure")

# Here nothing is wrong with the path: configure goes on, to a compiler that is none.
mkdir -p "A.b+C/spoor"
cd "A.b+C/spoor"
"$sources/configure" --silent CC=false > out 2> err && fail "configure takes a compiler that is none"
grep -q 'error: the path' err && fail "A.b+C/spoor: $(cat err)"
grep -q 'error: C compiler cannot create executables' err || fail "A.b+C/spoor: $(cat err)"
