#!/bin/sh
# SPDX-License-Identifier: MIT
# attach_children.sh - what an attached process forks is traced as long as it is, and dormant
# when it is: it stores nothing more, and can be attached to itself; so with a grandchild
# whose parent has ended.
set -eu
. "$top_srcdir/tests/integration/life.sh"
spoor=$top_builddir/tools/spoor
program forks

./forks > numbers &
parent=$!
trap 'kill -9 $parent $children 2> /dev/null || true' EXIT
children=

# waits PATTERN FILE - until a line of the file matches.
waits()
{
	tries=0
	until grep -q -- "$1" "$2"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || fail "no $1 in $2: $(cat "$2")"
		sleep 0.05
	done
}

"$spoor" record -o family --pid $parent 2> family.err &
recorder=$!
waits 'are recorded' family.err
kill -USR1 $parent
waits '[0-9] [0-9]' numbers
read -r child grandchild < numbers
children="$child $grandchild"
sleep 0.3
kill -USR2 "$child"
sleep 0.3
kill -INT $recorder
wait $recorder || fail "the recorder ends with $?: $(cat family.err)"
facts family
for process in $parent $child $grandchild; do
	[ -n "$(find family -name "$process*")" ] || fail "process $process is not in the trace: $(ls family)"
done

# Dormant: the files stay as they are, and each can be attached to again.
find family -type f -exec cksum {} + | sort > before
sleep 0.3
find family -type f -exec cksum {} + | sort > after
cmp before after || fail "a process goes on writing"
for process in $parent $grandchild; do
	"$spoor" record --duration 200ms -o "again.$process" --pid "$process" 2> again.err ||
		fail "process $process cannot be attached to again: $(cat again.err)"
	facts "again.$process"
	[ "$(entries "again.$process" leaf)" -ge 10 ] || fail "process $process: $(cat "again.$process.facts")"
done
