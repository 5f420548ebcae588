#!/bin/sh
# SPDX-License-Identifier: MIT
# inlining.sh - a pattern that matches only inlined or absent functions fails before the program runs, and the message
# names the places. -fspoor-keep and -fspoor-before-inlining keep functions from being inlined: the trace has as many
# calls as the program counts. With clang, spoor_opt, LTO and GCC, in C and C++. The oracle of the places is gdb.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
spoor_opt=$top_builddir/pass/spoor_opt

# The program counts its calls. Without the counters, `pure` has no effect and its calls are removed.
cat > serve.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef COUNTED
#define COUNT(function) (function##_calls++)
#else
#define COUNT(function) ((void)0)
#endif
static volatile unsigned int handle_calls, pure_calls;
unsigned int seed = 1;
static unsigned int handle_request(unsigned int value)
{
	COUNT(handle);
	for (unsigned int i = 0; i < value % 7; i++)
		seed = seed * 1103515245 + 12345;
	return seed >> 16;
}
static unsigned int pure(unsigned int value) { COUNT(pure); return value * 3; }
__attribute__((noinline)) unsigned int worker(unsigned int count)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += handle_request(i);
	return sum + handle_request(sum);
}
int main(int argc, char **argv)
{
	unsigned int sum = worker(100);

	(void)argv;
	puts("ran");
	if (argc > 1)
		while (read(0, &seed, 1) == 1)
			sum += worker(seed);
	sum += handle_request(sum);
	pure(sum);
	sum += pure(sum) - pure(sum);
	if (getenv("COUNTS"))
		fprintf(stderr, "%u %u\n", handle_calls, pure_calls);
	return sum == 12345;
}
C
line_of() { grep -n "$1" serve.c | cut -d: -f1; }
traced_cc -o serve serve.c

# refused STATUS TEXT COMMAND... - checks that the command fails before the program runs, and gives the reason.
refused()
{
	wanted=$1 text=$2 status=0
	shift 2
	"$@" > out 2> err || status=$?
	equal "status of $*: $(cat err)" "$status" "$wanted"
	grep -q -- "$text" err || fail "$*: the message does not contain '$text': $(cat err)"
	! grep -q ran out || fail "$*: the program ran"
}
place=$(line_of 'sum += handle_request(i)')
inlined="'handle_request' matches no function that can be traced: handle_request was inlined into serve.c:$place (worker), 3 places; build with -fspoor-keep='handle_request' or -fspoor-before-inlining"
refused 2 "spoor: record: --function: $inlined, or use --allow-empty" "$spoor" record -f handle_request ./serve
refused 2 "spoor: record: --function: $inlined" "$spoor" record -f 'worker,handle_request' ./serve
refused 2 "spoor: record: --trigger: $inlined" "$spoor" record --mode ring --trigger 'handle_request>1ms' ./serve
refused 2 "no traced function of ./serve matches 'zork" "$spoor" record -f 'zork*' ./serve
[ ! -e spoor.trace ] || fail "a refused recording left a trace"
equal "places in gdb" "$(gdb -q -nx -batch -ex 'break handle_request' serve 2> /dev/null | sed -n 's/.*(\([0-9]*\) locations).*/\1/p')" 3
"$spoor" record --allow-empty -f 'worker,handle_request' ./serve > out 2> err || fail "--allow-empty: status $?: $(cat err)"
grep -q "$inlined\$" err && grep -q ran out || fail "--allow-empty: $(cat err out)"
for patterns in 'worker' 'w*' '-worker' 'main,-worker' '*'; do
	"$spoor" record -q -f "$patterns" -o t ./serve > out 2> err || fail "$patterns: status $?: $(cat err)"
	equal "messages for $patterns" "$(grep -v renamed err)" ""
done

# A running process is not touched either.
program recorded
./recorded wait > ready &
running=$!
awaited "the victim" grep -q ready ready
refused 2 "no traced function of $PWD/recorded matches 'lefa': did you mean 'leaf'?" "$spoor" record -o p --pid $running -f lefa
refused 2 "no module of $PWD/recorded matches 'libfoo" "$spoor" record -o p --pid $running -m 'libfoo*'
! grep -q libspoor /proc/$running/maps || fail "a refused recording changed the process"
[ ! -e p ] || fail "a refused recording of a process left a trace"
"$spoor" record -o p --pid $running -f 'leaf,lefa' --allow-empty --duration 0.1s 2> err || :
grep -q "matches 'lefa'" err && grep -q '1 function is recorded' err || fail "--pid --allow-empty: $(cat err)"
kill $running
wait $running || :

# Without debug information the places are unknown.
strip -o stripped -g serve
refused 2 "no traced function of ./stripped matches 'handle_request'" "$spoor" record -f handle_request ./stripped
# The list.
"$spoor" symbols --inlined serve > list 2> err || fail "spoor symbols --inlined failed: $(cat err)"
equal "places in the list" "$(grep -c '^handle_request  .*/serve.c:[0-9]*  (\(worker\|main\))$' list)" 3
grep -q "^handle_request  .*/serve.c:$place  (worker)\$" list || fail "the list lacks a place: $(cat list)"
"$spoor" symbols --inlined --format=csv serve | grep -q "^handle_request,handle_request,.*/serve.c,$place,worker\$" ||
	fail "the list as CSV lacks a place: $("$spoor" symbols --inlined --format=csv serve)"
