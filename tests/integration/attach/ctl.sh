#!/bin/sh
# SPDX-License-Identifier: MIT
# ctl.sh - spoor ctl changes a running process, under plain LD_PRELOAD and under spoor record: the trace has exactly
# the calls that the victim made while its functions were enabled. Another user cannot control the process. Each
# impossible request gives one clear message.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

program steered -ldl

# begin TRACE - starts the victim, which waits for orders, and sets $victim to its process.
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

# calls TRACE N - makes the victim call each function N times in each of two threads, and waits until it has.
calls()
{
	before=$(wc -l < "$1.out")
	echo "calls $2" >&9
	while [ "$(wc -l < "$1.out")" = "$before" ]; do sleep 0.01; done
}

# end TRACE - ends the victim and checks its status, its messages and its trace.
end()
{
	echo end >&9
	exec 9>&-
	wait $job || fail "$1: the victim ended with status $?: $(cat "$1.err")"
	silent "$1.err"
	facts "$1"
}

# ctl ARGUMENT... - runs spoor ctl, which must succeed, and print nothing on stderr but, on a busy machine, the line that
# it waits for the process.
ctl()
{
	timeout 120 "$spoor" ctl "$@" > ctl.out 2> ctl.err ||
		fail "spoor ctl $* failed with status $?: $(cat ctl.err)"
	! grep -qv "$waiting" ctl.err || fail "spoor ctl $* printed messages and must print none: $(cat ctl.err)"
}

# refused STATUS TEXT ARGUMENT... - checks that spoor ctl fails with STATUS and one message, which contains TEXT.
refused()
{
	wanted=$1 text=$2
	shift 2
	status=0
	timeout 120 "$spoor" ctl "$@" > ctl.out 2> ctl.err || status=$?
	equal "status of ctl $*" "$status" "$wanted"
	grep -q -- "$text" ctl.err || fail "the message of spoor ctl $* does not contain '$text': $(cat ctl.err)"
	equal "lines of ctl $*" "$(grep '^spoor: ' ctl.err | grep -vc "$waiting")" 1
}

shows()
{
	ctl "$victim" status
	grep -q -- "$1" ctl.out || fail "status does not show '$1': $(cat ctl.out)"
}

