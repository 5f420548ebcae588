#!/bin/sh
# SPDX-License-Identifier: MIT
# breakpoints.sh - tracepoints of SystemTap's header are recorded with the values that the program prints, including
# floating-point numbers. Tracepoints of libstdc++ have the address of the thrown object, as gdb sees it. The program
# reaches tracepoints on threads, in signal handlers, in a forked child, in a library that is loaded and unloaded,
# with all signals blocked, and with its own SIGTRAP handler. The state of the thread does not change. The recorder
# may be killed, a debugger does not see spoor's breakpoints, and malformed notes give messages.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ -z "$emulated" ] || skip "spoor record does not run programs for another machine"
spoor=$top_builddir/tools/spoor

gcc -O2 -g -Wall -Wextra -Werror -o foreign "$victims/modules/foreign.c" -pthread
gcc -O2 -Wall -Wextra -Werror -DLIBRARY -fPIC -shared -o libforeign.so "$victims/modules/foreign.c"

# recorded WORD... - records the victim; its output is in printed, messages are in err.
recorded()
{
	rm -rf t
	"$spoor" record -q -o t --tracepoint 'foreign:*' ./foreign "$@" > printed 2> err
}

# hits TRACE - prints "NAME NUMBER..." for each hit.
hits()
{
	"$spoor" export --format json --flat "$1" 2> export.err | python3 -c '
import json, sys
for event in json.load(sys.stdin)["events"]:
    if event["event"] == "tracepoint":
        print(event["tracepoint"], *[a["value"] for a in event["arguments"]])'
}

# All kinds of operands, compared with the program's own output, bit by bit for floating-point numbers.
recorded values
silent err
hits t > got
python3 - <<'END'
import struct
wanted = [line.split() for line in open("printed")]
got = [line.split() for line in open("got")]
assert len(wanted) == len(got) == 4, (wanted, got)
for w, g in zip(wanted, got):
    assert w[:5] + w[7:] == g[:5] + g[7:], (w, g)
    assert struct.pack("d", float(w[5])) == struct.pack("d", float(g[5])), (w, g)
    assert struct.pack("f", float(w[6])) == struct.pack("f", float(g[6])), (w, g)
END
"$spoor" export --format csv --flat t | grep -q '"i8 -3, u16 60001, i32 -70000, u64 18446744073709551614, f64 0.3333333333333333, f32 -1.5, i32 -7, i64 -2, i32 42"' ||
	fail "the CSV export has other arguments: $("$spoor" export --format csv --flat t | tail -n 3)"
"$spoor" export --format perfetto -o t.perfetto t
protoc --proto_path="$top_srcdir/tests/golden" --decode=spoor.perfetto.Trace "$top_srcdir/tests/golden/perfetto.proto" \
	< t.perfetto | grep -c 'double_value: -4.5$' | grep -qx 1 ||
		fail "the Perfetto export has no floating-point number -4.5"
"$spoor" export --format chrome -o t.json t
python3 -c '
import json
assert [e["args"]["arg6"] for e in json.load(open("t.json"))["traceEvents"] if e.get("cat") == "tracepoint"] == [0, -1.5, -3, -4.5]'

# gdb reads the same integers at each stop; it does not know floating-point operands.
cat > stop.py <<'END'
import gdb
gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("break -probe-stap foreign:integers")
run_program()
with open("stops", "w") as file:
    while gdb.selected_inferior().pid:
        file.write(" ".join(str(int(gdb.parse_and_eval("(long)$_probe_arg%d" % i))) for i in range(4)) + "\n")
        gdb.execute("continue")
END
debugged stop.py debugged.out ./foreign integers
recorded integers
silent err
hits t | sed 's/^foreign:integers //' | cmp - stops ||
	fail "integers in gdb and in the trace differ: $(tail -n 3 gdb.out) $(hits t)"

