#!/bin/sh
# SPDX-License-Identifier: MIT
# record_limits.sh - spoor record starts late, ends early, and stops at a size: the trace has exactly the calls in
# between. The program and its status are unchanged.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
case $SPOOR_ARCH in
x86_64) awake=0xbb41 ;;
aarch64) awake=0x201f ;;
esac
program notices -I"$top_srcdir/libspoor/include" -DAWAKE=$awake

# calls TRACE FUNCTION - prints the number of calls in the trace.
calls()
{
	"$spoor" report --format=csv "$1" 2> report.err | awk -F, -v f="$2" '$1 == f { n += $3 } END { print n + 0 }'
}

# ran TRACE OPTION... - runs spoor record; its output is in out and err, and its status in $status. It is 124 if the
# recording takes longer than two minutes.
ran()
{
	to=$1
	shift
	status=0
	timeout 120 "$spoor" record -o "$to" "$@" > out 2> err || status=$?
}

# recorded STATUS TRACE OPTION... - does the same, and checks that the status is STATUS.
recorded()
{
	wanted=$1
	shift
	ran "$@"
	equal "status of record $* ($(cat err))" "$status" "$wanted"
}

# A late start: in the process itself, and in the program that it executes later. The program calls early() only if
# there is enough time before the start.
recorded 3 late --start-after 400ms ./notices early awake marks again marks ends
grep -q late out || equal "before the start" "$(calls late early)" 0
equal "after it, in both processes" "$(calls late mark)" 10
recorded 0 late_ring --start-after 0.2s --mode ring ./notices awake marks
equal "in a ring" "$(calls late_ring mark)" 5
recorded 0 late_counts --start-after 0.2s --mode count ./notices awake marks
equal "counted" "$(calls late_counts mark)" 5
# The program ends before the start.
recorded 3 never --start-after 1h ./notices marks ends
equal "message of a start that never came" "$(cat err)" \
	"spoor: record: the recording is empty: ./notices ended before the time of --start-after"
[ ! -e never ] || fail "an empty trace was left: $(ls never)"
# A child that exists before the start, and a child that starts later.
recorded 0 both --start-after 300ms sh -c './notices awake marks & ./notices awake marks; wait; ./notices marks'
equal "of three processes" "$(calls both mark)" 15

# Calls that are open at the start are in the trace, and times begin at the start: --time counts from the 0 that the
# tools show.
cat > within.c <<'END'
#include <stdint.h>
#include <unistd.h>
__attribute__((noinline)) void inner(void) { __asm__ volatile(""); }
__attribute__((noinline)) void within(void)
{
	while (*(const volatile uint16_t *)(uintptr_t)inner != AWAKE)
		usleep(1000);
	inner();
	__asm__ volatile(""); /* no tail call */
}
int main(void) { within(); return 0; }
END
traced_cc -O1 -DAWAKE=$awake -o within within.c
begun=$(date +%s%N)
recorded 0 within.trace -q --start-after 2s ./within
lasted_us=$((($(date +%s%N) - begun) / 1000))
"$spoor" replay -t within.trace > within.tree
inner_us=$(awk '$NF == "within;" { print $1 }' within.tree)
[ "${inner_us%.*}" -lt $((lasted_us - 1900000)) ] ||
	fail "times do not begin at the start; the run took $lasted_us us: $(cat within.tree)"
equal "calls shown from there on" "$("$spoor" replay --time "${inner_us}us.." within.trace | grep -c 'inner()')" 1
equal "calls shown before" "$("$spoor" replay --time "..${inner_us}us" within.trace 2> /dev/null | grep -c 'inner()')" 0
# Without libunwind there are no roots.
if "$spoor" info within.trace | grep -q '^  roots'; then
	equal "calls that were open" "$(grep -c 'within {  # entered before recording began' within.tree)" 2
	equal "further calls of the open function" "$(calls within.trace within)" 0
fi

