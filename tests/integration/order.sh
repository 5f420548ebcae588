#!/bin/sh
# SPDX-License-Identifier: MIT
# order.sh - functions are noted in the order in which the program itself says that it runs them,
# once each, the same in every run, up to where it is killed; their sleds go back to sleep; and
# linkers lay them out so.
set -eu
. "$top_srcdir/tests/integration/life.sh"
. "$top_srcdir/tests/integration/order_runs.sh"

shuffled -O1
orders_agree

# What ran is dormant again, what did not is awake: by the sled's head, the first bytes of a
# function but for a landing pad.
case $SPOOR_ARCH in
x86_64) heads='2 f30f1efa' dormant=eb09 awake=41bb ;;
aarch64) heads='4 5f2403d5' dormant=08000014 awake=1f2003d5 ;;
esac
export heads
cat > look.py <<'END'
import gdb
import os
gdb.execute("set pagination off")
gdb.execute("set breakpoint pending on")
gdb.execute("break _exit")
run_program()
size, landing_pad = os.environ["heads"].split()
ran = {line.strip() for line in open("said.debugged.err") if line.startswith("f")}
heads = {True: set(), False: set()}
for i in range(900):
    address = int(gdb.parse_and_eval("(long)&f%d" % i))
    code = bytes(gdb.selected_inferior().read_memory(address, 24))
    at = 4 if code[:4].hex() == landing_pad else 0
    heads["f%d" % i in ran].add(code[at:at + int(size)].hex())
print("ran:", *sorted(heads[True]), "not:", *sorted(heads[False]))
END
debugged_environment="LD_PRELOAD=$libspoor SPOOR_RUNTIME_MODE=order SPOOR_RUNTIME_TRACE_PATH=$work/debugged"
debugged look.py said.debugged ./program || fail "$(tail -n 5 gdb.out)"
grep -q "^ran: $dormant not: $awake\$" gdb.out || fail "$(tail -n 5 gdb.out)"

# Several runs: what more of them have first, then by mean place.
cat > runs.c <<'END'
#define FUNCTION(name) __attribute__((noinline)) void name(void) { __asm__ volatile(""); }
FUNCTION(f1) FUNCTION(f2) FUNCTION(f4)
int main(int count, char **words)
{
	(void)words;
	if (count > 1)
		f4();
	f1();
	if (count < 3)
		f2();
	return 0;
}
END
traced_cc -O1 -o runs runs.c
noted run.1 ./runs
noted run.2 ./runs a
noted run.3 ./runs a b
equal "mean" "$("$spoor" order run.1 run.2 run.3 | tr '\n' ' ')" "main f1 f4 f2 "
equal "first" "$("$spoor" order --merge first run.1 run.2 run.3 | tr '\n' ' ')" "main f1 f2 f4 "

once_each

# Other modes and back, and what is refused.
noted changes ./fork_order modes || fail "a mode cannot be changed, or a handler can be set"
facts changes
equal "calls while all are logged" "$(entries changes before)" 3
"$spoor" order changes | grep -qx in_child || fail "order after a change: $("$spoor" order changes)"

# Linkers lay them out so.
for linker in lld gold; do
	"$spoor" order --format $linker --library program -o program.$linker one
	option=--section-ordering-file
	[ $linker != lld ] || option=--symbol-ordering-file
	"$clang" -O1 -ffunction-sections -w -o laid.$linker program.c -L. -lpart -Wl,-rpath,"$work" -rdynamic -fuse-ld=$linker \
		-Wl,$option=program.$linker
	# The others stand behind with lld, in front with gold.
	end=head
	[ $linker = lld ] || end=tail
	nm -n laid.$linker | sed -n 's/.* [tT] \(f[0-9]*\)$/\1/p' | $end -n "$(wc -l < one.program)" > laid
	cmp one.program laid || fail "$linker lays them out otherwise"
done
"$spoor" order --format bfd --library program one | sed -n 2p | grep -qx '\*(.text.main)' || fail "bfd's format"
"$spoor" order --format ld64 --library program one | head -n 1 | grep -qx _main || fail "ld64's format"

# Errors.
status=0
"$spoor" order one > /dev/null 2> err || status=$?
equal "status without -o" "$status" 2
grep -q '2 libraries' err || fail "$(cat err)"
traced logged ./runs
status=0
"$spoor" order logged > /dev/null 2> err || status=$?
equal "status of a trace of events" "$status" 1
said_once err 'no order is in there'
"$spoor" report one > /dev/null 2> err || true
grep -q 'spoor order' err || fail "the report does not say where to look: $(cat err)"
