#!/bin/sh
# SPDX-License-Identifier: MIT
# by_value.sh - report --by adds up calls by the value of an argument or of the result, and by caller; --where chooses the
# same calls in each command. What the program counts itself is the reference.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

cat > pool.c << 'END'
#include <stdio.h>
#include <string.h>
#define FAR __attribute__((noinline))
static long bytes[2], calls[2];
FAR void *take(unsigned long size, int who, const char *path)
{
	__asm__ volatile("" : : "r"(path) : "memory");
	bytes[who] += (long)size;
	calls[who]++;
	return size > 900 ? NULL : &bytes[who];
}
FAR void small(int i) { take((unsigned long)i % 10, 0, i & 1 ? "liba.so" : "b.txt"); __asm__ volatile(""); }
FAR void large(int i) { take(500 + (unsigned long)i % 500, 1, "large.so"); take(7, 1, "b.txt"); __asm__ volatile(""); }
FAR double real(double d, long n) { __asm__ volatile("" : : "r"(n)); return d * 2; }
int main(void)
{
	for (int i = 0; i < 1000; i++)
		small(i);
	for (int i = 0; i < 300; i++)
		large(i * 3);
	for (int i = -8; i < 9; i++)
		real(i / 2.0, i);
	printf("%ld %ld %ld %ld\n", calls[0], bytes[0], calls[1], bytes[1]);
	return 0;
}
END
traced_cc -O1 -fno-inline -o pool pool.c
SPOOR_RUNTIME_ARGS='take(size:,who:,path:s),real(d:,n:d)' SPOOR_RUNTIME_RETVAL='take,real' traced pool.trace ./pool > printed
read -r calls_small bytes_small calls_large bytes_large < printed

# rows OPTION... - writes the lines of CSV without the times: the value, the calls and the sum.
rows()
{
	"$spoor" report --format=csv "$@" pool.trace 2> err | tr -d '\r' | cut -d, -f 1,2,6 > rows
	silent err
}

# Values.
rows --by take.who --sort calls
printf 'value,calls,sum\n0,%s,0\n1,%s,%s\n' "$calls_small" "$calls_large" "$calls_large" > expected
cmp -s expected rows || fail "by take.who: $(diff expected rows)"
rows --by 'take.path' --sort calls
printf 'value,calls,sum\n"""b.txt""",800,\n"""liba.so""",500,\n"""large.so""",300,\n' > expected
cmp -s expected rows || fail "by take.path: $(diff expected rows)"
rows --by real.result --limit 3
equal "rows of --limit" "$(wc -l < rows)" 4
rows --by real.result --sort calls
equal "results of real" "$(grep -c ',1,' rows)" 17
grep -qx -- '-8,1,-8' rows || fail "no result of -8: $(cat rows)"

# Sums by caller: the bytes of each function.
rows --by take.size --callers
printf 'caller,calls,sum\nlarge,%s,%s\nsmall,%s,%s\n' "$calls_large" "$bytes_large" "$calls_small" "$bytes_small" > expected
cmp -s expected rows || fail "callers: $(diff expected rows)"

# Conditions give the same numbers in each command.
total=$((calls_small + calls_large))
counted()
{
	"$spoor" replay --no-pager --where "$1" pool.trace 2> err > replayed
	silent err
	equal "calls of replay --where '$1'" "$(grep -c ';' replayed || :)" "$2"
	rows --by take.who --where "$1"
	equal "calls of report --by --where '$1'" "$(awk -F, 'NR > 1 { n += $2 } END { print n + 0 }' rows)" "$2"
	"$spoor" report --format=csv --where "$1" pool.trace > table
	equal "rows of report --where '$1'" "$(tr -d '\r' < table | grep -c '^take,' || :)" "$([ "$2" = 0 ] && echo 0 || echo 1)"
}
counted 'size >= 0' "$total"
counted 'size >= 500' 300
counted 'size > 5 && size < 8 || size == 999' $((200 + 300))
counted 'path ~ "*.so" && !(who == 0)' 300
counted 'path ~ "lib?.so"' 500
counted 'path = "b.txt" && size == 7' 300
counted 'who != 0 && path !~ "*.so"' 300
counted 'missing > 3' 0
counted 'size > 0 && result = 0' "$("$spoor" replay --no-pager --where 'size > 900' pool.trace | grep -c ';')"
"$spoor" flame --where 'size >= 500' -o flame.svg pool.trace
grep -q '>take<\|take (' flame.svg || grep -q 'take' flame.svg || fail "flame has no take"
! grep -q 'small' flame.svg || fail "flame has a call without such a value"
"$spoor" export --format=chrome --where 'size >= 500' -o pool.json pool.trace
equal "exported calls" "$(grep -c '"name":"take"' pool.json)" 300

# The text has a sum and a histogram.
"$spoor" report --no-pager --by take.size --histogram pool.trace > text
grep -q "^# size: $total numbers from 0 to 999, sum $((bytes_small + bytes_large))\$\|^# size: $total numbers from 0 to 9[0-9]*, sum $((bytes_small + bytes_large))\$" text ||
	fail "no sum: $(tail text)"
grep -q '^ *256 <= value < 512 ' text || fail "no histogram: $(tail -n 12 text)"
equal "calls in the histogram" "$(sed -n 's/.*value < [0-9]* *\([0-9,]*\)  #.*/\1/p' text | tr -d , | awk '{ n += $1 } END { print n }')" "$total"

# Wrong command lines.
for wrong in 'n >' 'n > "text"' '(n == 1' 'n == 1 &&' '5 == n' 'n == "x'; do
	status=0
	"$spoor" report --where "$wrong" pool.trace > text 2> err || status=$?
	equal "status of --where '$wrong'" "$status" 2
	grep -q 'is not a condition' err || fail "--where '$wrong': $(cat err)"
done
for wrong in take .size take. ; do
	status=0
	"$spoor" report --by "$wrong" pool.trace > text 2> err || status=$?
	equal "status of --by '$wrong'" "$status" 2
done
status=0
"$spoor" export --format=chrome --where 'result > 1' pool.trace > text 2> err || status=$?
equal "status of a result in an export" "$status" 2
"$spoor" report --by take.nosuch pool.trace 2> err > text
grep -q "no call of 'take' has the value 'nosuch'" err || fail "not said: $(cat err)"
