#!/bin/sh
# SPDX-License-Identifier: MIT
# rowbinary.sh - the rows for ClickHouse are what its table says, and add up to the report, the
# folded stacks, the events as recorded and what is lost: of a trace that holds everything, of
# processes that switch stacks, of counts. clickhouse_long.sh has ClickHouse itself read them.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# rows_agree NAME TRACE [OPTION...]
rows_agree()
{
	rows_name=$1 rows_of=$2
	shift 2
	"$spoor" export --format=rowbinary "$@" "$rows_of" > rows 2> rows.err
	"$spoor" report --format=csv "$@" "$rows_of" > report.csv 2> err
	"$spoor" report "$@" "$rows_of" > report.txt 2> err
	"$spoor" flame --format=folded "$@" "$rows_of" > folded 2> err
	rows_part=
	case " $* " in
	*" --library "* | *" --min-duration "*)
		rows_part=part
		"$spoor" export --format=csv "$rows_of" > events.csv 2> err ;;
	*) "$spoor" export --format=csv "$@" "$rows_of" > events.csv 2> err ;;
	esac
	python3 "$top_srcdir/tests/integration/readers/rowbinary.py" "$top_srcdir/tools/export/clickhouse/create.sql" rows report.csv report.txt \
		folded events.csv $rows_part > "$rows_name.out" || fail "$rows_name"
}
# rows_least NAME WHAT COUNT - so many of them at least were compared.
rows_least()
{
	[ "$(sed -n "s/^$2 agree: //p" "$1.out")" -ge "$3" ] || fail "$1: few $2: $(cat "$1.out")"
}

"$top_builddir/tests/golden/make_golden" golden "$top_builddir/tests/golden/libsample.so"
rows_agree golden golden
rows_least golden events 50
rows_least golden notes 70
rows_agree one_thread golden --thread 4750 --no-demangle
rows_agree one_process golden/4712

# Stacks that are left and go on; exceptions; one session of several processes.
program switches
traced switches.trace ./switches ring > out 2> err || equal "status of switches" $? 6
rows_agree switches switches.trace
traced_cxx -o throws "$victims/calls/throws.cc"
traced throws.trace ./throws > out 2> err || fail "throws: $(cat err)"
rows_agree throws throws.trace
program hello
for calls in 10 20 30; do
	SPOOR_RUNTIME_SESSION_ID=4711 SPOOR_RUNTIME_TRACE_PATH=session LD_PRELOAD=$libspoor ./hello $calls > out
done
rows_agree session session

# Of long calls alone: no short one is a row for the sake of an event in it, which stands where it did nonetheless.
program marked -I"$top_srcdir/libspoor/include" -L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
traced marked.trace ./marked
rows_agree marked marked.trace
mv rows all
rows_agree marked_long marked.trace --min-duration 1ms
rows_least marked_long events 41
rows_agree marked_library marked.trace --library marked
PYTHONPATH=$top_srcdir/tests/integration/readers python3 - "$top_srcdir/tools/export/clickhouse/create.sql" <<'END' || fail "the places of events in short calls"
import sys
from rowbinary import *

def places(path):
    rows = list(rows_of(path, columns_of(sys.argv[1])))
    stack_of = {row.path: row.text_1 for row in rows if row.kind == PATH}
    return [(row.number_1, stack_of[row.path]) for row in rows if row.kind == EVENT]

assert places("rows") == places("all")
assert {stack for _, stack in places("all")} == {"main", "main;short_call", "main;long_call;short_call"}, places("all")
END

# Counts are there, and no single thread's.
SPOOR_RUNTIME_MODE=count traced counted.trace ./hello 10 > out
rows_agree counted counted.trace
! cut -d, -f4 report.csv | grep '[0-9]' || fail "counts with times"
"$spoor" export --format=rowbinary --thread "$(basename counted.trace/*)" counted.trace > rows 2> err || :
grep -q 'neither thread nor time' err || fail "counts of a thread: $(cat err)"
# Nor do they have times; libraries they have.
for part in "--time 0s..100s" "--min-duration 1ns"; do
	# shellcheck disable=SC2086
	rows_agree counted_part counted.trace $part
	[ "$(wc -l < report.csv)" = 1 ] || fail "counts with $part: $(cat report.csv)"
	grep -q 'neither thread nor time' rows.err || fail "counts with $part: $(cat rows.err)"
done
echo 'int side(int v); int side(int v) { return v + 1; }' > side.c
echo 'int side(int v); int main(void) { return side(1) - 2; }' > uses.c
traced_cc -fPIC -shared -o libside.so side.c
traced_cc -o uses uses.c -L. -lside -Wl,-rpath,"$PWD"
SPOOR_RUNTIME_MODE=count traced sides.trace ./uses
rows_agree sides sides.trace --library libside.so
equal "functions of the library" "$(cut -d, -f1 report.csv | tail -n +2)" side

# A recursion is told to a depth, and what is deeper is one path: no square of it is written.
cat > deep.c <<'END'
#include <stdlib.h>

__attribute__((noinline)) static int deep(int depth)
{
	return depth ? deep(depth - 1) + (depth & 1) : 0;
}

int main(int argc, char **argv)
{
	return argc > 1 && deep(atoi(argv[1])) < 0;
}
END
"$SPOOR_DRIVERS/spoor-cc" -O0 -o deep deep.c
traced deep.trace ./deep 30000
"$spoor" export --format=rowbinary -o rows deep.trace
python3 - <<'END' || fail "the rows of a deep recursion"
data = open("rows", "rb").read()
assert 30000 * 70 < len(data) < 30000 * 100 + 1000 * 5 * 1000, len(data)
assert data.count(b";[deeper]") == 1
END