# in_time STATUS TRACE MILLISECONDS OPTION... -- ARGUMENT... - records for this duration. Doubles the duration until
# the program calls busy() within it, which it does last.
in_time()
{
	wanted_in_time=$1 trace_in_time=$2 milliseconds=$3
	shift 3
	while :; do
		rm -rf "$trace_in_time"
		ran "$trace_in_time" --duration ${milliseconds}ms "$@"
		# The program `awake` waits until it is recorded, and waits for ever if the recording ended before.
		case "$status $*" in
		124*awake*)
			[ $milliseconds -lt 2000 ] || fail "$trace_in_time: the program was never recorded: $(cat out err)" ;;
		*)
			equal "status of record $* ($(cat err))" "$status" "$wanted_in_time"
			[ "$(head -n 1 out)" = 0 ] || return 0 ;;
		esac
		milliseconds=$((2 * milliseconds))
		[ $milliseconds -lt 60000 ] ||
			fail "$trace_in_time: the program did not reach busy() within 60 s: $(cat out)"
	done
}

# An early end: later calls are not recorded, and no event is lost.
in_time 3 short 500 ./notices marks asleep late again asleep late ends
equal "before the end" "$(calls short mark)" 5
equal "after it" "$(calls short late)" 0
grep -q '^spoor: record: recording stopped after the time' err ||
	fail "the recorder does not report the early end: $(cat err)"
# A drainer with a sanitizer cannot keep up with busy().
if ! nm "$libspoor" | grep -q ' __[at]san_init'; then
	grep -q ' 0 lost$' err || fail "the recorder lost events: $(cat err)"
	# The program counts its calls during the recording; the last call may be cut off.
	called=$(awk '{ n += $1 } END { print n }' out)
	difference=$((called - $(calls short busy)))
	[ "$difference" -ge 0 ] && [ "$difference" -le 2 ] ||
		fail "the program made $called calls of busy, $difference more than were recorded"
fi
in_time 0 window 500 -q --start-after 300ms ./notices awake marks asleep late
equal "in the time between" "$(calls window mark) $(calls window late)" "5 0"
[ ! -s err ] || fail "spoor record --quiet printed messages: $(cat err)"

# A program that ends at the same moment keeps its own status.
for moment in 1 2 3 4 5 6 7 8 9 10 12 14 16 18 20; do
	recorded 3 moment -q --start-after ${moment}ms --duration ${moment}ms ./notices marks late ends
done

# The recorder stops asking a process to stop, and prints nothing about it, once the process has ended.
program busy_place -rdynamic
recorded 3 place --duration 100ms ./busy_place
! grep -q 'cannot be stopped' err || fail "the recorder printed a message about a process that has ended: $(cat err)"

# A limit of size: the trace never exceeds it, and the recorder counts the events beyond it.
recorded 3 small --max-size 64K ./notices marks asleep late ends
bytes=$(cat small/*/events.spoor | wc -c)
[ "$bytes" -le 65536 ] && [ "$bytes" -gt 32768 ] ||
	fail "--max-size 64K left $bytes bytes of events, not between 32769 and 65536"
equal "words of the size ($(cat err))" "$(grep -c '^spoor: record: small: recording stopped: it has 65536 bytes' err)" 1
equal "after it" "$(calls small late)" 0
equal "before it" "$(calls small mark)" 5
lost=$(sed -n 's/.* \([0-9]*\) lost$/\1/p' err)
difference=$((2 * $(cat out) - 2 * $(calls small busy) - lost))
[ "$lost" -gt 0 ] && [ "${difference#-}" -le 4 ] ||
	fail "the program made $(cat out) calls of busy, and $difference events are neither recorded nor lost"
"$spoor" report small 2>&1 | grep -q ' events lost: beyond --max-size' ||
	fail "spoor report does not name --max-size as the cause: $("$spoor" report small | tail -n 3)"
recorded 0 all --max-size 1G ./notices marks
grep -q ' 0 lost$' err && ! grep -q 'max-size' err ||
	fail "a size that was not reached lost events or gave a message: $(cat err)"
# The message appears once, even if the program ends before the recorder checks.
for turn in 1 2 3 4 5; do
	recorded 0 tiny --max-size 16 ./notices marks
	equal "words of a size that nothing fits in, $turn ($(cat err))" "$(grep -c '^spoor: record: tiny: .*the limit of --max-size' err)" 1
done
# This file has no events, only its first block, the counts of lost events. A process that begins when the limit is
# reached has this block, too.
first=$(cat tiny/*/events.spoor | wc -c)
equal "bytes of the first block that the manual tells" "$(tr '\n' ' ' < "$top_srcdir/tools/record/spoor-record.1" |
	sed -n 's/.* a first block of \([0-9]*\) bytes .*/\1/p')" "$first"
