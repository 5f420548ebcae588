#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_demo.sh - the demo, built by an ordinary makefile with spoor-gcc and spoor-g++, prints the same as uninstrumented,
# dormant and traced. No event of its five threads is lost, and callgrind counts the same calls in each module.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
work_folder gcc_demo
here=$PWD
use_newest_gcc
[ -z "$emulated" ] || skip "the demo runs for this machine alone"
command -v valgrind > /dev/null || skip "apt-get install valgrind"

# build NAME CC CXX - builds the demo in the folder NAME.
build()
{
	mkdir "$1"
	make -s --no-print-directory -C "$top_srcdir/tests/programs/demo" srcdir=. O="$here/$1" CC="$2" CXX="$3" \
		CFLAGS=-O2
}

# The workload is small: all events fit into the pool, even if the recorder gets no processor for a while.
input=$top_srcdir/libspoor/mode

build plain "$gcc" "$gxx"
build sleds "$spoor_gcc" "$spoor_gxx"
plain/demo "$input" > plain.output
grep -qx 'all checks passed' plain.output || fail "the demo fails: $(tail -n 3 plain.output)"
cd sleds
./demo "$input" > dormant.output
"$spoor" record -q -o demo.trace -- ./demo "$input" > traced.output
cmp ../plain.output dormant.output || fail "the dormant demo prints something else (see above)"
cmp ../plain.output traced.output || fail "the traced demo prints something else (see above)"
"$spoor" info demo.trace > info
grep -q '^ *lost  *nothing' info || fail "events were lost: $(cat info)"
grep -qx '  threads         5' info || fail "the trace has not five threads: $(cat info)"
count_calls demo demo "$input"
for module in demo *.so; do
	object_agrees "$module"
done