# on_disk TRACE FUNCTION - prints the number of calls in the events file, without those in the pool.
on_disk()
{
	rm -rf copy
	cp -r "$1" copy
	rm -f copy/*/pool.spoor
	reported copy "$2"
}

refused 1 'no process' 4194304 status
refused 2 'is not a process ID' x status
refused 2 'no process: name'
refused 2 "unknown command 'nothing': use status" $$ nothing
refused 2 "no argument for 'enable'" $$ enable
refused 2 'unexpected argument' $$ flush now
refused 2 "unknown mode 'fast': use log" $$ mode fast
refused 2 "unknown format 'xml'" --format xml $$ status
refused 2 '--format requires status' --format json $$ flush
refused 2 '--module requires enable' -m x $$ flush
refused 1 'no libspoor.so' $$ status

begin flushed
shows 'mode  *log'
shows "trace  *$work/flushed/$victim\$"
shows '2 of 2  steered'
shows 'lost  *nothing'
shows '8 in the pool'
ctl --format=json "$victim" status
grep -q "^{\"schema\":\"spoor.status/1\",\"process\":$victim,\"mode\":\"log\",.*\"name\":\"steered\",\"functions\":2,\"enabled\":2}" ctl.out ||
	fail "spoor ctl --format=json printed another object: $(cat ctl.out)"
python3 "$top_srcdir/tests/integration/readers/json_schemas.py" "$top_srcdir/tools/ctl/spoor-ctl.1" spoor.status/1 ctl.out

# Flushed events are in the file; later events are not.
calls flushed 100
equal "before a flush" "$(on_disk flushed step)" 0
ctl "$victim" flush
equal "after a flush" "$(on_disk flushed step)" 202
shows ' [1-9][0-9]* written, 0 in the pool'
calls flushed 10
equal "after ten more calls without a flush" "$(on_disk flushed step)" 202
shows ' 8[0-9]* in the pool'
ctl "$victim" clear
shows '80: cleared'
shows ' 0 in the pool'
end flushed
equal "after a clear" "$(reported flushed step)" 202

# A process to which ctl itself sends requests, and one of another user.
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
	grep -q 'belongs to another user' ctl.err || fail "the message does not name another user's process: $(cat ctl.err)"
fi
# Concurrent requests take turns.
asking=
for i in 1 2 3 4 5 6 7 8; do
	"$spoor" ctl "$victim" flush 2> "turn.$i" &
	asking="$asking $!"
done
for one in $asking; do
	wait "$one" || fail "one of eight concurrent flushes failed: $(cat turn.*)"
done
# A spoor ctl that is killed while it waits for an answer leaves no lock.
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

# spoor ctl does not wait for a process that ends.
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

# The service thread does not inherit the priority of a real-time program.
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

# The choice of functions: the calls of each step add up. If a recorder drains, a thread of the process carries out
# the changes.
choices()
{
	begin chosen
	ctl "$victim" disable 'st*'
	equal "said" "$(cat ctl.out)" '1 function changed'
	shows '1 of 2  steered'
	calls chosen 10
	ctl -m 'lib*' "$victim" enable '*'
	equal "said of libraries that there are not" "$(cat ctl.out)" '0 functions changed: no traced function matches, or all that match were enabled already'
	ctl -m 'steer*' "$victim" enable step
	calls chosen 100
	ctl "$victim" mode off
	equal "said" "$(cat ctl.out)" ''
	shows 'mode  *off'
	shows '0 of 2  steered'
	calls chosen 1000
	timeout 120 "$spoor" ctl "$victim" enable '*' > ctl.out 2> ctl.err
	grep -q 'the mode is off' ctl.err ||
		fail "spoor ctl enable in mode off does not name the mode: $(cat ctl.err)"
	ctl "$victim" mode log
	calls chosen 10000
	ctl "$victim" stop
	shows '0 of 2  steered'
	# All events are on disk, and the status says so.
	shows ' [1-9][0-9]* written, 0 in the pool'
	calls chosen 5
	refused 1 'no longer records' "$victim" mode off
	ctl "$victim" mode log
	calls chosen 100000
	end chosen
	calls_are chosen step $((2 * (1 + 100 + 10000 + 100000)))
	calls_are chosen other $((2 * (1 + 10 + 100 + 10000 + 100000)))
	equal "lost" "$(lost chosen)" 0

	# A process that never enabled a function has no pool and no service thread.
	SPOOR_RUNTIME_MODE=off
	export SPOOR_RUNTIME_MODE
	begin dormant
	unset SPOOR_RUNTIME_MODE
	victim=$(dormant_process)
	refused 1 'stores no events: it is dormant' "$victim" status
	ctl "$victim" flush
	calls dormant 1000
	ctl "$victim" disable 'oth*'
	equal "said of a dormant function" "$(cat ctl.out)" '0 functions changed: no traced function matches, or all that match were disabled already'
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

	# Each mode changes to the next: events are stored, counted, or ignored.
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
	grep -q "^  mode changes  *4, the last to 'log'" moded.info ||
		fail "spoor info reports other mode changes: $(grep mode moded.info)"
	grep -q "^  counts  *400 " moded.info || fail "spoor info reports other counts: $(grep counts moded.info)"

	# The order of first calls, from this moment.
	begin first
	ctl "$victim" mode order
	shows 'mode  *order'
	calls first 10
	end first
	"$spoor" order first > first.order || fail "spoor order failed with status $?: $(cat first.order)"
	equal "functions in their order" "$(grep -x 'step\|other' first.order | sort | tr '\n' ' ')" "other step "

	# The program has its own handler, which a mode replaces and restores.
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

	# A process that counts from its start has no pool.
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

# may_call_in - tests whether a process may stop another process of the same user.
may_call_in()
{
	[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2> /dev/null || echo 0)" = 0 ]
}

# dormant_process - prints the process that has libspoor.so: under spoor record the job is not the victim.
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
	# A process that counts from its start has no pool until its mode changes; then the pool works as usual.
	SPOOR_RUNTIME_MODE=count SPOOR_RUNTIME_TRIGGER='step>1s' SPOOR_RUNTIME_FLUSH_SIGNAL=USR1
	export SPOOR_RUNTIME_MODE SPOOR_RUNTIME_TRIGGER SPOOR_RUNTIME_FLUSH_SIGNAL
	begin counted
	refused 1 'counts its calls' "$victim" status
	kill -USR1 "$victim"
	calls counted 10
	echo 'mode log' >&9
	calls counted 100
	grep -q '^log: 0, log$' counted.out || fail "the victim did not change from count to log: $(cat counted.out)"
	shows 'mode  *log'
	shows "trace  *$work/counted/$victim\$"
	shows '2 of 2  steered'
	ctl "$victim" flush
	equal "flushed by ctl" "$(on_disk counted step)" $((2 * (1 + 10 + 100)))
	end counted
	calls_are counted step 200
	# A process that still has no pool when it ends.
	begin never
	end never
	unset SPOOR_RUNTIME_MODE SPOOR_RUNTIME_TRIGGER SPOOR_RUNTIME_FLUSH_SIGNAL

	# The newest events, on request.
	SPOOR_RUNTIME_MODE=ring
	export SPOOR_RUNTIME_MODE
	begin ringed
	unset SPOOR_RUNTIME_MODE
	shows 'mode  *ring'
	calls ringed 1000000
	ctl "$victim" flush
	[ "$(on_disk ringed step)" -gt 100000 ] ||
		fail "the flush of the ring wrote only $(on_disk ringed step) calls"
	echo end >&9
	exec 9>&-
	wait $job || fail "the victim in mode ring ended with status $?: $(cat ringed.err)"

	# The first thread has ended; only /proc/PID itself shows that.
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
	grep -q 'mode  *count' ctl.out || fail "spoor ctl status does not show mode count: $(cat ctl.out)"
	status=0
	"$spoor" record -o rest.attached --pid $rest 2> ctl.err || status=$?
	equal "status of attaching to it" $status 1
	said_once ctl.err 'its first thread has ended'
	rm rest.go
	status=0
	wait $rest || status=$?
	equal "status of rest" $status 3

	# The trace was removed, or its pool is not a pool.
	begin removed
	rm -rf removed
	refused 1 'removed' "$victim" flush
	echo end >&9
	exec 9>&-
	wait $job || :
	# The pool file is truncated: a process that reads its mapping dies.
	begin cut
	kill -STOP "$victim"
	: > "cut/$victim/pool.spoor"
	refused 1 'not a pool' "$victim" flush
	kill -KILL "$victim"
	exec 9>&-
	wait $job 2> /dev/null || :
fi

# Concurrent requests take turns.
begin turns
turns=
for turn in 1 2 3; do
	for i in 1 2 3 4 5 6 7 8 9 10; do timeout 120 "$spoor" ctl "$victim" disable nothing; done > turn.$turn 2>&1 &
	turns="$turns $!"
done
# shellcheck disable=SC2086
wait $turns
equal "what three at a time say" "$(cat turn.1 turn.2 turn.3 | grep -v "$waiting" | sort | uniq -c | sed 's/^ *//')" "30 0 functions changed: no traced function matches, or all that match were disabled already"
end turns

# The victim is stopped before it has logged anything, and must start to log.
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