"$spoor" record -q -o two --max-size 100K sh -c './notices asleep > 1 & ./notices asleep > 2; wait' 2> err ||
	fail "two processes with --max-size: spoor record failed: $(cat err)"
# Only a file without events may exceed the limit, because a batch is written only if all fits.
bytes=$(cat two/*/events.spoor | wc -c)
empty=$(find two -name events.spoor -size -$((first + 1))c | wc -l)
[ "$bytes" -le $((102400 + empty * first)) ] || fail "two processes together exceed --max-size: $bytes bytes"
"$spoor" record -q -o late --max-size 64K sh -c './notices asleep > 1; ./notices marks > 2; ./notices marks > 3' 2> err ||
	fail "processes after --max-size: spoor record failed: $(cat err)"
bytes=$(cat late/*/events.spoor | wc -c)
[ "$bytes" -gt 32768 ] && [ "$bytes" -le $((65536 + 2 * first)) ] ||
	fail "processes that begin after --max-size was reached: $bytes bytes in $(ls late)"
equal "their files" "$(find late -name events.spoor -size -$((first + 1))c | wc -l)" 2

# With an attached process.
./notices awake asleep late > attached.out &
victim=$!
awaited "./notices to run" has_begun $victim notices
recorded 0 attached --max-size 64K --pid $victim
wait $victim || fail "the attached process ended with status $?: $(cat err)"
[ "$(cat attached/*/events.spoor | wc -c)" -le 65536 ] ||
	fail "--pid exceeds --max-size: $(cat attached/*/events.spoor | wc -c) bytes"
grep -q 'attached: recording ended: it has 65536 bytes' err || fail "--pid: the recorder does not report the size: $(cat err)"

# Progress on a terminal.
cat > terminal.py <<'PYTHON'
import os, pty, re, subprocess, sys
leader, follower = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=follower)
os.close(follower)
said = b""
while True:
    try:
        some = os.read(leader, 65536)
    except OSError:
        break
    said += some
    if re.search(rb"[1-9][0-9]* events, [0-9.]* MiB, 0 lost", said) and os.path.exists("go"):
        os.remove("go")
sys.stdout.buffer.write(said)
sys.exit(child.wait())
PYTHON
program paced
: > go
python3 terminal.py "$spoor" record -o shown ./paced 100000 go > said ||
	fail "spoor record on a terminal failed: $(cat said)"
grep -q '[1-9][0-9]* events, [0-9.]* MiB, 0 lost' said ||
	fail "spoor record shows no progress on a terminal: $(cat said)"

# Invalid options.
for options in '--start-after never' '--start-after 0' '--duration -1' '--max-size 0' '--max-size 5X' '--max-size nan' \
	'--start-after 1 --mode off' '--start-after 1 --mode order' '--start-after 1 --pid 1' '--duration 1e30'; do
	# shellcheck disable=SC2086
	recorded 2 none $options ./notices
done
SPOOR_RUNTIME_MODE=off recorded 2 none --start-after 1 ./notices
[ ! -e none ] || fail "a rejected command left a trace: $(ls none)"

# Servers write a title over their arguments and environment, which therefore cannot identify them.
program titled
for options in '--duration 900ms' '--start-after 800ms' '--start-after 800ms --mode count' '--start-after 800ms --duration 900ms --mode count'; do
	rm -rf titled.trace
	# shellcheck disable=SC2086
	recorded 0 titled.trace $options -q ./titled 2500
	known=$(calls titled.trace leaf) made=$(cat out)
	[ "$known" -gt 0 ] && [ "$known" -lt "$made" ] ||
		fail "$options: of a program with a title $known calls of $made are recorded ($(cat err))"
done
