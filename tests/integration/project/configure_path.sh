#!/bin/sh
# SPDX-License-Identifier: MIT
# configure_path.sh - configure rejects a path with a space, of the sources or of the build, with one message, and
# accepts a path with a dot, a plus, an upper-case letter and the word spoor.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
sources=$(cd "$top_srcdir" && pwd)

# rejected NAME CONFIGURE - runs configure in the working directory, and checks that it prints one message that names
# the folder.
rejected()
{
	status=0
	"$2" --silent > "$work/$1.out" 2> "$work/$1.err" || status=$?
	[ $status != 0 ] || fail "$1: configure accepts a path with a space"
	equal "$1: messages" "$(grep -c 'configure: error:' "$work/$1.err")" 1
	grep -q "error: the path '.*/with space' has a space" "$work/$1.err" ||
		fail "$1: the message does not name the path with a space: $(cat "$work/$1.err")"
	[ ! -e Makefile ] || fail "$1: a rejected configure made a Makefile"
}

mkdir "with space" elsewhere plain
(cd "with space" && rejected build "$sources/configure")
ln -s "$sources" "elsewhere/with space"
(cd plain && rejected sources "$work/elsewhere/with space/configure")

# This path is valid: configure continues until it finds that the compiler does not work.
mkdir -p "A.b+C/spoor"
cd "A.b+C/spoor"
"$sources/configure" --silent CC=false > out 2> err && fail "configure accepts a compiler that does not work:" \
	"$(cat out)"
grep -q 'error: the path' err && fail "configure rejects the path A.b+C/spoor: $(cat err)"
grep -q 'error: C compiler cannot create executables' err ||
	fail "configure in A.b+C/spoor does not report the compiler: $(cat err)"
