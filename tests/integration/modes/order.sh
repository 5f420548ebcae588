#!/bin/sh
# SPDX-License-Identifier: MIT
# order.sh - mode order notes functions in the order in which the program itself reports them, each once, with the
# same result in every run, and up to the moment of a kill. The sleds of noted functions become dormant again. Linkers
# lay the functions out in this order.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
. "$top_srcdir/tests/integration/support/order_runs.sh"

shuffled -O1
orders_agree

# Functions that ran are dormant again, and the others are awake. Read the head of the sled: the first bytes of a
# function after a landing pad.
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
debugged look.py said.debugged ./program || fail "gdb failed: $(tail -n 5 gdb.out)"
grep -q "^ran: $dormant not: $awake\$" gdb.out ||
	fail "the sleds are not dormant and awake as expected: $(tail -n 5 gdb.out)"

# Several runs: functions of more runs come first, then they are sorted by mean place.
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
equal "mean" "$("$reader" order run.1 run.2 run.3 | tr '\n' ' ')" "main f1 f4 f2 "
equal "first" "$("$reader" order --merge first run.1 run.2 run.3 | tr '\n' ' ')" "main f1 f2 f4 "

once_each

# Changes to other modes and back, and rejected changes.
noted changes ./fork_order modes ||
	fail "fork_order modes failed: a mode cannot be changed, or a handler can be set (status $?)"
facts changes
equal "calls while all are logged" "$(entries changes before)" 3
"$reader" order changes | grep -qx in_child ||
	fail "the order after a change of mode has no in_child: $("$reader" order changes)"

# Linkers lay out the functions in this order.
for linker in lld gold; do
	"$reader" order --format $linker --library program -o program.$linker one
	option=--section-ordering-file
	[ $linker != lld ] || option=--symbol-ordering-file
	"$clang" -O1 -ffunction-sections -w -o laid.$linker program.c -L. -lpart -Wl,-rpath,"$work" -rdynamic -fuse-ld=$linker \
		-Wl,$option=program.$linker
	# The other functions follow with lld, and precede with gold.
	end=head
	[ $linker = lld ] || end=tail
	nm -n laid.$linker | sed -n 's/.* [tT] \(f[0-9]*\)$/\1/p' | $end -n "$(wc -l < one.program)" > laid
	cmp one.program laid || fail "$linker lays out the functions in another order: $(diff one.program laid)"
done
"$reader" order --format bfd --library program one | sed -n 2p | grep -q '^\*(.text.main .*\.text\.startup\.main.*)$' ||
	fail "the second line in bfd's format is not .text.main:" \
		"$("$reader" order --format bfd --library program one | sed -n 2p)"
"$reader" order --format ld64 --library program one | head -n 1 | grep -qx _main ||
	fail "the first line in ld64's format is not _main:" \
		"$("$reader" order --format ld64 --library program one | head -n 1)"

# A start-up ends with a named function; a run that never reaches it is used completely.
equal "until f4" "$("$reader" order --until 'f4' run.2 2> err | tr '\n' ' ')" "$("$reader" order run.2 | sed '/^f4$/q' | tr '\n' ' ')"
equal "said of it" "$(cat err)" ""
equal "until nothing" "$("$reader" order --until 'no_such*' run.1 2> err)" "$("$reader" order run.1)"
said_once err '1 of 1 runs did not execute such a function'
# A start-up ends after a duration. The recorder runs on this machine, so the test is skipped under an emulator.
if [ -z "$emulated" ]; then
	cat > stays.c <<'END'
#include <unistd.h>
__attribute__((noinline)) void early(void) { __asm__ volatile(""); }
__attribute__((noinline)) void late(void) { __asm__ volatile(""); }
int main(int count, char **words)
{
	early();
	while (count > 1 && access(words[1], F_OK) == 0)
		usleep(1000);
	late();
	return 0;
}
END
	traced_cc -O1 -o stays stays.c
	: > go
	"$spoor" record --mode order --duration 2s -o stayed ./stays go 2> stays.err &
	stays=$!
	awaited "the end of the recording" grep -q 'recording stopped' stays.err
	rm go
	wait $stays || fail "stays: the recorder failed: $(cat stays.err)"
	equal "for 2 s" "$("$reader" order stayed | tr '\n' ' ')" "main early "
fi

