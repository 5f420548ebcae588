#!/bin/sh
# SPDX-License-Identifier: MIT
# many_events.sh - ten million events of one thread are all in the trace. With a pool for a fortieth of them, each
# event is stored or counted as lost, and far more are stored than the pool holds. The tools report a file that was
# cut off after a whole block.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

calls=5000000
pool=262144
program hello

traced all timeout 120 ./hello $calls > out 2> err || fail "hello ended with status $?: $(cat err)"
silent err
facts all
calls_are all leaf $calls
equal "lost" "$(lost all)" 0
equal "the report" "$(reported all leaf)" $calls
equal "files of events" "$(find all -name 'events*' | wc -l)" 1

SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=$pool traced small timeout 120 ./hello $calls > out 2> err ||
	fail "hello with a small pool ended with status $?: $(cat err)"
silent err
facts -n small
stored=$(($(entries small leaf) + $(exits small leaf)))
equal "small: events and losses" $((stored + $(entries small main) + $(exits small main) + $(lost small))) $((2 * calls + 2))
equal "small: losses of other causes" "$(lost small)" "$(lost small pool)"
[ "$stored" -gt $((4 * pool)) ] || fail "small: only $stored events are stored, and the pool holds $pool"

# Cuts the file to nothing, to its first block, to half of its blocks, to all but the last. The header of a block has
# 64 bytes; the length of its body is at byte 60.
events=$(cd small && ls */events.spoor)
python3 - "small/$events" > ends <<'END'
import sys
bytes = open(sys.argv[1], "rb").read()
ends = [0]
while ends[-1] < len(bytes):
	ends.append(ends[-1] + 64 + int.from_bytes(bytes[ends[-1] + 60:ends[-1] + 64], "little"))
print(*(ends[i] for i in (0, 1, len(ends) // 2, -2)))
END
cp -R small cut
size=$(wc -c < "small/$events")
for end in $(cat ends) none; do
	cp "small/$events" "cut/$events"
	case $end in
	none) rm "cut/$events"; missing="No such file or directory; its events are missing" ;;
	0) truncate -s 0 "cut/$events"; missing="empty; events are missing" ;;
	*) truncate -s "$end" "cut/$events"; missing="cut off by $((size - end)) bytes; events are missing" ;;
	esac
	for command in report info; do
		status=0
		"$top_builddir/tools/spoor" $command cut > out 2> err || status=$?
		equal "$command of a file cut at $end: status" $status 1
		said_once err "cut/$events: $missing"
	done
done
rm -rf cut

# The same with a recorder.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
