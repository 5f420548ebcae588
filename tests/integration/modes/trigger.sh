#!/bin/sh
# SPDX-License-Identifier: MIT
# trigger.sh - a call that exceeds its limit is noticed while it runs, and the events around it are kept, for all
# threads, up to a maximum number of times; fast calls leave no mark. The trace, info and replay show the mark.
# Without a trigger an idle process and its recorder use no processor time.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

program slow
program steered -ldl

# triggered NAME TRIGGER ARGUMENT... - runs slow in mode ring with the trigger.
triggered()
{
	name=$1
	SPOOR_RUNTIME_TRIGGER=$2
	export SPOOR_RUNTIME_TRIGGER
	shift 2
	status=0
	SPOOR_RUNTIME_TRIGGER_COUNT=${SPOOR_RUNTIME_TRIGGER_COUNT-1000} SPOOR_RUNTIME_MODE=${mode-ring} traced "$name" timeout -s KILL 300 ./slow "$@" > "$name.out" 2> "$name.err" || status=$?
	unset SPOOR_RUNTIME_TRIGGER
	facts -n "$name"
}

# marks TRACE - prints the number of marked calls, and checks that info and replay show the same number.
marks()
{
	equal "$1: in info" "$("$spoor" info "$1" | grep -c 'took longer than')" "$(count "$1" trigger)"
	equal "$1: in replay" "$("$spoor" replay "$1" | grep -c '# trigger: ')" "$(count "$1" trigger)"
	count "$1" trigger
}

# both_kept NAME - makes 8000 requests, of which two compute for 60 ms, until the trace has both slow calls: a busy
# machine may notice one so late that the ring has lost its begin. (A recorder with the thread sanitizer cannot follow a
# ring at its full rate, here and below.)
both_kept()
{
	for try in 1 2 3 4 5; do
		triggered "$1" 'compute>20ms' 8000 2 3
		[ "$(entries "$1" compute)" != 2 ] || break
	done
	between "$1: marks" "$(marks "$1")" 2 1000
	equal "$1: the slow calls that are kept" "$(entries "$1" compute)" 2
}

# run_up TRACE - prints how many requests of the main thread are kept directly before the first slow one.
run_up()
{
	"$spoor" export --format=csv --flat "$1" | awk -F, '
		$2 == $3 && $4 ~ /lost/ { n = 0 }
		$4 == "entry" && $5 == "request" { n++ }
		$4 == "entry" && $5 == "compute" && !found { found = 1; print n - 1 }'
}

# between TEXT GOT LEAST MOST - fails if GOT is not in the range.
between()
{
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1: the value is $2, not $3 to $4"
}

# Only the slow calls of all calls are marked. (A busy machine has more slow calls, and may notice one after its end:
# then the run is repeated. With the thread sanitizer each is noticed so late.)
noticed='is taking'
[ "${SPOOR_SANITIZERS-}" != thread ] || noticed='(is taking|took)'
for try in 1 2 3 4 5; do
	triggered two 'request>50ms' 2000 2 3
	"$spoor" replay two > two.replay
	! grep -qE "# trigger: request\(\) $noticed longer than 50" two.replay || break
done
equal status "$status" 0
between "two: marks" "$(marks two)" 2 1000
"$spoor" info two | grep -q 'request slow took longer than 50 ms' ||
	fail "spoor info does not show the slow request: $("$spoor" info two)"
grep -qE "# trigger: request\(\) $noticed longer than 50" two.replay ||
	fail "spoor replay does not show the slow request: $("$spoor" replay two | grep trigger)"

# The marked request is complete in the trace, with the events before it. Without the trigger, the ring of a thread
# that makes a million more calls would have lost it.
triggered long 'compute>20ms' 4000 1 3
between "long: marks" "$(marks long)" 1 1000
mode=ring triggered unwatched none 4000 1 3
equal "unwatched: marks" "$(marks unwatched)" 0
SPOOR_RUNTIME_TRIGGER_AFTER_MS=500
export SPOOR_RUNTIME_TRIGGER_AFTER_MS
both_kept middle
unset SPOOR_RUNTIME_TRIGGER_AFTER_MS
[ "${SPOOR_SANITIZERS-}" = thread ] || equal "and their ends" "$(exits middle compute)" 2
triggered lost none 8000 2 3
[ "$(entries lost compute)" -lt 2 ] ||
	fail "a ring without a trigger keeps all slow calls, so the test proves nothing"

