#!/bin/sh
# SPDX-License-Identifier: MIT
# trigger.sh - a call that takes longer than it may is noticed while it still runs, and what
# is around it is kept, of all threads, so many times at most; calls that are quick enough
# leave nothing. The mark is in the trace, in info and in replay. Without a trigger an idle
# process uses no processor time, nor does its recorder.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

program slow
program steered -ldl

# triggered NAME TRIGGER ARGUMENT... - in circular mode.
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

# marks TRACE - how many calls were noticed, and that no tool says anything else.
marks()
{
	equal "$1: in info" "$("$spoor" info "$1" | grep -c 'took longer than')" "$(count "$1" trigger)"
	equal "$1: in replay" "$("$spoor" replay "$1" | grep -c '# trigger: ')" "$(count "$1" trigger)"
	count "$1" trigger
}

# between TEXT GOT LEAST MOST
between()
{
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1: $2, not $3 to $4"
}

# The slow ones of all. (On a machine that has much else to do there are more.)
triggered two 'request>50ms' 2000 2 3
equal status "$status" 0
between "two: marks" "$(marks two)" 2 1000
"$spoor" info two | grep -q 'request slow took longer than 50 ms' || fail "info: $("$spoor" info two)"
"$spoor" replay two | grep -q '# trigger: request() is taking longer than 50' || fail "replay: $("$spoor" replay two | grep trigger)"

# The request that is marked is whole in the trace, and so is what led up to it: the ring of a
# thread that makes a million calls more would have lost it without the trigger.
triggered long 'compute>20ms' 4000 1 3
between "long: marks" "$(marks long)" 1 1000
mode=ring triggered unwatched none 4000 1 3
equal "unwatched: marks" "$(marks unwatched)" 0
SPOOR_RUNTIME_TRIGGER_AFTER_MS=500
export SPOOR_RUNTIME_TRIGGER_AFTER_MS
triggered middle 'compute>20ms' 8000 2 3
unset SPOOR_RUNTIME_TRIGGER_AFTER_MS
between "middle: marks" "$(marks middle)" 2 1000
equal "the slow calls that are kept" "$(entries middle compute)" 2
# (A recorder with the thread sanitizer in it does not follow a ring at its full rate.)
[ "${SPOOR_SANITIZERS-}" = thread ] || equal "and their ends" "$(exits middle compute)" 2
triggered lost none 8000 2 3
[ "$(entries lost compute)" -lt 2 ] || fail "a ring keeps all of it without a trigger: the test proves nothing"

# What is before it is there, and with nothing to be kept before it there is less.
export SPOOR_RUNTIME_TRIGGER_BEFORE_MS=0 SPOOR_RUNTIME_TRIGGER_AFTER_MS=0
triggered bare 'compute>20ms' 8000 2 3
unset SPOOR_RUNTIME_TRIGGER_BEFORE_MS SPOOR_RUNTIME_TRIGGER_AFTER_MS
between "bare: marks" "$(marks bare)" 2 1000
equal "bare: slow calls that are kept" "$(entries bare compute)" 2
# For each call that is marked: on a busy machine more are.
bare_steps=$(($(entries bare step) / $(count bare trigger)))
middle_steps=$(($(entries middle step) / $(count middle trigger)))
[ $bare_steps -lt $middle_steps ] || fail "nothing before: $bare_steps calls of step for each mark, with 100 ms $middle_steps"

# At most so many times.
export SPOOR_RUNTIME_TRIGGER_COUNT=3
triggered few 'compute>20ms' 1000 10 1
unset SPOOR_RUNTIME_TRIGGER_COUNT
equal "few: marks" "$(marks few)" 3

# A call that hangs is seen by its mark, in a process that is killed.
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
grep -q "^trigger.*${tab}1${tab}open${tab}" hang.facts || fail "the call that hangs: $(grep trigger hang.facts)"
"$spoor" replay hang | grep -A1 'hang() slow {' | grep -q '# trigger: hang() is taking longer than 20' ||
	fail "replay of a call that hangs"

