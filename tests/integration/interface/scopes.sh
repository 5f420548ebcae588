#!/bin/sh
# SPDX-License-Identifier: MIT
# scopes.sh - named scopes are in the trace as calls, as often as the program counts them, between the calls of traced
# functions, in every output; counters have their values. Without libspoor.so, or without a recording, scopes do
# nothing.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
include="-I$top_srcdir/libspoor/include -Wall -Wextra -Werror"
cp "$victims/tracepoints/scoped.c" scoped.cc

# scopes TRACE - prints each scope and the number of its entries.
scopes()
{
	"$spoor" report --format=csv "$1" > report.csv
	python3 - <<'END'
import csv
for row in csv.DictReader(open("report.csv")):
    if row["library"] == "[scope]":
        print(row["function"], row["calls"], sep="\t")
END
}

# checked PROGRAM - runs the program untraced and traced, and compares.
checked()
{
	./$1 > own 2> own.err || fail "$1: the untraced program ended with status $?: $(cat own.err)"
	traced t ./$1 > out 2> err
	cmp own out
	silent err
	scopes t | sort > got
	sort own > wanted
	cmp wanted got || fail "$1: the scopes of the program (<) and of the trace (>) differ: $(diff wanted got)"
	facts t
	equal "$1: lost" "$(lost t)" 0
	"$spoor" export --format csv --flat t 2> export.err | python3 -c '
import csv, sys
got = sorted(int(row["payload_1"]) for row in csv.DictReader(sys.stdin) if row["type_name"] == "steps")
assert got == sorted(4 * [i for i in range(500) if i % 3 for _ in range(1 if i % 5 == 0 else 2)]), len(got)' ||
		fail "$1: the counter has other values (see above)"
}

for level in -O0 -O2; do
	# shellcheck disable=SC2086
	traced_cc $level $include -o scoped "$victims/tracepoints/scoped.c" -pthread
	checked scoped
	# shellcheck disable=SC2086
	traced_cxx $level $include -o scoped scoped.cc -pthread
	checked scoped
done

# Nesting: a scope is below the function that contains it, and calls inside the scope are below the scope. A scope
# that an exception leaves ends with its function.
"$spoor" replay --full-names t 2> replay.err | sed 's/^[-0-9., ]*[mun]\{0,1\}s  *//; s/^ *//; s/ *{* *$//' > tree
awk '/^work\(int\)/ { getline; if ($0 !~ /^outer "quoted"/) bad++; n++ } END { exit bad || n < 1000 }' tree ||
	fail "scopes are not below work(): $(grep -m 3 -A 1 '^work(int)' tree)"
awk '/^inner/ { getline; if ($0 !~ /^# steps: /) bad++; getline; if ($0 !~ /^leaf/) bad++; n++ } END { exit bad || n < 1000 }' tree ||
	fail "counters and calls are not below the scope: $(grep -m 3 -A 2 '^inner' tree)"
# Without instrumented functions, compiled without spoor.
for compiler in gcc "$clang"; do
	# shellcheck disable=SC2086
	"$compiler" -O2 $include -o plain "$victims/tracepoints/scoped.c" -pthread
	./plain > own
	rm -rf alone
	SPOOR_RUNTIME_TRACE_PATH=alone LD_PRELOAD=$libspoor ./plain > out
	scopes alone | sort > got
	sort own > wanted
	cmp wanted got ||
		fail "$compiler, without sleds: the scopes of the program (<) and of the trace (>) differ:" \
			"$(diff wanted got)"
done
# The duration of a scope, compared with a function that the scope fills. The end of the scope is not a tail call of
# the function, and helpers of scopes are not calls. A scope continues if an exception is caught inside it.
cat > whole.cc <<'END'
#include <setjmp.h>
#include <spoor/scope.h>
#include <unistd.h>

extern "C" {
int f(void);
void g(void);
int h(int x);
int catches(void);
int returns_twice(void);
void pass_through(void);
}

static jmp_buf place;

__attribute__((noinline)) static void pass(void)
{
	usleep(10);
	__asm__ volatile("");
}

__attribute__((noinline)) void g(void)
{
	SPOOR_SCOPE_BEGIN("pair");
	usleep(1000);
	SPOOR_SCOPE_END("pair");
}

__attribute__((noinline)) int h(int x)
{
	usleep(1000);
	SPOOR_COUNTER("last", x);
	return 0;
}

__attribute__((noinline)) int f(void)
{
	SPOOR_SCOPE("only");
	return usleep(1000);
}

__attribute__((noinline)) static void throws(void)
{
	pass();
	throw 1;
}

__attribute__((noinline)) static void jumps(void)
{
	pass();
	longjmp(place, 1);
}

__attribute__((noinline)) int catches(void)
{
	SPOOR_SCOPE("around catch");
	try {
		SPOOR_SCOPE("left by throw");
		throws();
	} catch (int) {
		usleep(5000);
		pass();
	}
	return 0;
}

__attribute__((noinline)) int returns_twice(void)
{
	SPOOR_SCOPE("around setjmp");
	if (setjmp(place) == 0) {
		jumps();
	} else {
		usleep(5000);
		pass();
	}
	return 0;
}

