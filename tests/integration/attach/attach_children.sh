#!/bin/sh
# SPDX-License-Identifier: MIT
# attach_children.sh - children that an attached process forks are traced while the process is attached to. Afterwards
# each child is dormant, stores nothing, and can be attached to itself. A grandchild whose parent has ended behaves
# alike.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
program forks

./forks > numbers &
parent=$!
trap 'kill -9 $parent $children 2> /dev/null || true' EXIT
children=

# calls_some TRACE PROCESS - tests whether the trace has at least ten calls of leaf by this process.
calls_some()
{
	for folder in "$1/$2"*; do :; done
	[ -d "$folder" ] && "$spoor" ctl "$2" flush 2> flush.err && [ "$(reported "$folder" leaf)" -ge 10 ]
}

# ended PROCESS - tests whether the process is a zombie or gone.
ended()
{
	[ ! -d "/proc/$1" ] || state_is "$1" Z
}

awaited "./forks to run" has_begun $parent forks
"$spoor" record -o family --pid $parent 2> family.err &
recorder=$!
awaited "an attachment" grep -qE '(is|are) recorded' family.err
kill -USR1 $parent
awaited "numbers" grep -q '[0-9] [0-9]' numbers
read -r child grandchild < numbers
children="$child $grandchild"
for process in $parent $children; do
	awaited "calls of process $process" calls_some family "$process"
done
kill -USR2 "$child"
awaited "the end of $child" ended "$child"
kill -INT $recorder
wait $recorder || fail "the recorder ended with status $?: $(cat family.err)"
facts family
for process in $parent $child $grandchild; do
	[ -n "$(find family -name "$process*")" ] || fail "process $process is not in the trace: $(ls family)"
done

# The processes are dormant: their files do not change, and each can be attached to again.
find family -type f -exec cksum {} + | sort > before
sleep 0.3
find family -type f -exec cksum {} + | sort > after
cmp before after || fail "a process wrote to its trace after the recording: $(diff before after)"
for process in $parent $grandchild; do
	rm -f again.err
	"$spoor" record -o "again.$process" --pid "$process" 2> again.err &
	recorder=$!
	awaited "calls of process $process, again ($(cat again.err))" calls_some "again.$process" "$process"
	kill -INT $recorder
	wait $recorder || fail "attaching to process $process again failed: $(cat again.err)"
	facts "again.$process"
	[ "$(entries "again.$process" leaf)" -ge 10 ] ||
		fail "process $process called leaf fewer than ten times: $(cat "again.$process.facts")"
done
