#!/bin/sh
# SPDX-License-Identifier: MIT
# ctl.sh - spoor ctl does to a running process what it says, with plain LD_PRELOAD and under
# spoor record: the calls in the trace are those that the victim made while the functions
# were enabled. Another user may not; whatever cannot be done is one clear message.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

program steered -ldl

# begin TRACE - starts the victim, which waits for orders; its process is $victim.
begin()
{
	rm -f orders "$1.out"
	mkfifo orders
	if [ -n "${LIFE_RECORD-}" ]; then
		"$spoor" record -q -o "$1" -- ./steered orders > "$1.out" 2> "$1.err" &
	else
		SPOOR_RUNTIME_TRACE_PATH=$1 LD_PRELOAD=$libspoor ./steered orders > "$1.out" 2> "$1.err" &
	fi
	job=$!
	exec 9> orders
	calls "$1" 1
	for folder in "$1"/[0-9]*; do victim=${folder##*/}; done
}

# calls TRACE N - the victim makes so many calls in each of two threads; waits until it has.
calls()
{
	before=$(wc -l < "$1.out")
	echo "calls $2" >&9
	while [ "$(wc -l < "$1.out")" = "$before" ]; do sleep 0.01; done
}

# end TRACE
end()
{
	echo end >&9
	exec 9>&-
	wait $job || fail "$1: the victim's status is $?: $(cat "$1.err")"
	silent "$1.err"
	facts "$1"
}

# ctl ARGUMENT... - has to work, without a word on stderr.
ctl()
{
	timeout 120 "$spoor" ctl "$@" > ctl.out 2> ctl.err || fail "ctl $*: status $?: $(cat ctl.err)"
	[ ! -s ctl.err ] || fail "ctl $*: $(cat ctl.err)"
}

# refused STATUS TEXT ARGUMENT... - one message, with this in it.
refused()
{
	wanted=$1 text=$2
	shift 2
	status=0
	timeout 120 "$spoor" ctl "$@" > ctl.out 2> ctl.err || status=$?
	equal "status of ctl $*" "$status" "$wanted"
	grep -q -- "$text" ctl.err || fail "ctl $*: no word of '$text': $(cat ctl.err)"
	equal "lines of ctl $*" "$(grep -c '^spoor: ' ctl.err)" 1
}

shows()
{
	ctl "$victim" status
	grep -q -- "$1" ctl.out || fail "status does not show '$1': $(cat ctl.out)"
}

# on_disk TRACE FUNCTION - calls that are in the events file alone, whatever the pool has.
on_disk()
{
	rm -rf copy
	cp -r "$1" copy
	rm -f copy/*/pool.spoor
	reported copy "$2"
}

refused 1 'no process' 4194304 status
refused 2 'no process ID' x status
refused 2 'which process' 
refused 2 'none of status' $$ nothing
refused 2 'what' $$ enable
refused 2 'too much' $$ flush now
refused 2 'no mode' $$ mode fast
refused 2 'neither text nor json' --format xml $$ status
refused 2 '--format is for status' --format json $$ flush
refused 2 '--module is for enable' -m x $$ flush
refused 1 'no libspoor.so' $$ status

begin flushed
shows 'mode  *log'
shows "trace  *$work/flushed/$victim\$"
shows '2 of 2  steered'
shows 'lost  *nothing'
shows '8 in the pool'
ctl --format=json "$victim" status
grep -q "^{\"schema\":\"spoor.status/1\",\"process\":$victim,\"mode\":\"log\",.*\"name\":\"steered\",\"functions\":2,\"enabled\":2}" ctl.out ||
	fail "JSON: $(cat ctl.out)"
python3 "$top_srcdir/tests/integration/readers/json_schemas.py" "$top_srcdir/tools/ctl/spoor-ctl.1" spoor.status/1 ctl.out

# What is flushed is in the file, what comes behind it not yet.
calls flushed 100
equal "before a flush" "$(on_disk flushed step)" 0
ctl "$victim" flush
equal "after a flush" "$(on_disk flushed step)" 202
shows ' [1-9][0-9]* written, 0 in the pool'
calls flushed 10
equal "behind a flush" "$(on_disk flushed step)" 202
shows ' 8[0-9]* in the pool'
ctl "$victim" clear
shows '80: cleared'
shows ' 0 in the pool'
end flushed
equal "after a clear" "$(reported flushed step)" 202

# A process that ctl itself asks, and another user's.
begin other
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
	theirs=$(mktemp -d)
	chmod 755 "$theirs"
	real=$top_builddir/tools/.libs/spoor
	[ -x "$real" ] || real=$spoor
	cp "$real" "$theirs/spoor"
	status=0
	setpriv --reuid 65534 --regid 65534 --clear-groups "$theirs/spoor" ctl "$victim" status > ctl.out 2> ctl.err || status=$?
	rm -rf "$theirs"
	equal "status for another user ($(cat ctl.err))" $status 1
	grep -q "another user's" ctl.err || fail "another user: $(cat ctl.err)"
fi
# Many at a time take turns.
asking=
for i in 1 2 3 4 5 6 7 8; do
	"$spoor" ctl "$victim" flush 2> "turn.$i" &
	asking="$asking $!"
done
for one in $asking; do
	wait "$one" || fail "one of eight: $(cat turn.*)"
done
# One that is killed while it waits for a process that does not answer leaves no lock behind.
if [ -z "${LIFE_RECORD-}" ]; then
	kill -STOP "$victim"
	"$spoor" ctl "$victim" flush 2> /dev/null &
	asking=$!
	awaited "one that asks" grep -q pool.spoor /proc/$asking/maps
	sleep 0.1
	kill -KILL $asking
	wait $asking 2> /dev/null || :
	ctl "$victim" status
	kill -CONT "$victim"
	ctl "$victim" flush
fi
end other

# Who is asked and ends is not waited for.
if [ -z "${LIFE_RECORD-}" ]; then
	begin killed
	kill -STOP "$victim"
	"$spoor" ctl "$victim" flush 2> killed.said &
	asking=$!
	awaited "one that asks" grep -q pool.spoor /proc/$asking/maps
	sleep 0.3
	kill -KILL "$victim"
	wait $job 2> /dev/null || :
	status=0
	wait $asking || status=$?
	equal "status where the process is killed ($(cat killed.said))" $status 1
	said_once killed.said "process $victim has ended"
	exec 9>&-
fi

# Our thread has no part in a real-time program's priority.
if [ -z "${LIFE_RECORD-}" ] && chrt -f 10 true 2> /dev/null; then
	rm -f orders
	mkfifo orders
	SPOOR_RUNTIME_TRACE_PATH=real_time LD_PRELOAD=$libspoor chrt -f 10 ./steered orders > real_time.out 2> real_time.err &
	job=$!
	exec 9> orders
	calls real_time 1
	for task in /proc/$job/task/*; do
		echo "$(cat "$task/comm") $(chrt -p "${task##*/}" | sed -n 's/.*policy: //p')"
	done | sort -u > real_time.threads
	end real_time
	equal "policies of threads" "$(tr '\n' ',' < real_time.threads)" 'spoor SCHED_OTHER,steered SCHED_FIFO,'
fi

# The choice of functions: a sum of the calls that were made meanwhile. Where a recorder drains
# a thread of the process calls in.
choices()
{
	begin chosen
	ctl "$victim" disable 'st*'
	equal "said" "$(cat ctl.out)" '1 function changed'
	shows '1 of 2  steered'
	calls chosen 10
	ctl -m 'lib*' "$victim" enable '*'
	equal "said of libraries that there are not" "$(cat ctl.out)" '0 functions changed'
	ctl -m 'steer*' "$victim" enable step
	calls chosen 100
	ctl "$victim" mode off
	equal "said" "$(cat ctl.out)" ''
	shows 'mode  *off'
	shows '0 of 2  steered'
	calls chosen 1000
	timeout 120 "$spoor" ctl "$victim" enable '*' > ctl.out 2> ctl.err
	grep -q 'the mode is off' ctl.err || fail "enable in mode off: $(cat ctl.err)"
	ctl "$victim" mode log
	calls chosen 10000
	ctl "$victim" stop
	shows '0 of 2  steered'
	# All is on disk: so it is said.
	shows ' [1-9][0-9]* written, 0 in the pool'
	calls chosen 5
	refused 1 'is stopped' "$victim" mode off
	ctl "$victim" mode log
	calls chosen 100000
	end chosen
	calls_are chosen step $((2 * (1 + 100 + 10000 + 100000)))
	calls_are chosen other $((2 * (1 + 10 + 100 + 10000 + 100000)))
	equal "lost" "$(lost chosen)" 0

	# A process in which nothing was enabled yet has no pool, and no thread of ours.
	SPOOR_RUNTIME_MODE=off
	export SPOOR_RUNTIME_MODE
	begin dormant
	unset SPOOR_RUNTIME_MODE
	victim=$(dormant_process)
	refused 1 'stores no events now: it is dormant' "$victim" status
	ctl "$victim" flush
	calls dormant 1000
	ctl "$victim" disable 'oth*'
	equal "said of a dormant function" "$(cat ctl.out)" '0 functions changed'
	ctl "$victim" mode ring
	shows 'mode  *ring'
	ctl "$victim" mode log
	calls dormant 10
	shows '1 of 2  steered'
	ctl "$victim" enable '*'
	calls dormant 100
	ctl "$victim" stop
	calls dormant 5
	end dormant
	calls_are dormant step 220
	calls_are dormant other 200

	# Modes, each to the next: what is stored, what is counted, and where nothing is.
	begin moded
	calls moded 10
	ctl "$victim" mode count
	shows 'mode  *count'
	shows '2 of 2  steered'
	calls moded 100
	ctl "$victim" mode off
	shows 'mode  *off'
	shows '0 of 2  steered'
	calls moded 1000
	ctl "$victim" mode ring
	shows 'mode  *ring'
	shows '2 of 2  steered'
	calls moded 10000
	ctl "$victim" mode log
	shows 'mode  *log'
	calls moded 100000
	end moded
	for function in step other; do
		calls_are moded $function $((2 * (1 + 10 + 10000 + 100000)))
		equal "calls of $function" "$(reported moded $function)" $((2 * (1 + 10 + 100 + 10000 + 100000)))
	done
	equal "lost" "$(lost moded)" 0
	"$spoor" info moded > moded.info
	grep -q "^  mode changes  *4, the last to 'log'" moded.info || fail "changes: $(grep mode moded.info)"
	grep -q "^  counts  *400 " moded.info || fail "counts: $(grep counts moded.info)"

	# The order of first calls, from here on.
	begin first
	ctl "$victim" mode order
	shows 'mode  *order'
	calls first 10
	end first
	"$spoor" order first > first.order || fail "spoor order: status $?"
	equal "functions in their order" "$(grep -x 'step\|other' first.order | sort | tr '\n' ' ')" "other step "

	# A handler of its own, taken away and brought back.
	begin handed
	refused 1 'no handler' "$victim" mode handler
	seen()
	{
		echo seen >&9
		awaited "the handler's count" grep -q "^seen $1\$" handed.out
	}
	echo set >&9
	calls handed 10
	for away in off log ring count; do
		ctl "$victim" mode $away
		calls handed 1000
		ctl "$victim" mode handler
		calls handed 10
	done
	ctl "$victim" stop
	calls handed 1000
	ctl "$victim" mode handler
	calls handed 10
	seen $((8 * 6 * 10))
	ctl "$victim" mode order
	refused 1 'the order of first calls' "$victim" mode handler
	end handed

	# Nor has one that counts from its beginning.
	SPOOR_RUNTIME_MODE=count
	export SPOOR_RUNTIME_MODE
	begin tallied
	unset SPOOR_RUNTIME_MODE
	refused 1 'counts its calls' "$victim" status
	ctl "$victim" mode log
	shows 'mode  *log'
	calls tallied 10
	end tallied
	calls_are tallied step 20
	equal "calls of step" "$(reported tallied step)" 22
}

# may_call_in - whether the system lets one process stop another of the same user.
may_call_in()
{
	[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2> /dev/null || echo 0)" = 0 ]
}

# The one that has libspoor.so: under spoor record the job is not the victim.
dormant_process()
{
	if [ -n "${LIFE_RECORD-}" ]; then
		for child in $(cat "/proc/$job/task/$job/children"); do
			[ "$(cat "/proc/$child/comm")" != steered ] || echo "$child"
		done
	else
		echo $job
	fi
}

! may_call_in || choices

if [ -z "${LIFE_RECORD-}" ]; then
	# One that counted from its beginning has no pool, until it is in another mode: then
	# that is as if it had been there.
	SPOOR_RUNTIME_MODE=count SPOOR_RUNTIME_TRIGGER='step>1s' SPOOR_RUNTIME_FLUSH_SIGNAL=USR1
	export SPOOR_RUNTIME_MODE SPOOR_RUNTIME_TRIGGER SPOOR_RUNTIME_FLUSH_SIGNAL
	begin counted
	refused 1 'counts its calls' "$victim" status
	kill -USR1 "$victim"
	calls counted 10
	echo 'mode log' >&9
	calls counted 100
	grep -q '^log: 0, log$' counted.out || fail "counted: $(cat counted.out)"
	shows 'mode  *log'
	shows "trace  *$work/counted/$victim\$"
	shows '2 of 2  steered'
	ctl "$victim" flush
	equal "flushed by ctl" "$(on_disk counted step)" $((2 * (1 + 10 + 100)))
	end counted
	calls_are counted step 200
	# And one that has none at the end.
	begin never
	end never
	unset SPOOR_RUNTIME_MODE SPOOR_RUNTIME_TRIGGER SPOOR_RUNTIME_FLUSH_SIGNAL

	# The last events, on request.
	SPOOR_RUNTIME_MODE=ring
	export SPOOR_RUNTIME_MODE
	begin ringed
	unset SPOOR_RUNTIME_MODE
	shows 'mode  *ring'
	calls ringed 1000000
	ctl "$victim" flush
	[ "$(on_disk ringed step)" -gt 100000 ] || fail "the ring's flush wrote $(on_disk ringed step) calls"
	echo end >&9
	exec 9>&-
	wait $job || fail "ring: status $?"

	# Its first thread has ended, of which alone /proc/PID itself tells.
	cat > rest.c << 'C'
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) static void leaf(void) { __asm__ volatile(""); }
static void *goes_on(void *file)
{
	for (; access(file, F_OK) == 0; usleep(1000))
		leaf();
	_exit(3);
}
int main(int count, char **words)
{
	pthread_t thread;

	(void)count;
	pthread_create(&thread, NULL, goes_on, words[1]);
	pthread_exit(NULL);
}
C
	traced_cc -o rest rest.c -pthread
	: > rest.go
	SPOOR_RUNTIME_TRACE_PATH=rest.trace LD_PRELOAD=$libspoor ./rest rest.go &
	rest=$!
	awaited "the end of a first thread" grep -q '^State:.Z' /proc/$rest/status
	awaited "a pool" test -e rest.trace/$rest/pool.spoor
	ctl $rest mode count
	ctl $rest status
	grep -q 'mode  *count' ctl.out || fail "status: $(cat ctl.out)"
	status=0
	"$spoor" record -o rest.attached --pid $rest 2> ctl.err || status=$?
	equal "status of attaching to it" $status 1
	said_once ctl.err 'its first thread has ended, and the others cannot be attached to alone'
	rm rest.go
	status=0
	wait $rest || status=$?
	equal "status of rest" $status 3

	# The trace was taken away, or is no pool's.
	begin removed
	rm -rf removed
	refused 1 'removed' "$victim" flush
	echo end >&9
	exec 9>&-
	wait $job || :
	# A file that is cut off under its name, which whoever looks at it dies of.
	begin cut
	kill -STOP "$victim"
	: > "cut/$victim/pool.spoor"
	refused 1 'not a pool' "$victim" flush
	kill -KILL "$victim"
	exec 9>&-
	wait $job 2> /dev/null || :
fi

# Several at a time take turns.
begin turns
turns=
for turn in 1 2 3; do
	for i in 1 2 3 4 5 6 7 8 9 10; do timeout 120 "$spoor" ctl "$victim" disable nothing; done > turn.$turn 2>&1 &
	turns="$turns $!"
done
# shellcheck disable=SC2086
wait $turns
equal "what three at a time say" "$(cat turn.1 turn.2 turn.3 | sort | uniq -c | sed 's/^ *//')" "30 0 functions changed"
end turns

# One that is stopped before it has logged anything, and has to begin.
if [ -n "${LIFE_RECORD-}" ]; then
	rm -f orders
	mkfifo orders
	"$spoor" record -q --mode off -o stopped -- ./steered orders > stopped.out 2> stopped.err &
	job=$!
	exec 9> orders
	for child in $(cat "/proc/$job/task/$job/children"); do
		[ "$(cat "/proc/$child/comm")" != steered ] || victim=$child
	done
	kill -STOP "$victim"
	ctl "$victim" mode log
	kill -CONT "$victim"
	calls stopped 20
	end stopped
	equal "calls of one that was stopped" "$(reported stopped step)" 40
fi

[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
