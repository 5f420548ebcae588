#!/bin/sh
# SPDX-License-Identifier: MIT
# max_rate.sh - spoor record --max-rate: what is called too often goes dormant and is named, with the
# calls that were recorded; what is not is recorded to its end; a call that goes on in that moment
# takes nothing under it that comes later.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2> /dev/null || echo 0)" = 0 ] ||
	skip "one process may not stop another here: sysctl kernel.yama.ptrace_scope=0"
program paced

# calls TRACE FUNCTION
calls()
{
	"$spoor" report --format=csv "$1" 2> report.err | awk -F, -v f="$2" '$1 == f { n += $3 } END { print n + 0 }'
}

# counted FUNCTION - how often the program says that it called it.
counted()
{
	awk -v f="$1" '$2 == f { n += $1 } END { print n + 0 }' out
}

# limited TRACE OPTION... -- ARGUMENT... - the paced program; stdout and stderr stay in out and err.
limited()
{
	to=$1
	shift
	timeout 300 "$spoor" record -o "$to" "$@" > out 2> err || fail "record $*: status $?: $(cat err)"
}

# until_dormant N TRACE OPTION... - the same, until the trace says it of hot in N processes.
until_dormant()
{
	processes=$1 to=$2
	shift 2
	: > go
	timeout 600 "$spoor" record -o "$to" "$@" > out 2> err &
	job=$!
	awaited "functions that are made dormant" dormant
	# Some while more it is called, and not recorded.
	before=$(ticks)
	awaited "more periods" goes_on
	rm go
	wait $job || fail "record $*: status $?: $(cat err)"
}

dormant()
{
	[ "$("$spoor" info "$to" 2> info.err | grep -c '^    hot paced after')" != "$processes" ] || return 0
	kill -0 $job 2> /dev/null || fail "hot was not made dormant: $(cat out err)"
	return 1
}

# ticks - processor time of the processes that are recorded.
ticks()
{
	for folder in "$to"/*; do
		awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/${folder##*/}/stat"
	done | awk '{ n += $1 } END { print n }'
}

goes_on()
{
	[ "$(ticks)" -gt $((before + 5 * processes)) ]
}

# 60,000 times a second, and 2,000 times.
until_dormant 1 t --max-rate 25000 ./paced 100000 go 600
said=$(sed -n 's/^spoor: record: hot in paced was called \([0-9]*\) times a second: it was made dormant after \([0-9]*\) calls (process [0-9]*)$/\1 \2/p' err)
[ -n "$said" ] || fail "hot is not named: $(cat err)"
equal "lines of functions that were made dormant" "$(grep -c dormant err)" 1
rate=${said% *} until=${said#* }
[ "$rate" -ge 25000 ] || fail "a rate of $rate"
equal "calls of hot" "$(calls t hot)" "$until"
[ "$until" -gt 25000 ] && [ "$until" -lt "$(counted hot)" ] || fail "hot was recorded $until times of $(counted hot)"
for function in fast spins below waits; do
	equal "calls of $function" "$(calls t $function)" "$(counted $function)"
done
"$spoor" info t > info
grep -q "^    hot paced after $until calls, at $rate a second; 25000 are allowed$" info || fail "info: $(grep -A 2 dormant info)"

# Within it nearly all of the time: what comes behind is not below it.
until_dormant 1 busy -q --max-rate 3000 ./paced 100000 go 900 10000
[ ! -s err ] || fail "--quiet: $(cat err)"
[ "$(calls busy hot)" -lt "$(counted hot)" ] || fail "hot is dormant, and was recorded: $(cat out)"
for function in fast spins stays; do
	[ $function = stays ] || equal "calls of $function" "$(calls busy $function)" "$(counted $function)"
	equal "calls of $function that are not where they belong" \
		"$("$spoor" graph --format=dot --limit 0 busy | awk -F'"' -v f=$function '
			/^\tn[0-9]+ \[/ { split($0, id, /[\t ]/); name[id[2]] = $4; sub(/\\n.*/, "", name[id[2]]) }
			/ -> / { split($0, id, /[\t ]/); if (name[id[2]] == "hot") n++ } END { print n + 0 }')" 0
done

# Where nothing of the thread is recorded any more it ends as well, as it is recorded and later.
until_dormant 1 last -q --max-rate 3000 --live=live -f hot ./paced 100000 go 900 10000
for said in live replayed; do
	[ $said = live ] || "$spoor" replay last > replayed || fail "replay: status $?"
	grep -q hot $said || fail "$said: no call of hot"
	! grep 'still running when the trace ends' $said || fail "$said: a call of hot goes on, which is dormant"
done

# In a ring, in each of several processes, and attached to.
until_dormant 1 ring --mode ring --max-rate 25000 ./paced 100000 go 600
grep -q 'hot in paced was called' err || fail "in a ring: $(cat err)"
until_dormant 2 two --max-rate 25000 sh -c './paced 100000 go 600 & ./paced 100000 go 600; wait'
equal "processes in which hot was made dormant ($(cat err))" "$(grep -c 'hot in paced was called' err)" 2
: > go
./paced 100000 go 600 > attached.out &
victim=$!
awaited "a first period" test -s go
until_dormant 1 attached --max-rate 25000 --pid $victim
grep -q 'hot in paced was called' err || fail "attached to: $(cat err)"
wait $victim || fail "the process that was attached to ended with status $?"

# Nothing is too often.
limited all --max-rate 4000000000 ./paced 10 '' 10
! grep -q dormant err || fail "made dormant: $(cat err)"
equal "calls of hot" "$(calls all hot)" 100

for options in '--max-rate 0' '--max-rate -1' '--max-rate x' '--max-rate 5000000000' '--max-rate 1k' \
	'--max-rate 10 --mode count' '--max-rate 10 --mode order'; do
	status=0
	# shellcheck disable=SC2086
	"$spoor" record -o none $options ./paced > out 2> err || status=$?
	equal "status of $options ($(cat err))" $status 2
done
[ ! -e none ] || fail "a trace was left behind by what did not run"
