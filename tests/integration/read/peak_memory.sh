#!/bin/sh
# SPDX-License-Identifier: MIT
# peak_memory.sh - the tools read a trace with less than 64 MiB of memory, and need no more memory for twenty times
# as many events: report, flame, replay, graph and every format of export. A million events here, twenty million in
# the long form.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
! nm "$spoor" | grep -q ' U __[at]san_init\| T __[at]san_init' || skip "a sanitizer needs additional memory"

few=500
[ -z "${SPOOR_LONG-}" ] || few=10000
traced_cxx -I"$top_srcdir/libspoor/include" -o everything "$victims/calls/everything.cc" -pthread \
	-L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
traced few ./everything $few
traced many ./everything $((20 * few))
events=$("$spoor" info many | awk '$1 == "events" { n += $2 } END { print n }')
[ "$events" -gt $((20 * few * 60)) ] || fail "the trace has only $events events"

# Each format in --help: the names before the colons.
formats=$("$spoor" export --help | awk '/--compression/ { exit } /--format FORMAT/ { on = 1; sub(/.*FORMAT/, "") }
	on && match($0, /^ *[a-z0-9]+(, [a-z0-9]+)*: /) { words = substr($0, 1, RLENGTH); gsub(/[,:]/, "", words); print words }')
equal "formats ($formats)" "$(echo $formats | wc -w)" 14

# peak COMMAND... - prints the peak memory of the command in KiB, and removes its output.
"$clang" -O2 -o spawning "$top_srcdir/tests/bench/spawning.c"
peak()
{
	rm -rf out
	./spawning 1 "$@" 2> peak.err | awk '{ print $3 }'
	# A message says that viewers may not hold so much.
	! grep -v 'a browser can open about' peak.err || fail "$*: unexpected messages: $(cat peak.err)"
}

# bounded COMMAND... - compares both traces. The larger one may fill buffers that the smaller one starts: libotf2 has
# 1 MiB for the events of a thread and 4 MiB for definitions.
bounded()
{
	least=$(peak "$spoor" "$@" few)
	most=$(peak "$spoor" "$@" many)
	echo "$*: $least KiB, $most KiB"
	[ "${least:-0}" -gt 0 ] && [ "$most" -lt 65536 ] || fail "$*: needs $most KiB for $events events"
	[ "$most" -lt $((least + 6144)) ] ||
		fail "$*: needs $least KiB, and $most KiB for twenty times as many events"
}

bounded report
bounded report --format=json --histogram --columns all
bounded report --group thread
bounded flame -o /dev/null
bounded flame --format=folded
bounded replay
bounded replay --merge
bounded replay --slowest 5
bounded graph
bounded graph --format=dot
for format in $formats; do
	case $format in
	otf2 | ctf | spoor) out=out ;;
	*) out=/dev/null ;;
	esac
	[ $format != otf2 ] || [ -z "$("$spoor" export --format=otf2 -o out nowhere 2>&1 | grep 'apt-get install')" ] || continue
	bounded export --format=$format -o $out
done
