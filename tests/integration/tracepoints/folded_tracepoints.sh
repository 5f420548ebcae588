#!/bin/sh
# SPDX-License-Identifier: MIT
# folded_tracepoints.sh - several tracepoints at one nop are all recorded, each with its own arguments: functions that a
# linker folded into one, and two notes for one nop. gdb counts the same hits. Each can be chosen and switched alone, in
# an executable and in a library that is loaded twice. Two equal notes at one nop are one tracepoint.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ -z "$emulated" ] || skip "spoor record does not run programs for another machine"
spoor=$top_builddir/tools/spoor

cat > folded.c <<'END'
#include <sys/sdt.h>
#include <stdio.h>
#include <unistd.h>

/* A note for the nop 990, as SystemTap's header writes it. */
#define NOTE(name, operands) \
	".pushsection .note.stapsdt,\"?\",\"note\"\n\t.balign 4\n\t.4byte 8, 995f-994f, 3\n\t.asciz \"stapsdt\"\n" \
	"994:\t.8byte 990b, _.stapsdt.base, 0\n\t.asciz \"folded\", \"" name "\", \"" operands "\"\n995:\t.balign 4\n\t.popsection\n\t"

__attribute__((noinline, used)) int one(int x) { DTRACE_PROBE1(folded, one, x); return x + 1; }
__attribute__((noinline, used)) int two(int x) { DTRACE_PROBE1(folded, two, x); return x + 1; }
__attribute__((noinline, used)) int three(int x) { DTRACE_PROBE1(folded, alike, x); return x + 2; }
__attribute__((noinline, used)) int four(int x) { DTRACE_PROBE1(folded, alike, x); return x + 2; }
__attribute__((noinline, used)) int noted(int x)
{
	__asm__ volatile("990:\tnop\n\t" NOTE("left", "-4@%[x]") NOTE("right", "8@$7 -4@%[x]") :: [x] "r"(x));
	return x + 1;
}