# The log moves to a machine where the program is in another folder; here the library was removed. The order is the
# same.
mkdir -p elsewhere/files
"$reader" order -o here one 2> err || fail "spoor order failed: $(cat err)"
cp -R one elsewhere/
cp program libpart.so elsewhere/files/
mkdir gone
mv program libpart.so gone/
(cd elsewhere && "$reader" order --sysroot files -o there one 2> err) ||
	fail "spoor order --sysroot failed: $(cat elsewhere/err)"
mv gone/* .
diff -r here elsewhere/there || fail "the order with --sysroot differs (see above)"
[ "$(du -sbc elsewhere/one/[0-9]* | tail -n 1 | cut -f1)" -lt 32768 ] || fail "the log is larger than 32 KiB: $(du -sb elsewhere/one/[0-9]*)"

# Errors.
status=0
"$reader" order one > /dev/null 2> err || status=$?
equal "status without -o" "$status" 2
grep -q '2 libraries' err || fail "spoor order without -o does not say that there are 2 libraries: $(cat err)"
traced logged ./runs
status=0
"$reader" order logged > /dev/null 2> err || status=$?
equal "status of a trace of events" "$status" 1
said_once err 'the trace has no order'
"$reader" report one > /dev/null 2> err || true
grep -q 'spoor order' err || fail "the report does not name spoor order: $(cat err)"

# The effect on a build: Python counts the pages from the symbols of nm.
cat > pages.py <<'END'
import sys
order = {line.strip() for line in open(sys.argv[2])}
pages, total = set(), 0
for line in open(sys.argv[1]):
    address, size, _, name = line.split()
    if name in order:
        first, size = int(address, 16), int(size, 16)
        pages |= set(range(first // 4096, (first + size - 1) // 4096 + 1))
        total += size
print(len(pages), -(-total // 4096))
END
# pages_of FILE - prints the tool's numbers of pages: now, in order, at the least.
pages_of()
{
	"$reader" order --startup-pages --library program --for "$1" -o pages.order one 2> pages.err ||
		fail "spoor order --startup-pages failed for $1: $(cat pages.err)"
	sed -n 's/.*: \([0-9]*\) pages of text .* now, \([0-9]*\) in .*, \([0-9]*\) at the least/\1 \2 \3/p' pages.err
}
read -r now laid least << END
$(pages_of ./program)
END
nm -S program | awk 'NF == 4 && $3 ~ /[tTwW]/' > program.nm
equal "pages" "$now $least" "$(python3 pages.py program.nm pages.order)"
[ "$laid" -lt "$now" ] || fail "the order needs $laid pages, and the build already has $now"
grep -q 'all 193 functions of the order are there' pages.err ||
	fail "spoor order does not find all 193 functions: $(cat pages.err)"
read -r now _ << END
$(pages_of laid.lld)
END
[ "$now" -le $((laid + 1)) ] || fail "the build by lld has $now pages, and spoor order predicted $laid"

# Inlined functions, folded functions and functions with the same name give a message, not an error.
cat > static.c <<'END'
static __attribute__((noinline)) int same(int x) { __asm__ volatile("" : "+r"(x)); return x + NUMBER; }
int NAME(int x) { return same(x); }
END
for part in 1 2; do
	sed "s/NAME/part$part/; s/NUMBER/$part/" static.c > static$part.c
	traced_cc -O1 -ffunction-sections -c -o part$part.o static$part.c
	traced_cc -O1 -ffunction-sections -funique-internal-linkage-names -c -o unique$part.o static$part.c
done
cat > named_things.c <<'END'
int part1(int x), part2(int x);
__attribute__((noinline)) int twin1(int x) { __asm__ volatile("nop"); return x; }
__attribute__((noinline)) int twin2(int x) { __asm__ volatile("nop"); return x; }
MAYBE int inlined(int x) { return part2(x) + 1; }
int main(int count, char **words) { (void)words; return (twin1(count) + part1(count) + inlined(twin2(count))) & 0; }
END
traced_cc -O1 -ffunction-sections '-DMAYBE=__attribute__((noinline))' -o names named_things.c part1.o part2.o
noted named ./names
"$clang" -O1 -ffunction-sections '-DMAYBE=static inline' -fuse-ld=lld -Wl,--icf=all -o laid.names named_things.c part1.o part2.o \
	-L"${stub%/*}" -lspoor_dso
"$reader" order --for laid.names named > named.order 2> names.err ||
	fail "spoor order --for laid.names failed: $(cat names.err)"
grep -q '1 of 7 functions of the order are missing' names.err ||
	fail "the inlined function is not reported as missing: $(cat names.err)"
grep -q '1 functions of the order share their code' names.err ||
	fail "the folded function is not reported: $(cat names.err)"
grep -q '1 names of the order belong to several functions' names.err ||
	fail "the functions with one name are not reported: $(cat names.err)"
traced_cc -O1 -ffunction-sections '-DMAYBE=__attribute__((noinline))' -o unique named_things.c unique1.o unique2.o
noted unique.trace ./unique
"$reader" order --for unique unique.trace > unique.order 2> unique.err ||
	fail "spoor order --for unique failed: $(cat unique.err)"
equal "functions of one name, told apart" "$(grep -c '^_ZL4samei\.__uniq\.' unique.order) $(wc -l < unique.order)" "2 8"
grep -q 'all 8 functions' unique.err || fail "spoor order does not find all 8 functions: $(cat unique.err)"

# Runs of three kinds: the functions of one kind are adjacent, and the functions that all kinds of runs execute come
# first or last.
python3 - <<'END'
import random
draw = random.Random(3)
kind = [draw.randrange(4) for _ in range(240)]
with open("kinds.c", "w") as out:
    out.write("#include <stdlib.h>\n")
    for i in range(240):
        out.write(f"__attribute__((noinline)) void k{kind[i]}_{i}(void) {{ __asm__ volatile(\"\"); }}\n")
    out.write("int main(int count, char **words)\n{\n\tint kind = atoi(words[count - 1]);\n")
    for i in range(240):
        out.write(f"\tif ({kind[i]} == 3 || kind == {kind[i]})\n\t\tk{kind[i]}_{i}();\n")
    out.write("\treturn 0;\n}\n")
END
traced_cc -O1 -o kinds kinds.c
for kind in 0 1 2; do
	noted kind.$kind ./kinds $kind
done
"$reader" order --merge balanced kind.0 kind.1 kind.2 > balanced
"$reader" order --merge mean kind.0 kind.1 kind.2 | sort > mean
LC_ALL=C sort balanced | cmp - mean || fail "--merge balanced has other functions than --merge mean (see above)"
changes()
{
	sed -n 's/^k\([0-9]\)_.*/\1/p' "$1" | uniq | wc -l
}
"$reader" order --merge mean kind.0 kind.1 kind.2 > mean
[ "$(changes balanced)" -lt $(($(changes mean) / 3)) ] ||
	fail "--merge balanced changes the kind $(changes balanced) times, and --merge mean $(changes mean) times"