int main(void)
{
	for (int i = 0; i < 10; i++) {
		f();
		g();
		h(i);
		catches();
		returns_twice();
	}
	return 0;
}
END
for level in -O0 -O1 -O2 -O3 -Os; do
	# shellcheck disable=SC2086
	traced_cxx $level $include -o whole whole.cc
	rm -rf whole.trace
	traced whole.trace ./whole
	"$spoor" replay whole.trace > tree 2> err
	! grep -E 'without|entry is not' tree err || fail "$level: scopes do not nest (see above)"
	"$spoor" report --format=csv whole.trace > report.csv 2> err
	"$spoor" export --format=csv --flat whole.trace > events.csv 2> err
	python3 - "$level" <<'END' || fail "$level: scopes have wrong calls or times: $(cat report.csv)"
import csv, sys
rows = {row["function"]: row for row in csv.DictReader(open("report.csv"))}
average = lambda name: int(rows[name]["total_ns"]) / int(rows[name]["calls"])
for name, least in ("only", 1e6), ("pair", 1e6), ("around catch", 5e6), ("around setjmp", 5e6), ("left by throw", 1e4):
    assert rows[name]["calls"] == "10" and average(name) >= least, rows[name]
for scope, function in ("only", "f"), ("pair", "g"), ("around catch", "catches"), ("around setjmp", "returns_twice"):
    assert average(function) >= average(scope), (scope, function)
assert average("left by throw") < 5e6
assert not any("spoor_scope" in name for name in rows), rows.keys()
depth, inside = 0, 0
for row in csv.DictReader(open("events.csv")):
    name = row["function"]
    depth += name == "h" and (row["event"] == "entry") - (row["event"] == "exit")
    inside += row["type_name"] == "last" and depth == 1
assert inside == 10, inside
END
done
# Counters may be negative, and names may have any character.
printf '%s\n' '#include <spoor/scope.h>' 'int main(void) { SPOOR_COUNTER("below", -1); SPOOR_COUNTER("tab\tbed", -2); return 0; }' > below.c
# shellcheck disable=SC2086
traced_cc $include -o below below.c
traced below.trace ./below
"$spoor" replay below.trace | grep -q '# below: -1$' ||
	fail "spoor replay does not show a counter below 0: $("$spoor" replay below.trace)"
"$spoor" replay below.trace | grep -q '# tab?bed: -2$' ||
	fail "spoor replay does not show a counter with a tab in its name: $("$spoor" replay below.trace)"
# In mode off.
rm -rf off
SPOOR_RUNTIME_MODE=off SPOOR_RUNTIME_TRACE_PATH=off LD_PRELOAD=$libspoor ./plain > out
cmp own out
[ ! -e off ] || [ -z "$(scopes off)" ] || fail "scopes were recorded in mode off: $(scopes off)"
# Off, on, off, on, with scopes that have already checked the state.
cat > woken.c <<'END'
#include <dlfcn.h>
#include <spoor/scope.h>

static void say(const char *what)
{
	((long (*)(void))dlsym(RTLD_DEFAULT, what))();
}

static void work(int times)
{
	while (times--) {
		SPOOR_SCOPE("woken");
		SPOOR_SCOPE_BEGIN("pair");
		SPOOR_COUNTER("times", times);
		SPOOR_SCOPE_END("pair");
	}
}

int main(void)
{
	work(1);
	say("spoor_enable");
	work(20);
	say("spoor_disable");
	work(300);
	say("spoor_enable");
	work(4000);
	return 0;
}
END
# shellcheck disable=SC2086
traced_cc $include -O2 -fno-spoor -o woken woken.c
rm -rf off
SPOOR_RUNTIME_MODE=off SPOOR_RUNTIME_TRACE_PATH=off LD_PRELOAD=$libspoor ./woken
equal "scopes of a program that is woken" "$(scopes off | sort | tr '\n\t' ' =')" "pair=4020 woken=4020 "
equal "its counters" "$("$spoor" export --format=csv --flat off | grep -c ',times,')" 4020

# Names in exports for other programs.
"$spoor" export --format chrome -o chrome.json t
python3 - <<'END'
import json
events = json.load(open("chrome.json"))
events = events["traceEvents"] if isinstance(events, dict) else events
names = {event.get("name") for event in events}
assert {'outer "quoted"', "inner", "pair", "thrown", "", "leaf()"} <= names, sorted(map(str, names))[:20]
END
"$spoor" flame --format folded t 2> /dev/null | grep -q 'work(int);outer "quoted";inner;leaf()' ||
	fail "spoor flame does not show the scope: $("$spoor" flame --format folded t | head -n 5)"
"$spoor" graph t | grep -q 'outer "quoted"' ||
	fail "spoor graph does not show the scope: $("$spoor" graph t | head -n 5)"
# Calls below the minimum are not shown because of a counter inside them: self times match the flame graph.
python3 - "$spoor" <<'END' || fail "report and flame differ with --min-duration (see the assertion above)"
import json, subprocess, sys
def run(*arguments):
    return subprocess.run([sys.argv[1], *arguments, "t"], check=True, stdout=subprocess.PIPE).stdout.decode()
for least in (300, 1000, 3000):
    rows = json.loads(run("report", "--format=json", "--min-duration=%dns" % least))["rows"]
    assert all(row["min_ns"] >= least for row in rows), (least, rows)
    folded = run("flame", "--format=folded", "--min-duration=%dns" % least).splitlines()
    assert sum(row["self_ns"] for row in rows) == sum(int(line.rpartition(" ")[2]) for line in folded), least
END
rm -rf t alone
