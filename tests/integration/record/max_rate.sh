#!/bin/sh
# SPDX-License-Identifier: MIT
# max_rate.sh - spoor record --max-rate disables functions that are called too often, and prints their names and
# recorded calls. Other functions are recorded until the end. If a call is open at that moment, later calls are not
# shown below it.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2> /dev/null || echo 0)" = 0 ] ||
	skip "a process may not stop another one here: sysctl kernel.yama.ptrace_scope=0"
program paced

# calls TRACE FUNCTION - prints the number of calls in the trace.
calls()
{
	"$spoor" report --format=csv "$1" 2> report.err | awk -F, -v f="$2" '$1 == f { n += $3 } END { print n + 0 }'
}

# counted FUNCTION - prints the number of calls that the program counted.
counted()
{
	awk -v f="$1" '$2 == f { n += $1 } END { print n + 0 }' out
}

# limited TRACE OPTION... -- ARGUMENT... - records the program paced; its output is in out and err.
limited()
{
	to=$1
	shift
	timeout 300 "$spoor" record -o "$to" "$@" > out 2> err ||
		fail "spoor record $* ended with status $?: $(cat err)"
}

# until_dormant N TRACE OPTION... - records until the trace says that hot is dormant in N processes.
until_dormant()
{
	processes=$1 to=$2
	shift 2
	: > go
	timeout 600 "$spoor" record -o "$to" "$@" > out 2> err &
	job=$!
	awaited "functions that are made dormant" dormant
	# hot is called for a while longer, and not recorded.
	before=$(ticks)
	awaited "more periods" goes_on
	rm go
	wait $job || fail "spoor record $* ended with status $?: $(cat err)"
}

dormant()
{
	[ "$("$spoor" info "$to" 2> info.err | grep -c '^    hot paced after')" != "$processes" ] || return 0
	kill -0 $job 2> /dev/null || fail "the recorder ended before hot became dormant: $(cat out err)"
	return 1
}

# ticks - prints the processor time of the recorded processes, in clock ticks.
ticks()
{
	for folder in "$to"/[0-9]*; do
		awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/${folder##*/}/stat"
	done | awk '{ n += $1 } END { print n }'
}

goes_on()
{
	[ "$(ticks)" -gt $((before + 5 * processes)) ]
}

# hot is called 60,000 times a second, the others 2,000 times.
until_dormant 1 t --max-rate 25000 ./paced 100000 go 600
said=$(sed -n 's/^spoor: record: hot in paced was called \([0-9]*\) times per second, and was made dormant after \([0-9]*\) calls (process [0-9]*)$/\1 \2/p' err)
[ -n "$said" ] || fail "the recorder does not name hot: $(cat err)"
equal "lines of functions that were made dormant" "$(grep -c dormant err)" 1
rate=${said% *} until=${said#* }
[ "$rate" -ge 25000 ] || fail "the recorder reports a rate of $rate calls a second, and the limit is 25000"
equal "calls of hot" "$(calls t hot)" "$until"
[ "$until" -gt 25000 ] && [ "$until" -lt "$(counted hot)" ] ||
	fail "$until calls of hot were recorded, and the program made $(counted hot)"
for function in fast spins below waits; do
	equal "calls of $function" "$(calls t $function)" "$(counted $function)"
done
"$spoor" info t > info
grep -q "^    hot paced after $until calls, at $rate a second; 25000 are allowed$" info ||
	fail "spoor info does not show the rate of hot: $(grep -A 2 dormant info)"

# hot is open nearly all of the time: later calls are not below it.
until_dormant 1 busy -q --max-rate 3000 ./paced 100000 go 900 10000
[ ! -s err ] || fail "spoor record --quiet printed messages: $(cat err)"
[ "$(calls busy hot)" -lt "$(counted hot)" ] || fail "hot is dormant, and all its calls were recorded: $(cat out)"
for function in fast spins stays; do
	[ $function = stays ] || equal "calls of $function" "$(calls busy $function)" "$(counted $function)"
	equal "calls of $function that are not where they belong" \
		"$("$spoor" graph --format=dot --limit 0 busy | awk -F'"' -v f=$function '
			/^\tn[0-9]+ \[/ { split($0, id, /[\t ]/); name[id[2]] = $4; sub(/\\n.*/, "", name[id[2]]) }
			/ -> / { split($0, id, /[\t ]/); if (name[id[2]] == "hot") n++ } END { print n + 0 }')" 0
done

# A call also ends if its thread records nothing more, in the live tree and in replay.
until_dormant 1 last -q --max-rate 3000 --live=live -f hot ./paced 100000 go 900 10000
for said in live replayed; do
	[ $said = live ] || "$spoor" replay last > replayed ||
		fail "spoor replay ended with status $?: $(cat replayed)"
	grep -q hot $said || fail "$said: the tree has no call of hot: $(head $said)"
	! grep 'still running when the trace ends' $said ||
		fail "$said: a call of hot is still open although hot is dormant"
done

# In mode ring, in several processes, and in an attached process.
until_dormant 1 ring --mode ring --max-rate 25000 ./paced 100000 go 600
grep -q 'hot in paced was called' err || fail "mode ring: the recorder does not name hot: $(cat err)"
until_dormant 2 two --max-rate 25000 sh -c './paced 100000 go 600 & ./paced 100000 go 600; wait'
equal "processes in which hot was made dormant ($(cat err))" "$(grep -c 'hot in paced was called' err)" 2
: > go
./paced 100000 go 600 > attached.out &
victim=$!
awaited "a first period" test -s go
until_dormant 1 attached --max-rate 25000 --pid $victim
grep -q 'hot in paced was called' err || fail "attached: the recorder does not name hot: $(cat err)"
wait $victim || fail "the attached process ended with status $?: $(cat err)"

# A limit that no function reaches.
limited all --max-rate 4000000000 ./paced 10 '' 10
! grep -q dormant err || fail "a function became dormant below the limit: $(cat err)"
equal "calls of hot" "$(calls all hot)" 100

for options in '--max-rate 0' '--max-rate -1' '--max-rate x' '--max-rate 5000000000' '--max-rate 1q' \
	'--max-rate 10 --mode count' '--max-rate 10 --mode order'; do
	status=0
	# shellcheck disable=SC2086
	"$spoor" record -o none $options ./paced > out 2> err || status=$?
	equal "status of $options ($(cat err))" $status 2
done
[ ! -e none ] || fail "a rejected command left a trace: $(ls none)"
