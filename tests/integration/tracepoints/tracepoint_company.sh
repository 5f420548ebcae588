#!/bin/sh
# SPDX-License-Identifier: MIT
# tracepoint_company.sh - libspoor.so records tracepoints together with other tools. gdb stops at them at the same
# time and reads the same arguments. spoor does not change the kernel's count in the semaphore. After spoor detaches,
# a process is unchanged. A killed process loses no hit. A function with a disabled tracepoint runs only a load, a
# test and a jump more.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
include="-I$top_srcdir/libspoor/include -Wall -Wextra -Werror"

# shellcheck disable=SC2086
build_once "$clang" -O2 -g $include -o hits "$victims/tracepoints/hits.c" -pthread

# recorded TRACE - prints the hits, without process and thread.
recorded()
{
	"$spoor" export --format json --flat "$1" 2> export.err | python3 -c '
import json, sys
for event in json.load(sys.stdin)["events"]:
    if event["event"] == "tracepoint":
        print(event["tracepoint"], *[a["value"] for a in event["arguments"]])'
}

# gdb and spoor at the same time; gdb increments the semaphore and decrements it again.
cat > both.py <<'PYTHON'
import gdb
gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set breakpoint pending on")
gdb.execute("set breakpoint always-inserted on")
gdb.execute("break -probe-stap hits:few")
run_program()
with open("stops", "w") as file:
    for stop in range(5):
        arguments = [str(int(gdb.parse_and_eval("(long)$_probe_arg%d" % i))) for i in range(4)]
        file.write("hits:few %s %x\n" % (" ".join(arguments), int(gdb.parse_and_eval("*(unsigned int *)&hits_few_semaphore"))))
        if stop == 4:
            gdb.execute("delete")
        gdb.execute("continue")
PYTHON
rm -rf t
debugged_environment="LD_PRELOAD=$libspoor SPOOR_RUNTIME_TRACE_PATH=$PWD/t SPOOR_RUNTIME_TRACEPOINTS=hits:f*" \
	debugged both.py printed ./hits library /nowhere 0
# This run reaches no tracepoint.
[ ! -s stops ] || fail "gdb stopped although no tracepoint was reached: $(cat stops)"
debugged_environment="LD_PRELOAD=$libspoor SPOOR_RUNTIME_TRACE_PATH=$PWD/t SPOOR_RUNTIME_TRACEPOINTS=hits:few"
debugged both.py printed ./hits threads
[ -s stops ] || fail "gdb did not stop at the tracepoint: $(tail -n 5 gdb.out)"
recorded t > got
equal "recorded beside gdb" "$(wc -l < got)" 1200
awk '{ print $6 }' stops | sort -u > halves		# gdb counts each place of the tracepoint
grep -qx '1000[1-9]' halves && [ "$(wc -l < halves)" = 1 ] ||
	fail "the two halves of the semaphore have wrong counts: $(cat halves)"
sed 's/ [0-9a-f]*$//' stops > wanted
while read -r line; do
	grep -qxF -- "$line" got || fail "gdb has arguments that the trace does not have: $line"
done < wanted

# A killed process: the trace has the hits up to the kill.
rm -rf t fifo printed
mkfifo fifo
SPOOR_RUNTIME_TRACEPOINTS='hits:*' SPOOR_RUNTIME_TRACE_PATH=t LD_PRELOAD=$libspoor ./hits asked < fifo > printed &
victim=$!
exec 9> fifo
printf '1\n2\n3\n' >&9
until [ "$(grep -c done printed)" = 3 ]; do sleep 0.01; done
kill -KILL $victim
wait $victim 2> /dev/null || true
exec 9>&-
recorded t > got
grep -v done printed | sed 's/^[0-9]* [0-9]* //; s/ *$//' > wanted
cmp wanted got || fail "after a kill the trace has other hits: $(diff wanted got)"

# A running process without libspoor.so.
rm -rf t1 t2 fifo printed
mkfifo fifo
./hits asked < fifo > printed &
victim=$!
exec 9> fifo
echo >&9
until [ "$(grep -c done printed)" = 1 ]; do sleep 0.01; done
for round in 1 2; do
	: > record.err		# the loop below reads it at once, so remove the messages of the previous recorder
	"$spoor" record -o t$round --tracepoint 'hits:few' --pid $victim 2> record.err &
	recorder=$!
	until grep -q 'tracepoint are recorded' record.err; do
		kill -0 $recorder 2> /dev/null || fail "the recorder ended before it attached: $(cat record.err)"
		sleep 0.01
	done
	grep -q '0 functions and 1 tracepoint are recorded' record.err ||
		fail "the recorder attached to other functions or tracepoints: $(cat record.err)"
	printf '2\n3\n' >&9
	until [ "$(grep -c done printed)" = $((1 + 2 * round)) ]; do sleep 0.01; done
	kill -INT $recorder
	wait $recorder || fail "spoor record --pid ended with status $?: $(cat record.err)"
done
printf '4\n' >&9
until [ "$(grep -c done printed)" = 6 ]; do sleep 0.01; done
exec 9>&-
wait $victim
recorded t1 > got
recorded t2 >> got
grep -v done printed | sed 's/^[0-9]* [0-9]* //; s/ *$//' > wanted
cmp wanted got || fail "the traces of the attached process have other hits: $(diff wanted got)"
equal "hits while attached" "$(wc -l < got)" 4

# The cost of a disabled tracepoint.
cat > cost.c <<'END'
#include <spoor/sdt.h>
#ifdef PROBE
SPOOR_SDT_DECLARE_SEMAPHORE(victim, cost);
#else
#undef SPOOR_SDT_WITH_SEMAPHORE
#define SPOOR_SDT_WITH_SEMAPHORE(...)
#endif
void cost(int a, long b, void *c, int d)
{
	(void)a, (void)b, (void)c, (void)d;
	SPOOR_SDT_WITH_SEMAPHORE(victim, cost, a, b, c, d);
}
END
# way FILE - prints the number of instructions from the entry past the tracepoint to the return.
way()
{
	objdump -d --no-show-raw-insn "$1" |
		awk '/<cost>:/ { on = 1; next } on && NF > 1 && $2 != "endbr64" { n++; if ($2 ~ /^ret/) exit } END { print n }'
}
if [ "$SPOOR_ARCH" = x86_64 ]; then
	for compiler in gcc "$clang"; do
		"$compiler" -O2 -I"$top_srcdir/libspoor/include" -c -o without.o cost.c
		"$compiler" -O2 -DPROBE -I"$top_srcdir/libspoor/include" -c -o with.o cost.c
		more=$(($(way with.o) - $(way without.o)))
		[ $more -ge 2 ] && [ $more -le 3 ] ||
			fail "$compiler: a disabled tracepoint costs $more instructions: $(objdump -d with.o)"
	done
	objdump -d --no-show-raw-insn with.o | grep -A 8 '<cost>:' | grep -q 'cmpl *\$0x0,0x0(%rip)' ||
		fail "$clang: the code does not compare the semaphore in memory: $(objdump -d with.o)"
fi