equal "balanced, again" "$("$reader" order --merge balanced kind.0 kind.1 kind.2 | cksum)" "$(cksum < balanced)"
status=0
"$reader" order --for laid.names one > /dev/null 2> err || status=$?
equal "status of a build for two libraries" "$status" 2
"$reader" order --for missing named -o unwritten 2> err && fail "spoor order --for a missing file succeeded:" \
	"$(cat err)"
grep -q 'missing: No such file' err || fail "the message does not name the missing file: $(cat err)"
"$reader" order --for /etc/passwd named -o unwritten 2> err && fail "spoor order --for a file that is not ELF" \
	"succeeded: $(cat err)"
grep -q '^spoor: order: /etc/passwd: ' err || fail "the message does not name the file that is not ELF: $(cat err)"
[ ! -e unwritten ] || fail "a failed spoor order wrote an output: $(ls unwritten)"
# The name that a library has for itself cannot lead out of the folder.
echo '__attribute__((noinline)) int away(int x) { __asm__ volatile(""); return x; }' > away.c
printf '#include <dlfcn.h>\nint main(void) { return ((int (*)(int))dlsym(dlopen("./away.so", RTLD_NOW), "away"))(0); }\n' > home.c
traced_cc -O1 -fPIC -shared -Wl,-soname,../away.so -o away.so away.c
traced_cc -O1 -o home home.c -ldl
noted away.trace ./home
mkdir below
"$reader" order -o below/orders away.trace 2> err || fail "spoor order -o below/orders failed: $(cat err)"
equal "orders in their folder" "$(ls below/orders | tr '\n' ' ')" "_._away.so.order home.order "
equal "orders beside it" "$(ls below)" orders
rm -rf kind.[0-9] kinds.c
