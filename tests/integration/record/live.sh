#!/bin/sh
# SPDX-License-Identifier: MIT
# live.sh - spoor record --live shows calls while the program runs. At the end the output has all calls of the trace,
# each once and in order. The program's output and the trace are the same as without --live.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
compare="python3 $top_srcdir/tests/integration/readers/live.py"
program paced

# is_whole TREE TRACE [NS] - checks that the tree has all calls of the trace that last at least NS nanoseconds.
is_whole()
{
	"$spoor" export --format=csv --flat "$2" > "$2.csv"
	$compare "$1" "$2.csv" ${3:+"$3"} ||
		fail "$1 does not have the calls of $2: live.py printed the differences above"
}

# During the run: the program ends when its calls have appeared in a FIFO.
mkfifo tree
: > go
timeout 300 "$spoor" record -q -o t --live=tree ./paced 100000 go > out 2> err &
job=$!
while IFS= read -r line; do
	printf '%s\n' "$line"
	case $line in
	*'} waits()'*) rm -f go ;;
	esac
done < tree > tree.txt
wait $job || fail "spoor record ended with status $?: $(cat err)"
[ ! -s err ] || fail "spoor record printed messages and must print none: $(cat err)"
equal "the program's own output" "$(cut -d ' ' -f 2 out | tr '\n' ' ')" "fast spins below waits hot "
is_whole tree.txt t
grep -q '^ *[0-9]* paced  *stays() paced {$' tree.txt ||
	fail "the tree has no line for the call that is still open: $(head tree.txt)"

# On stderr: several processes, and some 100,000 events of several threads.
timeout 300 "$spoor" record -q -o many --live --color=never \
	sh -c './paced 30 "" 700 & ./paced 30 "" 700 & ./paced 5; wait' > out 2> many.txt ||
		fail "spoor record ended with status $?: $(tail -n 3 many.txt)"
equal "processes" "$(grep -c '^# process [0-9]*  paced$' many.txt)" 3
is_whole many.txt many

# A ring, and an attached process.
timeout 300 "$spoor" record -q -o ring --mode ring --live=ring.txt ./paced 20 > out
is_whole ring.txt ring
if [ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2> /dev/null || echo 0)" = 0 ]; then
	calls_are_shown()
	{
		[ -e attached.txt ] && [ "$(grep -c 'fast() paced;$' attached.txt)" -gt 20 ]
	}
	: > go
	./paced 100000 go > out &
	victim=$!
	awaited "a first period" test -s go
	timeout 300 "$spoor" record -q -o attached --live=attached.txt --pid $victim 2> attached.err &
	job=$!
	awaited "calls of the attached process" calls_are_shown
	rm -f go
	wait $victim || fail "the attached process ended with status $?: $(cat attached.err)"
	wait $job || fail "the recorder ended with status $?: $(cat attached.err)"
	grep -q 'stays() paced {  # entered before recording began$' attached.txt ||
		fail "the tree does not mark roots: $(head attached.txt)"
fi

# Options that select calls.
timeout 300 "$spoor" record -q -o part --live=part.txt --show 'spins,waits' --depth 1 --timestamps ./paced 10 > out
equal "calls of two functions" "$(grep -c '^ *[0-9.]* .* [sw][pa]i[nt]s() paced' part.txt)" \
	"$(grep -c ' spins() paced[;]\| waits() paced[;]\| } ' part.txt)"
! grep -q 'fast\|below\|stays' part.txt || fail "--show and --depth show other calls: $(cat part.txt)"
timeout 300 "$spoor" record -q -o part --live=part.txt --min-duration 500us --library paced --color never ./paced 10 > out
grep -q 'spins' part.txt || fail "--min-duration does not show calls of spins: $(cat part.txt)"
is_whole part.txt part 500000
timeout 300 "$spoor" record -q -o part --live=part.txt --min-duration 500us --color always ./paced 5 > out
grep -q "$(printf '\033')\[" part.txt || fail "--color always writes no escape sequences: $(cat part.txt)"
timeout 300 "$spoor" record -q -o part --live=part.txt --library 'none*' ./paced 5 > out
equal "calls of a library that is not loaded" "$(grep -vc '^#' part.txt)" 0

# If the reader closes the pipe, the recording continues.
timeout 300 "$spoor" record -q -o left --live=- ./paced 30 2> err | head -n 3 > out || true
[ ! -s err ] || fail "the recorder printed a message about the closed pipe: $(cat err)"
grep -q 'main()' out && equal "what it has read" "$(wc -l < out)" 3
[ ! -e ./- ] || fail "--live=- made a file with the name '-'"
equal "calls after that" "$("$spoor" report --format=csv left | grep '^waits,' | cut -d, -f 3)" 30

# If the tree's disk is full, the recording continues too, even with a call whose line is pending.
cat > slow.c <<'SOURCE'
#include <unistd.h>
__attribute__((noinline)) int step(int i) { usleep(1000); return i; }
__attribute__((noinline)) int request(int i) { return step(i) + step(1) + step(2); }
int main(void) { for (int i = 0; i < 200; i++) request(i); return 7; }
SOURCE
traced_cc -O1 -o slow slow.c
status=0
timeout 300 "$spoor" record -q -o full --live=/dev/full ./slow 2> err || status=$?
equal "status where the tree's disk is full ($(cat err))" $status 7
said_once err 'cannot write: No space left'
equal "calls in the trace" "$("$spoor" report --format=csv full | grep '^request,' | cut -d, -f 3)" 200

for options in '--depth 1' '--show x' '--timestamps' '--color never' '--library x' '--min-duration 1ms' '--no-demangle' \
	'--live --depth 0' '--live --depth x' '--live --min-duration 1' '--live --color red' '--live=' '--live --mode count' \
	'--live --mode order'; do
	status=0
	# shellcheck disable=SC2086
	"$spoor" record -o none $options ./paced 1 > out 2> err || status=$?
	equal "status of $options ($(cat err))" $status 2
done
for options in --live '--max-rate 10' '--trigger waits>1ms' '--format spoor'; do
	status=0
	# shellcheck disable=SC2086
	SPOOR_RUNTIME_HANDLER=$work/none.so "$spoor" record -o none $options ./paced 1 > out 2> err || status=$?
	equal "status of $options where a handler has the events ($(cat err))" $status 2
	said_once err "receives them instead"
done
status=0
"$spoor" record -o none --live=no/such/folder ./paced 1 > out 2> err || status=$?
equal "status of a tree that has no place" $status 1
grep -q 'no/such/folder' err || fail "the message does not name the path of the tree: $(cat err)"
[ ! -e none ] || fail "a rejected command left a trace: $(ls none)"