"$spoor" symbols --inlined --format=json serve | python3 -c '
import json, sys
calls = json.load(sys.stdin)["calls"]
assert sum(call["function"] == "handle_request" for call in calls) == 3, calls'
refused 1 'stripped: has no debug information: build it with -g' "$spoor" symbols --inlined stripped
refused 2 'excludes --format spoor' "$spoor" symbols --inlined --format=spoor serve

# kept NAME LEAST - records a build, and compares the calls with the program's own counters.
kept()
{
	COUNTS=1 "$spoor" record -q -o "$1.trace" "./$1" > out 2> counts || fail "$1: status $?: $(cat counts)"
	read -r handle pure < counts
	equal "$1: calls of handle_request" "$(reported "$1.trace" handle_request)" "$handle"
	[ "$2" = handle ] || equal "$1: calls of pure" "$(reported "$1.trace" pure)" "$pure"
}
traced_cc -DCOUNTED -fspoor-keep='handle_*' -o keep serve.c
kept keep handle
[ "$(reported keep.trace pure)" = 0 ] || fail "-fspoor-keep kept a function that it does not name"
traced_cc -DCOUNTED -fspoor-keep='nothing' -fspoor-keep='handle_*,pure,-handle_none' -o keeps serve.c
kept keeps pure
traced_cc -DCOUNTED -fspoor-before-inlining -o before serve.c
kept before pure
traced_cc -DCOUNTED -O3 -flto -fuse-ld=lld -fspoor-before-inlining -o linked serve.c
kept linked pure
traced_cc -DCOUNTED -fspoor-before-inlining -fno-spoor-before-inlining -o neither serve.c
equal "calls with -fno-spoor-before-inlining" "$("$spoor" record -q -o t ./neither > out; reported t handle_request)" 0
# A function without effects: the optimiser would compute its calls once, or not at all.
traced_cc -fspoor-before-inlining -o effects serve.c
"$spoor" record -q -o t ./effects > out
equal "calls of a function without effects" "$(reported t pure)" 3
# Call mode: the calls are inserted before a function is inlined.
traced_cc -DCOUNTED -fspoor-before-inlining -fspoor-mode=call -fspoor-runtime -o calls serve.c
SPOOR_RUNTIME_TRACE_PATH=calls.trace COUNTS=1 ./calls > out 2> counts
read -r handle pure < counts
equal "call mode: calls of handle_request" "$(reported calls.trace handle_request)" "$handle"
# A function that a filter excludes may be inlined.
printf '[[block]]\nrule_name = "no handlers"\nfunction_linkage_name = "handle_request"\n' > filters.toml
SPOOR_INSTRUMENTATION_FILTERS_FILE=$work/filters.toml "$SPOOR_DRIVERS/spoor-cc" -O2 -g -DCOUNTED -fspoor-before-inlining -o filtered serve.c
"$spoor" symbols --inlined filtered | grep -q '^handle_request ' || fail "a function that a filter excludes was kept"
! "$spoor" symbols --inlined filtered | grep -q '^pure ' || fail "a function that no filter excludes was inlined"

# C++ by demangled names, and spoor_opt.
sed 's/^static unsigned int handle/namespace server {\n&/; s/^static unsigned int pure/}\nusing server::handle_request;\n&/' serve.c > serve.cc
traced_cxx -DCOUNTED -fspoor-keep='server::handle_request' -o cxx serve.cc
COUNTS=1 "$spoor" record -q -o cxx.trace ./cxx > out 2> counts
read -r handle pure < counts
equal "C++: calls" "$("$spoor" report --format=csv cxx.trace | awk -F, '/handle_request/ { print $(NF > 20 ? 3 : 3) }' | head -n 1 | grep -c .)" 1
"$spoor" report --full-names cxx.trace | grep -q "^ *$(echo "$handle" | sed 's/\(...\)$/,\1/; s/^,//') .*server::handle_request(unsigned int)" ||
	"$spoor" report --full-names cxx.trace | grep -q "^ *$handle .*server::handle_request(unsigned int)" ||
	fail "C++: the report has other calls than $handle: $("$spoor" report cxx.trace)"
"$clang" -O2 -g -DCOUNTED -Xclang -disable-llvm-passes -emit-llvm -c -o plain.bc serve.c
SPOOR_INSTRUMENTATION_KEEP=pure "$spoor_opt" --before_inlining < plain.bc > kept.bc
"$clang" -O2 -g -c -o kept.o kept.bc
"$SPOOR_DRIVERS/spoor-cc" -fspoor-shared -o opt kept.o
kept opt pure
status=0
SPOOR_INSTRUMENTATION_KEEP='a,,b' "$spoor_opt" < plain.bc > wrong.bc 2> err || status=$?
[ $status != 0 ] && grep -q 'patterns of functions to keep are invalid' err || fail "wrong patterns: status $status: $(cat err)"
refused 1 'invalid patterns: use globs' "$SPOOR_DRIVERS/spoor-cc" -fspoor-keep='a,,b' -c serve.c

# GCC.
[ -x "$SPOOR_DRIVERS/spoor-gcc" ] || exit 0
"$SPOOR_DRIVERS/spoor-gcc" -O2 -g -DCOUNTED -fspoor-before-inlining -o gcc_before serve.c 2> err || exit 0
kept gcc_before pure
refused 1 'give the functions the attribute noipa' "$SPOOR_DRIVERS/spoor-gcc" -fspoor-keep=pure -c serve.c
"$SPOOR_DRIVERS/spoor-gcc" -O2 -g -o gcc_serve serve.c
refused 2 "; give handle_request the attribute noipa, or build with -fspoor-before-inlining, or use --allow-empty" \
	"$spoor" record -f handle_request ./gcc_serve