#ifdef LIBRARY
int work(void) { return one(1) + two(2) + noted(3); }
#else
#include <dlfcn.h>
int main(int count, char **words)
{
	char byte;

	for (int i = 0; count == 1 && i < 5; i++)
		printf("%d\n", one(i) + two(10 + i) + three(i) + four(10 + i) + noted(20 + i));
	for (int i = 0; count == 2 && i < 2; i++) {
		void *library = dlopen(words[1], RTLD_NOW);

		((int (*)(void))dlsym(library, "work"))();
		dlclose(library);
	}
	while (count == 3 && read(0, &byte, 1) == 1) {
		one(1);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
#endif
END
flags="-O2 -Wall -Wextra -ffunction-sections -fuse-ld=lld -Wl,--icf=all"
"$clang" $flags -o folded folded.c
"$clang" $flags -DLIBRARY -fPIC -shared -o libfolded.so folded.c
equal "functions that remain of four" "$(nm folded | awk '$3 ~ /^(one|two|three|four)$/ { print $1 }' | sort -u | wc -l)" 2
equal "notes of the last two" "$("$spoor" tracepoints list --format csv folded | grep -c alike)" 2

# hits TRACE - prints "COUNT NAME" of the hits, and their arguments in arguments.
hits()
{
	"$spoor" export --format json --flat "$1" 2> export.err | python3 -c '
import collections, json, sys
names, arguments = collections.Counter(), open("arguments", "w")
for event in json.load(sys.stdin)["events"]:
    if event["event"] == "tracepoint":
        names[event["tracepoint"]] += 1
        print(event["tracepoint"], *[a["value"] for a in event["arguments"]], file=arguments)
for name, count in sorted(names.items()):
    print(count, name)'
}

# recorded PATTERN WORD... - records the program, and prints its hits.
recorded()
{
	rm -rf t
	pattern=$1
	shift
	"$spoor" record -q -o t --tracepoint "$pattern" ./folded "$@" > printed 2> err || fail "status $?: $(cat err)"
	silent err
	hits t | tr '\n' ';'
}

equal "all" "$(recorded 'folded:*')" \
	"10 folded:alike;5 folded:left;10 folded:one;5 folded:right;10 folded:two;"
equal "arguments of one" "$(sed -n 's/^folded:one //p' arguments | tr '\n' ' ')" "0 10 1 11 2 12 3 13 4 14 "
equal "arguments of two" "$(sed -n 's/^folded:two //p' arguments | tr '\n' ' ')" "0 10 1 11 2 12 3 13 4 14 "
equal "arguments of left" "$(sed -n 's/^folded:left //p' arguments | tr '\n' ' ')" "20 21 22 23 24 "
equal "arguments of right" "$(sed -n 's/^folded:right //p' arguments | tr '\n' ';')" "7 20;7 21;7 22;7 23;7 24;"
for name in one two; do	# whichever of them leads
	equal "only $name" "$(recorded "folded:$name")" "10 folded:$name;"
done
equal "only right" "$(recorded 'folded:right')" "5 folded:right;"
equal "a library, twice" "$(recorded 'folded:*' ./libfolded.so)" \
	"2 folded:left;4 folded:one;2 folded:right;4 folded:two;"

# gdb stops as often at each of them.
cat > stop.py <<'END'
import gdb
gdb.execute("set pagination off")
gdb.execute("set confirm off")
points = {name: gdb.Breakpoint("-probe-stap folded:" + name) for name in ("one", "two", "left", "right")}
run_program()
while gdb.selected_inferior().pid:
    gdb.execute("continue")
with open("stops", "w") as file:
    for name, point in sorted(points.items()):
        file.write("%d folded:%s\n" % (point.hit_count, name))
END
debugged stop.py debugged.out ./folded
recorded 'folded:*' > all
tr ';' '\n' < all | grep -v alike | cmp - stops || fail "gdb counts other hits: $(cat all stops)"

# Each is switched alone while the others stay.
rm -rf t fifo printed
mkfifo fifo
: > printed
"$spoor" record -q -o t --tracepoint folded:one ./folded waits waits < fifo > printed 2> err &
recorder=$!
exec 9> fifo
lines=0
line()
{
	lines=$((lines + 1))
	printf x >&9
	awaited "line $lines" sh -c "[ \"\$(grep -c done printed)\" -ge $lines ]"
}
line
pid=$(pgrep -P $recorder -x folded)
"$spoor" ctl "$pid" enable-tracepoints folded:two > /dev/null
line
"$spoor" ctl "$pid" disable-tracepoints folded:one > /dev/null
line
"$spoor" ctl "$pid" disable-tracepoints folded:two > /dev/null
line
"$spoor" ctl "$pid" enable-tracepoints folded:one > /dev/null
line
exec 9>&-
wait $recorder || fail "the recorder ended with status $?: $(cat err)"
silent err
equal "switched alone" "$(hits t | tr '\n' ';')" "3 folded:one;2 folded:two;"

# Linkers remove the note of a function that they fold, if it belongs to the function (SPOOR_SDT). A function with a
# semaphore of its own is not folded.
cat > gated.c <<'END'
#include <spoor/sdt.h>
SPOOR_SDT_DEFINE_SEMAPHORE(folded, one);
SPOOR_SDT_DEFINE_SEMAPHORE(folded, two);
__attribute__((noinline, used)) int one(int x) { SPOOR_SDT_WITH_SEMAPHORE(folded, one, x); return x + 1; }
__attribute__((noinline, used)) int two(int x) { SPOOR_SDT_WITH_SEMAPHORE(folded, two, x); return x + 1; }
int main(void)
{
	return one(1) + two(2) - 5;
}
END
"$clang" $flags -I"$top_srcdir/libspoor/include" -o folded gated.c
equal "with semaphores" "$(recorded 'folded:*')" "1 folded:one;1 folded:two;"
