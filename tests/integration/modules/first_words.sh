#!/bin/sh
# SPDX-License-Identifier: MIT
# first_words.sh - the trace has all calls from the first one: calls before main, and calls of a library while it is
# loaded, in constructors, in constructors of global objects, and in threads that constructors start. The trace also
# has calls into a module whose constructors run later.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

for level in -O0 -O2; do
	traced_cxx $level -fPIC -shared -DLIBRARY -Wl,-soname,liblinked.so -o liblinked.so "$victims/modules/first_words.cc" -pthread
	traced_cxx $level -fPIC -shared -DLIBRARY -DOPENED -Wl,-soname,libneeded.so -o libneeded.so "$victims/modules/first_words.cc" -pthread
	traced_cxx $level -fPIC -shared -DLIBRARY -DOPENED -Wl,-soname,libopened.so -o libopened.so "$victims/modules/first_words.cc" \
		-Wl,--no-as-needed -L. -lneeded -Wl,-rpath,"$work" -pthread
	traced_cxx $level -o first_words "$victims/modules/first_words.cc" -L. -llinked -Wl,-rpath,"$work" -pthread
	./first_words ./libopened.so || fail "$level: the untraced program ended with status $?"
	traced trace ./first_words ./libopened.so 2> err ||
		fail "$level: the traced program ended with status $?: $(cat err)"
	silent err
	facts trace
	calls_are trace leaf 43210
	for library in linked needed opened; do
		calls_are trace library_leaf 43210 lib$library.so
	done
	calls_are trace _Z6commonv 1000 first_words
	calls_are trace _Z13opened_commonv 1000 libopened.so
	equal "$level: lost" "$(lost trace)" 0
	equal "$level: the report" "$(reported trace library_leaf) $(reported trace leaf)" "$((3 * 43210)) 43210"
done

# The same with a recorder.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
