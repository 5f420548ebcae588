#!/bin/sh
# SPDX-License-Identifier: MIT
# flush_signal.sh - a signal of the user's choice writes all stored events, while the program waits in a system call,
# which continues. If the program has its own handler, that handler runs, and the runtime prints one message. Names
# and numbers of signals; a forked child; a storm of signals.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

program steered -ldl
build_once "$clang" -O2 -fPIC -shared -o libearly_handler.so "$victims/threads/early_handler.c"

# begin TRACE SIGNAL - starts the victim, which waits for orders, and sets $victim to its process.
begin()
{
	rm -f orders "$1.out"
	mkfifo orders
	SPOOR_RUNTIME_FLUSH_SIGNAL=$2
	export SPOOR_RUNTIME_FLUSH_SIGNAL
	if [ -n "${LIFE_RECORD-}" ]; then
		"$spoor" record -q -o "$1" -- ./steered orders > "$1.out" 2> "$1.err" &
	else
		SPOOR_RUNTIME_TRACE_PATH=$1 LD_PRELOAD=$libspoor${early:+:$early} ./steered orders > "$1.out" 2> "$1.err" &
	fi
	job=$!
	unset SPOOR_RUNTIME_FLUSH_SIGNAL
	exec 9> orders
	order "$1" calls 1
	for folder in "$1"/[0-9]*; do victim=${folder##*/}; done
}

# order TRACE WORDS... - sends an order and waits until the victim has done it.
order()
{
	order_of=$1
	shift
	before=$(grep -c done "$order_of.out" || :)
	echo "$*" >&9
	while [ "$(grep -c done "$order_of.out" || :)" = "$before" ]; do sleep 0.01; done
}

end()
{
	echo end >&9
	exec 9>&-
	wait $job || fail "$1: the victim ended with status $?: $(cat "$1.err")"
}

# written TRACE CALLS - waits until the events file without the pool has this number of calls of step.
written()
{
	awaited "$2 calls that are written of $1" has_written "$1" "$2"
}
has_written()
{
	rm -rf copy
	cp -r "$1" copy
	rm -f copy/pool.spoor copy/*/pool.spoor
	[ "$(reported copy step)" = "$2" ]
}

# Emulators number real-time signals differently from the kernel.
real_time='RTMIN+3:RTMIN+3 SIGRTMAX-2:RTMAX-2'
[ -z "$emulated" ] || real_time=
for signal in SIGUSR1:USR1 10:USR1 $real_time SIGHUP:HUP; do
	name=by-${signal%:*}
	begin "$name" "${signal%:*}"
	order "$name" calls 100
	written "$name" 0
	kill -s "${signal#*:}" "$victim"
	written "$name" 202
	order "$name" calls 10
	written "$name" 202
	kill -s "${signal#*:}" "$victim"
	written "$name" 222
	end "$name"
	silent "$name.err"
	facts "$name"
	calls_are "$name" step 222
done

# A signal that was ignored when the program began, as with nohup.
trap '' USR1
begin ignored USR1
trap - USR1
kill -USR1 "$victim"
written ignored 2
end ignored

SPOOR_RUNTIME_MODE=ring
export SPOOR_RUNTIME_MODE
begin ring USR1
unset SPOOR_RUNTIME_MODE
order ring calls 20000
written ring 0
kill -USR1 "$victim"
written ring 40002
end ring

# A child flushes only its own events.
begin forked USR1
echo fork 77 >&9
while ! grep -q child forked.out; do sleep 0.01; done
child=$(sed -n 's/^child //p' forked.out)
kill -USR1 "$child"
written "forked/$child" 77
equal "its parent's" "$(find forked -name events.spoor -path "*/$victim/*" -size -2 | wc -l)" 1
kill "$child"
end forked

# At any moment.
begin storm USR1
(while kill -USR1 "$victim" 2> /dev/null; do :; done) &
sender=$!
order storm calls 2000000
kill $sender
wait $sender 2> /dev/null || :
end storm
silent storm.err
facts storm
calls_are storm step 4000002
equal "lost in a storm" "$(lost storm)" 0

# The program's own handler, installed after or before the runtime's handler.
begin after USR1
order after handler
kill -USR1 "$victim"
awaited "its handler" grep -q mine after.out
end after
said_once after.err 'USR1 requests no flush'
equal "its handler ran" "$(grep -c mine after.out)" 1
if [ -z "${LIFE_RECORD-}" ]; then
	early=$work/libearly_handler.so
	begin before SIGUSR1
	early=
	kill -USR1 "$victim"
	awaited "its handler" grep -q mine before.out
	end before
	said_once before.err 'SIGUSR1 requests no flush'
	equal "its handler ran" "$(grep -c mine before.out)" 1
fi

# Signals that cannot request a flush.
for signal in SIGKILL KILL 9 SEGV SIGNOTHING 0 65 32 -1 '' RTMIN+99 SIGRTMIN-1 1x; do
	traced wrong-"$signal" env SPOOR_RUNTIME_FLUSH_SIGNAL="$signal" true > out 2> err ||
		fail "$signal: the program ended with status $?: $(cat err)"
	status=0
	"$spoor" record -o record-wrong --flush-signal "$signal" true > out 2> err || status=$?
	equal "status of --flush-signal '$signal'" $status 2
	grep -q 'a flush' err || fail "$signal: the recorder does not reject the signal: $(cat err)"
	SPOOR_RUNTIME_FLUSH_SIGNAL=$signal "$spoor" config > out 2> err &&
		fail "spoor config accepts the signal $signal: $(cat out)"
	said_once err 'can request a flush'
done
"$spoor" record -q -o option --flush-signal SIGUSR2 -- sh -c 'grep -z FLUSH_SIGNAL /proc/self/environ' 2> /dev/null |
	tr '\0' '\n' | grep -qx SPOOR_RUNTIME_FLUSH_SIGNAL=SIGUSR2 ||
		fail "--flush-signal does not reach the environment of the program"

[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