# Registers, flags and the red zone are preserved; signals interrupt the hits.
recorded kept
silent err
equal "kept" "$(cut -d' ' -f1 printed)" 2000
hits t | sort | uniq -c | awk '{ print $2, $3, $1 }' > got
printf 'foreign:handler 1 %s\nforeign:kept 9 2000\n' "$(cut -d' ' -f2 printed)" | cmp - got ||
	fail "kept: the trace has other hits than the program: $(cat got printed)"

recorded threads
silent err
equal "on threads" "$(hits t | sort -u | wc -l)" 2000
recorded fork
silent err
equal "processes" "$(hits t | sort | tr '\n' ' ')" "foreign:forked 0 foreign:forked 1 "
recorded library ./libforeign.so 20
silent err
hits t | cmp printed - || fail "library: the trace has other hits than the program: $(hits t)"

# A blocked SIGTRAP would end the program, and so would a SIGTRAP that is not spoor's.
recorded blocked || fail "blocked: the program ended with status $?: $(cat err)"
silent err
equal "where signals are blocked" "$(hits t | tr '\n' ' ')" "foreign:blocked 1 foreign:blocked 10 foreign:blocked 10 "
recorded own || fail "own: the program ended with status $?: $(cat err)"
equal "its own SIGTRAP" "$(cat printed)" "2 1"
equal "beside its own" "$(hits t | tr '\n' ' ')" "foreign:blocked 1 foreign:blocked 2 "
status=0
recorded own end || status=$?
equal "status after a SIGTRAP without a handler" "$status" 133

# Without libspoor_trap.so no breakpoint is set.
rm -rf t
SPOOR_RUNTIME_TRACEPOINTS='foreign:*' SPOOR_RUNTIME_TRACE_PATH=t LD_PRELOAD=$libspoor ./foreign blocked 2> err
silent err
[ ! -e t ] || fail "there is a trace without libspoor_trap.so: $(ls t)"

# Tracepoints are enabled during the run; then the recorder is killed, and the program continues.
# line - makes the victim reach its tracepoint.
line()
{
	lines=$((lines + 1))
	printf x >&9
	until [ "$(grep -c done printed)" -ge $lines ]; do sleep 0.01; done
}
for end in quietly killed; do
	rm -rf t fifo printed
	mkfifo fifo
	: > printed
	"$spoor" record -q -o t --tracepoint none:none ./foreign asked < fifo > printed 2> err &
	recorder=$!
	exec 9> fifo
	lines=0
	line
	pid=$(pgrep -P $recorder -x foreign)
	"$spoor" ctl "$pid" enable-tracepoints 'foreign:asked' > said
	equal "changed" "$(cat said)" "1 tracepoint changed"
	line
	"$spoor" ctl "$pid" disable-tracepoints 'foreign:asked' > said
	line
	"$spoor" ctl "$pid" enable-tracepoints '*:asked' > said
	[ $end = quietly ] || kill -KILL $recorder
	line
	line
	[ -d /proc/"$pid" ] || fail "$end: the program ended: $(cat err)"
	exec 9>&-
	wait $recorder 2> /dev/null || true
	while [ -d /proc/"$pid" ]; do sleep 0.01; done
	[ $end = killed ] || equal "chosen by and by" "$(hits t | tr '\n' ' ')" "foreign:asked 1 foreign:asked 3 foreign:asked 4 "
done

# A debugger must not stop at spoor's breakpoints.
cat > under.py <<'END'
import gdb
run_program()
END
rm -rf t
trap=$top_builddir/libspoor/trap/.libs/libspoor_trap.so
debugged_environment="LD_PRELOAD=$libspoor:$trap SPOOR_RUNTIME_TRACE_PATH=$PWD/t SPOOR_RUNTIME_TRACEPOINTS=foreign:*" \
	debugged under.py debugged.out ./foreign threads
grep -q 'exited normally' gdb.out || fail "the program under gdb did not exit normally: $(tail -n 5 gdb.out)"
said_once debugged.out.err "a debugger is attached to this process"
[ ! -e t ] || fail "there is a trace under a debugger: $(ls t)"