# In log mode everything is kept, and marked.
mode=log triggered log 'compute>20ms' 400 2 3
between "log: marks" "$(marks log)" 2 1000
calls_are log request 400
equal "log: lost" "$(lost log)" 0

# Nothing is too long, and nothing has such a name.
triggered quick 'request>30s' 400 1 3
equal "quick: marks" "$(marks quick)" 0
silent quick.err
triggered nothing 'no_such_function>1ms' 400 1 1
grep -v 'record:' nothing.err > nothing.own || :
said_once nothing.own 'no traced function has such a name'
equal "nothing: marks" "$(marks nothing)" 0
export SPOOR_RUNTIME_FUNCTIONS=request
triggered unchosen 'compute>1ms' 400 1 1
unset SPOOR_RUNTIME_FUNCTIONS
grep -v 'record:' unchosen.err > unchosen.own || :
said_once unchosen.own 'its functions are not among those that were chosen'

# attached TRACE TRIGGER - a process that runs already: the same, and what cannot be is said at once.
attached()
{
	rm -rf "$1" begin
	mkfifo begin
	./slow 4000 2 3 wait < begin > "$1.out" 2> "$1.err" &
	job=$!
	exec 7> begin
	"$spoor" record -o "$1" --pid "$job" --mode ring --trigger "$2" 2> "$1.record" &
	recorder=$!
	awaited "the recorder" grep -q 'functions are recorded' "$1.record"
	cp "$1.record" "$1.at_once"
	echo >&7
	exec 7>&-
	wait "$job" || fail "$1: status $?"
	wait "$recorder" || fail "$1: the recorder's status $?: $(cat "$1.record")"
	silent "$1.err"
	facts -n "$1"
}

if [ -z "${LIFE_RECORD-}" ] && [ -z "$emulated" ]; then
	attached joined 'compute>20ms'
	between "joined: marks" "$(marks joined)" 2 1000
	equal "joined: slow calls that are kept" "$(entries joined compute)" 2
	attached vain 'no_such_function>1ms'
	for file in vain.at_once vain.record; do
		equal "$file" "$(grep -c 'no traced function has such a name' $file)" 1
	done
	equal "vain: marks" "$(marks vain)" 0
fi

# What is no trigger.
for trigger in '' compute 'compute>' '>10ms' 'compute>0ms' 'compute>10' 'compute>10min' 'compute>-1ms' 'compute>2h' \
	'a[>10ms' 'compute>5000s'; do
	status=0
	"$spoor" record -o wrong --trigger "$trigger" true > out 2> err || status=$?
	equal "status of --trigger '$trigger'" $status 2
	SPOOR_RUNTIME_TRIGGER=$trigger "$spoor" config > out 2> err && fail "spoor config takes trigger '$trigger'"
	said_once err 'is not a trigger such as'
done
for mode in count order; do
	status=0
	"$spoor" record -o wrong --mode $mode --trigger 'compute>1ms' true > out 2> err || status=$?
	equal "status of --trigger where there are no events, --mode $mode" $status 2
done
SPOOR_RUNTIME_TRIGGER='std::vector<int>::at,-x>5us' "$spoor" config | grep -q 'vector<int>::at,-x>5us' || fail "a template's name"

# ticks PID... - processor time of these processes, in clock ticks, with all their threads.
ticks()
{
	for process in "$@"; do
		sed 's/.*) //' "/proc/$process/stat" | awk '{ print $12 + $13 }'
	done | awk '{ n += $1 } END { print n }'
}

# switches PID... - how often their threads were woken.
switches()
{
	for process in "$@"; do
		cat "/proc/$process"/task/*/status | awk '/ctxt_switches/ { n += $2 } END { print n }'
	done | awk '{ n += $1 } END { print n }'
}

# idle MODE - begins a process in that mode which then does nothing; $watched is that, and its recorder.
# (But for one with the thread sanitizer in it, a thread of which wakes ten times a second.)
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

# An idle process, its service thread, and its recorder: no processor time in five seconds.
idle log 8
log_job=$job log_watched=$watched
idle ring 9
# settled - nothing has been woken for a second: what is left of the calls is written by then.
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
	wait $each || fail "idle: status $?"
done

[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