# The events before the call are kept; with no time before the call, only the slice in which it begins.
export SPOOR_RUNTIME_TRIGGER_BEFORE_MS=0 SPOOR_RUNTIME_TRIGGER_AFTER_MS=0
both_kept bare
unset SPOOR_RUNTIME_TRIGGER_BEFORE_MS SPOOR_RUNTIME_TRIGGER_AFTER_MS
[ "${SPOOR_SANITIZERS-}" = thread ] ||
	between "requests before the slow one, of 100 ms" "$(run_up middle)" 4 200
between "requests before the slow one, of no time" "$(run_up bare)" 0 3

# At most this many times.
export SPOOR_RUNTIME_TRIGGER_COUNT=3
triggered few 'compute>20ms' 1000 10 1
unset SPOOR_RUNTIME_TRIGGER_COUNT
equal "few: marks" "$(marks few)" 3

# The mark shows a call that hangs in a process that is then killed.
SPOOR_RUNTIME_TRIGGER='hang>20ms'
export SPOOR_RUNTIME_TRIGGER
status=0
(SPOOR_RUNTIME_MODE=ring traced hang ./slow 200 hang 3 > hang.out 2> hang.err) &
job=$!
unset SPOOR_RUNTIME_TRIGGER
marked()
{
	"$spoor" info hang 2> info.err | grep -q 'took longer than'
}
awaited "a mark" marked
for folder in hang/[0-9]*; do kill -KILL "${folder##*/}"; done
wait $job || status=$?
equal "hang: status" "$status" 137
facts -n hang
equal "hang: marks" "$(marks hang)" 1
grep -q "^trigger.*${tab}1${tab}open${tab}" hang.facts ||
	fail "the mark of the hanging call is not open: $(grep trigger hang.facts)"
"$spoor" replay hang | grep -A1 'hang() slow {' | grep -q '# trigger: hang() is taking longer than 20' ||
	fail "spoor replay does not show the hanging call: $("$spoor" replay hang | grep -A1 hang)"

# In mode log all events are kept, and slow calls are marked.
mode=log triggered log 'compute>20ms' 400 2 3
between "log: marks" "$(marks log)" 2 1000
calls_are log request 400
equal "log: lost" "$(lost log)" 0

# No call is too long, or no function has the name.
triggered quick 'request>30s' 400 1 3
equal "quick: marks" "$(marks quick)" 0
silent quick.err
triggered nothing 'no_such_function>1ms' 400 1 1
grep -v 'record:' nothing.err > nothing.own || :
said_once nothing.own 'no traced function has a matching name'
equal "nothing: marks" "$(marks nothing)" 0
export SPOOR_RUNTIME_FUNCTIONS=request
triggered unchosen 'compute>1ms' 400 1 1
unset SPOOR_RUNTIME_FUNCTIONS
grep -v 'record:' unchosen.err > unchosen.own || :
said_once unchosen.own 'select none of its functions'

# attached TRACE TRIGGER - the same with a process that is already running; the recorder reports impossible triggers
# at once.
attached()
{
	rm -rf "$1" begin
	mkfifo begin
	./slow 4000 2 3 wait < begin > "$1.out" 2> "$1.err" &
	job=$!
	exec 7> begin
	"$spoor" record --allow-empty -o "$1" --pid "$job" --mode ring --trigger "$2" 2> "$1.record" &
	recorder=$!
	awaited "the recorder" grep -qE 'functions? (is|are) recorded' "$1.record"
	cp "$1.record" "$1.at_once"
	echo >&7
	exec 7>&-
	wait "$job" || fail "$1: the program ended with status $?: $(cat "$1.err")"
	wait "$recorder" || fail "$1: the recorder ended with status $?: $(cat "$1.record")"
	silent "$1.err"
	facts -n "$1"
}

