#!/bin/sh
# SPDX-License-Identifier: MIT
# architectures.sh - the tools of both architectures read, name and export a trace of either architecture, with the
# same bytes.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ -n "$emulated" ] || skip "there is no native build next to a build for another architecture"

native=$SPOOR_NATIVE
cp "$top_srcdir/tests/golden/recorded.c" .
traced_cc -o other recorded.c -pthread
traced other.trace ./other
"$native/tools/spoor-cc" -O2 -g -o same recorded.c -pthread
SPOOR_RUNTIME_TRACE_PATH=same.trace LD_PRELOAD=$native/libspoor/.libs/libspoor.so ./same

for trace in other same; do
	for command in info replay report "report --format=csv" "flame --format=folded" graph "export --format=csv --flat" \
		"export --format=chrome" "export --format=perfetto" "export --format=speedscope" "export --format=callgrind" \
		"export --format=pprof" "export --format=rowbinary" "export --format=json --flat" "export --format=firefox"; do
		# shellcheck disable=SC2086
		"$native/tools/spoor" $command $trace.trace > by_native 2> by_native.err ||
			fail "$command $trace: the native tool failed: $(cat by_native.err)"
		# shellcheck disable=SC2086
		"$top_builddir/tools/spoor" $command $trace.trace > by_other 2> by_other.err ||
			fail "$command $trace: the other tool failed: $(cat by_other.err)"
		cmp by_native by_other || fail "$command $trace: the results of both tools differ (see above)"
		[ -s by_native ] && ! grep -q '#[0-9]' by_native.err ||
			fail "$command $trace: there is no output, or functions have no names: $(cat by_native.err)"
	done
	"$native/tools/spoor" report --format=csv --sort function $trace.trace | cut -d, -f1,3 | sed 1d | sort > $trace.calls
done
cmp other.calls same.calls || fail "the calls of both architectures differ: $(diff other.calls same.calls)"
equal "calls" "$(tr '\n' ' ' < same.calls)" "catches,1 jumps,4 leaf,6 main,1 tail,4 thread,1 "
# The trees, without durations and process IDs.
for trace in other same; do
	"$native/tools/spoor" replay $trace.trace | sed "s/[0-9.]* [nmu]*s //; s/[0-9]\{2,\}//g; s/ $trace\b//; s/ *//" > $trace.shape
done
cmp other.shape same.shape || fail "the trees of both architectures differ: $(diff other.shape same.shape)"
