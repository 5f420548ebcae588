#!/bin/sh
# SPDX-License-Identifier: MIT
# last_words.sh - the trace has all calls to the last one while a program ends: in exit handlers, and in destructors
# of threads, objects and libraries.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

traced_cxx -fPIC -shared -DLIBRARY -Wl,-soname,liblast.so -o liblast.so "$victims/modules/last_words.cc"
for level in -O0 -O2; do
	traced_cxx $level -o last_words "$victims/modules/last_words.cc" -L. -llast -Wl,-rpath,"$work" -pthread
	traced trace ./last_words 2> err
	silent err
	facts trace
	calls_are trace leaf 43410
	calls_are trace library_leaf 500000
	equal "$level: lost" "$(lost trace)" 0
	equal "$level: the report" "$(reported trace library_leaf) $(reported trace leaf)" "500000 43410"
done

# The same with a recorder.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