# The tracepoints of libstdc++, with the address of the thrown object.
cat > throws.cc <<'END'
#include <cstdio>
#include <stdexcept>
struct thing { int a; };
int main()
{
	for (int i = 0; i < 5; i++) {
		try {
			try {
				throw thing{i};
			} catch (thing &thing) {
				std::printf("throw %llu\ncatch %llu\n", (unsigned long long)&thing, (unsigned long long)&thing);
				if (i % 2) {
					std::printf("rethrow %llu\ncatch %llu\n", (unsigned long long)&thing, (unsigned long long)&thing);
					throw;
				}
			}
		} catch (...) {
		}
	}
}
END
g++ -O2 -o throws throws.cc
rm -rf t
"$spoor" record -q -o t --tracepoint 'libstdcxx:*' ./throws > printed
hits t | awk '{ sub("libstdcxx:", ""); print $1, $2 }' | cmp printed - ||
	fail "libstdc++: the trace has other hits than the program: $(hits t)"

# Malformed notes, and an argument at an address without memory.
cat > wrong.c <<'END'
#define NOTE(where, semaphore, name, operands) \
	__asm__ volatile("991:\tnop\n\t.pushsection .note.stapsdt,\"\",\"note\"\n\t.balign 4\n\t" \
			 ".4byte 8, 995f-994f, 3\n\t.asciz \"stapsdt\"\n994:\t.8byte " where ", 0, " semaphore \
			 "\n\t.asciz \"wrong\", \"" name "\", \"" operands "\"\n995:\t.balign 4\n\t.popsection")
#define GOOD "8@%rsp "
int variable;
int main(void)
{
	__asm__ volatile("xor %%eax, %%eax" ::: "rax");
	NOTE("991b", "0", "nowhere", "8@8(%rax) 4@$5");
	NOTE("991b", "0", "unread", "8@%fs:16");
	NOTE("991b", "0", "symbol", "8@nobody(%rip)");
	NOTE("991b+1", "0", "no_nop", "");
	return 0;
}
__attribute__((used)) static void others(void)
{
	NOTE("variable", "0", "in_data", "");
	NOTE("991b", "main", "gate", "");
	NOTE("991b", "0", "many", GOOD GOOD GOOD GOOD GOOD GOOD GOOD GOOD GOOD GOOD GOOD GOOD GOOD);
	__asm__ volatile(".pushsection .note.stapsdt,\"\",\"note\"\n\t.balign 4\n\t.4byte 8, 4, 3\n\t.asciz \"stapsdt\"\n\t.4byte 1\n\t.popsection");
}
END
if [ "$SPOOR_ARCH" = x86_64 ]; then
	gcc -O1 -fno-pie -no-pie -o wrong wrong.c
	rm -rf t
	"$spoor" record -q -o t --tracepoint 'wrong:*' ./wrong 2> err ||
		fail "wrong notes: the program ended with status $?: $(cat err)"
	equal "of wrong notes" "$(hits t)" "wrong:nowhere 0 5"
	for name in unread symbol no_nop in_data gate many; do
		equal "said of $name" "$(grep -c "cannot record the tracepoint wrong:$name at 0x[0-9a-f]* of .*/wrong: " err)" 1
	done
	# The list gives the same reasons; it omits notes with an address outside of the text.
	status=0
	"$spoor" tracepoints list ./wrong > listed 2> listed.err || status=$?
	equal "status" $status 1
	for name in unread symbol no_nop gate many; do
		reason=$(sed -n "s/.*cannot record the tracepoint wrong:$name at [^:]*: //p" err)
		grep "  -           wrong:$name\((.*\)*  cannot be recorded: $reason\$" listed > found ||
			fail "the list does not give the reason of $name: $reason: $(cat listed)"
	done
	grep -q '  breakpoint  wrong:nowhere(' listed ||
		fail "the list does not show wrong:nowhere as a breakpoint: $(cat listed)"
	grep -q '1 descriptions of tracepoints (.note.stapsdt) are damaged' err ||
		fail "the recorder does not count the malformed note: $(cat err)"
	grep -q '1 arguments of tracepoints were at unmapped addresses' err ||
		fail "the recorder does not count the argument without memory: $(cat err)"
fi