if [ -z "${LIFE_RECORD-}" ] && [ -z "$emulated" ]; then
	attached joined 'compute>20ms'
	between "joined: marks" "$(marks joined)" 2 1000
	[ "${SPOOR_SANITIZERS-}" = thread ] || equal "joined: slow calls that are kept" "$(entries joined compute)" 2
	attached vain 'no_such_function>1ms'
	for file in vain.at_once vain.record; do
		equal "$file" "$(grep -c 'no traced function has a matching name' $file)" 1
	done
	equal "vain: marks" "$(marks vain)" 0
fi

# Invalid triggers.
for trigger in '' compute 'compute>' '>10ms' 'compute>0ms' 'compute>10' 'compute>10min' 'compute>-1ms' 'compute>2h' \
	'a[>10ms' 'compute>5000s'; do
	status=0
	"$spoor" record -o wrong --trigger "$trigger" true > out 2> err || status=$?
	equal "status of --trigger '$trigger'" $status 2
	SPOOR_RUNTIME_TRIGGER=$trigger "$spoor" config > out 2> err &&
		fail "spoor config accepts the invalid trigger '$trigger': $(cat out)"
	said_once err 'is not a trigger such as'
done
for mode in count order; do
	status=0
	"$spoor" record -o wrong --mode $mode --trigger 'compute>1ms' true > out 2> err || status=$?
	equal "status of --trigger where there are no events, --mode $mode" $status 2
done
SPOOR_RUNTIME_TRIGGER='std::vector<int>::at,-x>5us' "$spoor" config | grep -q 'vector<int>::at,-x>5us' ||
	fail "spoor config does not accept the name of a template"

# ticks PID... - prints the processor time of the processes with all threads, in clock ticks.
ticks()
{
	for process in "$@"; do
		sed 's/.*) //' "/proc/$process/stat" | awk '{ print $12 + $13 }'
	done | awk '{ n += $1 } END { print n }'
}

# switches PID... - prints how often their threads were woken.
switches()
{
	for process in "$@"; do
		cat "/proc/$process"/task/*/status | awk '/ctxt_switches/ { n += $2 } END { print n }'
	done | awk '{ n += $1 } END { print n }'
}

# idle MODE FD - starts a process in this mode, which then does nothing; $watched is this process and its recorder. (A
# recorder with the thread sanitizer is excluded: one of its threads wakes ten times a second.)
idle()
{
	mkfifo "orders.$1"
	SPOOR_RUNTIME_MODE=$1 traced "idle.$1" ./steered "orders.$1" > "idle.$1.out" 2> "idle.$1.err" &
	job=$!
	eval "exec $2> orders.$1; echo 'calls 100' >&$2"
	while ! grep -q done "idle.$1.out"; do sleep 0.01; done
	for folder in idle."$1"/[0-9]*; do watched=${folder##*/}; done
	[ -z "${LIFE_RECORD-}" ] || [ "${SPOOR_SANITIZERS-}" = thread ] || watched="$watched $(awk '/^PPid/ { print $2 }' "/proc/$watched/status")"
}

# An idle process, its service thread and its recorder use no processor time in five seconds.
idle log 8
log_job=$job log_watched=$watched
idle ring 9
# settled - tests whether no thread has woken for a second: the remaining calls are written by then.
settled()
{
	was=$(switches $log_watched $watched)
	sleep 1
	[ "$(switches $log_watched $watched)" = "$was" ]
}
awaited "an idle process" settled
before="$(ticks $log_watched) $(ticks $watched)"
switches_before="$(switches $log_watched) $(switches $watched)"
sleep 5
equal "ticks of idle processes" "$(ticks $log_watched) $(ticks $watched)" "$before"
equal "switches of idle processes" "$(switches $log_watched) $(switches $watched)" "$switches_before"
echo end >&8
echo end >&9
exec 8>&- 9>&-
for each in $log_job $job; do
	wait $each || fail "an idle process ended with status $?"
done

[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
