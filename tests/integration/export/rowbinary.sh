#!/bin/sh
# SPDX-License-Identifier: MIT
# rowbinary.sh - the rows for ClickHouse match its table, and add up to the report, the folded stacks, the recorded
# events and the losses: for a trace with all kinds of events, for processes that switch stacks, for counts. In
# clickhouse_long.sh ClickHouse itself reads the rows.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# rows_agree NAME TRACE [OPTION...] - compares the rows with the report.
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
		"$spoor" export --format=csv --flat "$rows_of" > events.csv 2> err ;;
	*) "$spoor" export --format=csv --flat "$@" "$rows_of" > events.csv 2> err ;;
	esac
	python3 "$top_srcdir/tests/integration/readers/rowbinary.py" "$top_srcdir/tools/export/clickhouse/create.sql" rows report.csv report.txt \
		folded events.csv $rows_part > "$rows_name.out" ||
			fail "$rows_name: rowbinary.py found differences: $(tail -n 3 "$rows_name.out")"
}
# rows_least NAME WHAT COUNT - checks that at least COUNT items of this kind were compared.
rows_least()
{
	[ "$(sed -n "s/^$2 agree: //p" "$1.out")" -ge "$3" ] || fail "$1: too few $2 were compared: $(cat "$1.out")"
}

"$top_builddir/tests/golden/make_golden" golden "$top_builddir/tests/golden/libsample.so"
rows_agree golden golden
rows_least golden events 50
rows_least golden notes 70
rows_agree one_thread golden --thread 4750 --no-demangle
rows_agree one_process golden/4712

# Stacks that are left and continued; exceptions; several processes in one session.
program switches
traced switches.trace ./switches ring > out 2> err || equal "status of switches" $? 6
rows_agree switches switches.trace
traced_cxx -o throws "$victims/calls/throws.cc"
traced throws.trace ./throws > out 2> err || fail "throws: the program ended with status $?: $(cat err)"
rows_agree throws throws.trace
program hello
for calls in 10 20 30; do
	SPOOR_RUNTIME_SESSION_ID=4711 SPOOR_RUNTIME_TRACE_PATH=session LD_PRELOAD=$libspoor ./hello $calls > out
done
rows_agree session session

# Only long calls: no row exists for a short call because of an event in it, but the event keeps its place.
program marked -I"$top_srcdir/libspoor/include" -L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
traced marked.trace ./marked
rows_agree marked marked.trace
mv rows all
rows_agree marked_long marked.trace --min-duration 1ms
rows_least marked_long events 41
rows_agree marked_library marked.trace --library marked
PYTHONPATH=$top_srcdir/tests/integration/readers python3 - "$top_srcdir/tools/export/clickhouse/create.sql" <<'END' || fail "events in short calls have other places (see the assertion above)"
import sys
from rowbinary import *

def places(path):
    rows = list(rows_of(path, columns_of(sys.argv[1])))
    stack_of = {row.path: row.text_1 for row in rows if row.kind == PATH}
    return [(row.number_1, stack_of[row.path]) for row in rows if row.kind == EVENT]

assert places("rows") == places("all")
assert {stack for _, stack in places("all")} == {"main", "main;short_call", "main;long_call;short_call"}, places("all")
END

# Counts have rows, but belong to no single thread.
SPOOR_RUNTIME_MODE=count traced counted.trace ./hello 10 > out
rows_agree counted counted.trace
! cut -d, -f4 report.csv | grep '[0-9]' || fail "the report of counts has times (see above)"
"$spoor" export --format=rowbinary --thread "$(basename counted.trace/[0-9]*)" counted.trace > rows 2> err || :
grep -q 'neither thread nor time' err ||
	fail "spoor export --thread does not explain that counts have no thread: $(cat err)"
# Counts have no times either; they have libraries.
for part in "--time 0s..100s" "--min-duration 1ns"; do
	# shellcheck disable=SC2086
	rows_agree counted_part counted.trace $part
	[ "$(wc -l < report.csv)" = 1 ] || fail "$part selects counts: $(cat report.csv)"
	grep -q 'neither thread nor time' rows.err ||
		fail "$part: the message does not explain that counts have no time: $(cat rows.err)"
done
echo 'int side(int v); int side(int v) { return v + 1; }' > side.c
echo 'int side(int v); int main(void) { return side(1) - 2; }' > uses.c
traced_cc -fPIC -shared -o libside.so side.c
traced_cc -o uses uses.c -L. -lside -Wl,-rpath,"$PWD"
SPOOR_RUNTIME_MODE=count traced sides.trace ./uses
rows_agree sides sides.trace --library libside.so
equal "functions of the library" "$(cut -d, -f1 report.csv | tail -n +2)" side

# A recursion has paths up to a depth, and deeper calls share one path, so that the size is not quadratic.
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
python3 - <<'END' || fail "a deep recursion gives rows of another size or number (see the assertion above)"
data = open("rows", "rb").read()
assert 30000 * 70 < len(data) < 30000 * 100 + 1000 * 5 * 1000, len(data)
assert data.count(b";[deeper]") == 1
END
