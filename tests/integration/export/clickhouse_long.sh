#!/bin/sh
# SPDX-License-Identifier: MIT
# clickhouse_long.sh - loads the rows of a trace into a ClickHouse server, whose queries give the same results as
# spoor's own report, flame and info. The traces have all kinds of events, processes that count or record, and a
# hundred processes of one session with the commands of doc/clickhouse.md. A process that is loaded twice changes no
# result. Prints the cost, and the projected cost for a thousand hosts.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
. "$top_srcdir/tests/integration/support/clickhouse.sh"
PATH=$top_builddir/tools:$PATH
sql=$top_srcdir/tools/export/clickhouse
export LC_ALL=C sql
begin_clickhouse
version=$(ask default 'SELECT version()')

# database NAME - makes a database with all tables and views.
database()
{
	ask default "CREATE DATABASE $1"
	for file in create report flame slowest; do
		clickhouse-client --database "$1" --multiquery < "$sql/$file.sql"
	done
}

# load DATABASE TRACE - loads the rows of the trace.
load()
{
	spoor export --format=rowbinary "$2" 2> load.err > load.rows ||
		fail "$2: spoor export failed: $(cat load.err)"
	clickhouse-client --database "$1" --query 'INSERT INTO rows FORMAT RowBinary' < load.rows
}

# agrees DATABASE TRACE LEAST - compares the report line by line, with at least LEAST lines, the folded stacks, and
# the losses.
agrees()
{
	spoor report --format=csv "$2" 2> err | python3 -c 'import csv, sys
for row in list(csv.reader(sys.stdin))[1:]:
    print(*row[:8], sep="\t")' | sort > wanted
	ask "$1" "SELECT function, library, calls, total_ns, self_ns, avg_ns, min_ns, max_ns FROM report FORMAT TSVRaw" |
		sed 's/\\N//g; s/\\x5CN//g' | sort > got
	cmp wanted got || fail "$1: the reports of spoor (<) and ClickHouse (>) differ: $(diff wanted got | head)"
	[ "$(wc -l < got)" -ge "$3" ] || fail "$1: only $(wc -l < got) functions were compared"
	ask "$1" "SELECT sum(calls) FROM report_by_process" > by_process
	equal "$1: calls by process" "$(cat by_process)" "$(awk -F'\t' '{ n += $3 } END { printf "%.0f\n", n }' got)"

	# Lines with the same text are one stack, because stacks do not name libraries.
	spoor flame --format=folded "$2" 2> err | awk '{ n = $NF; sub(/ [0-9]*$/, ""); sum[$0] += n }
		END { for (stack in sum) printf "%s\t%.0f\n", stack, sum[stack] }' | sort > wanted
	ask "$1" "SELECT stack, sum(self_ns) AS ns FROM flame GROUP BY stack HAVING ns > 0 FORMAT TSVRaw" | sort > got
	cmp wanted got || fail "$1: the stacks of spoor (<) and ClickHouse (>) differ: $(diff wanted got | head)"

	spoor report "$2" 2> err | sed -n 's/^# \([0-9,]*\) events\{0,1\} lost: /\1\t/p' | tr -d , | sort > wanted
	ask "$1" "SELECT sum(number), what FROM notes WHERE account = 'cause' GROUP BY what FORMAT TSVRaw" | sort > got
	cmp wanted got || fail "$1: the losses of spoor (<) and ClickHouse (>) differ: $(diff wanted got | head)"
}

# events_agree DATABASE TRACE [nested] - compares user events, and the slowest calls if all calls nest and return.
events_agree()
{
	spoor export --format=csv --flat "$2" > events.csv 2> err
	python3 - "${3-}" > wanted <<-'END'
		import collections, csv, sys
		slowest, open_calls = [], collections.defaultdict(list)
		for row in csv.DictReader(open("events.csv", newline="")):
		    whose = row["process"], row["thread"]
		    if row["event"] == "user":
		        print("user", *whose, row["time_ns"], row["type"], row["payload_1"], row["payload_2"], sep="\t")
		    elif row["event"] == "entry":
		        open_calls[whose].append(int(row["time_ns"]))
		    elif row["event"] in ("exit", "tail_exit") and sys.argv[1]:
		        slowest.append(int(row["time_ns"]) - open_calls[whose].pop())
		for duration in sorted(slowest, reverse=True)[:1000]:
		    print("slow", duration, sep="\t")
	END
	{
		ask "$1" "SELECT 'user', pid, thread, time_ns, type, payload_1, payload_2 FROM
			(SELECT process, thread, time_ns, type, payload_1, payload_2 FROM events WHERE event = 'user') AS events_of
			ANY LEFT JOIN (SELECT process, pid FROM processes) AS whose USING process"
		[ -z "${3-}" ] || ask "$1" "SELECT 'slow', duration_ns FROM slowest"
	} | sort > got
	sort -o wanted wanted
	[ -s wanted ] || fail "$1: no events were compared"
	cmp wanted got ||
		fail "$1: the events or slowest calls of spoor (<) and ClickHouse (>) differ:" \
			"$(diff wanted got | head)"
}

"$top_builddir/tests/golden/make_golden" golden "$top_builddir/tests/golden/libsample.so"
database golden
load golden golden
agrees golden golden 14
events_agree golden golden
equal "calls that did not return as such" "$(ask golden "SELECT count() FROM calls WHERE ending NOT IN ('exit', 'tail')")" \
	"$(spoor export --format=chrome golden 2> err | grep -c '"end":"')"

# Processes that record and one that counts, in one trace; scopes and counters together with calls.
program hello
for calls in 10 20 30; do
	SPOOR_RUNTIME_SESSION_ID=4712 SPOOR_RUNTIME_TRACE_PATH=several LD_PRELOAD=$libspoor ./hello $calls > out
done
program scoped -I"$top_srcdir/libspoor/include"
SPOOR_RUNTIME_SESSION_ID=4712 SPOOR_RUNTIME_TRACE_PATH=several LD_PRELOAD=$libspoor ./scoped > out
SPOOR_RUNTIME_MODE=count SPOOR_RUNTIME_SESSION_ID=4712 SPOOR_RUNTIME_TRACE_PATH=several LD_PRELOAD=$libspoor ./hello 40 > out
database several
load several several
agrees several several 8
events_agree several several nested
equal "processes" "$(ask several 'SELECT count() FROM processes')" 5

# A hundred processes of one session.
demo=$top_srcdir/tests/programs/demo
mkdir data demo
make -s --no-print-directory -C "$demo" srcdir=. O="$work/demo" CC=spoor-cc CXX=spoor-c++ CFLAGS='-O2 -g' > make.out 2>&1 ||
	fail "the demo does not build: $(tail -n 5 make.out)"
cp "$top_srcdir"/libspoor/drain/drain.c "$top_srcdir"/libspoor/base/permanent.c data
[ -z "${SPOOR_LONG-}" ] || cp "$top_srcdir"/libspoor/*/s*.c data
for process in $(seq 100); do
	OMPI_COMM_WORLD_RANK=$process SPOOR_RUNTIME_SESSION_ID=4711 SPOOR_RUNTIME_TRACE_PATH=hundred LD_PRELOAD=$libspoor \
		demo/demo data > out
done
[ "$(ls -d hundred/[0-9]* | wc -l)" = 100 ] || fail "the trace has $(ls -d hundred/[0-9]* | wc -l) processes instead of 100"

# The commands between ```sh and ```: tables, loading, queries, and recovery from loading twice.
awk '/^```sh$/ { on = 1; n++; next } /^```/ { on = 0 } on { print > ("commands." n) }' "$top_srcdir/doc/clickhouse.md"
[ "$(ls commands.* | wc -l)" = 6 ] || fail "doc/clickhouse.md does not have six blocks of commands: $(ls commands.*)"
trace=$work/hundred
export trace
commands()
{
	sh -eux "commands.$1" > "commands.$1.out" 2> err ||
		fail "commands.$1 of doc/clickhouse.md failed: $(tail -n 20 err)"
	[ -s "commands.$1.out" ] || [ "$1" -le 2 ] || [ "$1" = 6 ] ||
		fail "commands.$1 of doc/clickhouse.md printed nothing"
}
# cpu_ms - prints the processor time of the server and of all children that this script has waited for, in ms.
cpu_ms()
{
	times > cpu	# not in a sub-shell, which has its own children
	awk -v ticks="$(getconf CLK_TCK)" '
		FILENAME == "cpu" { for (i = 1; FNR == 2 && i <= 2; i++) { split($i, m, /[ms]/); ms += 1000 * (60 * m[1] + m[2]) } next }
		{ sub(/.*\) /, ""); ms += 1000 * ($12 + $13) / ticks }
		END { printf "%.0f\n", ms }' cpu /proc/$server_process/stat > cpu.ms
}

commands 1
cpu_ms
load_cpu=$(cat cpu.ms)
begun=$(date +%s%N)
commands 2
load_ns=$(($(date +%s%N) - begun))
cpu_ms
load_cpu=$(($(cat cpu.ms) - load_cpu))
agrees run hundred 40
equal "processes" "$(ask run 'SELECT count() FROM processes WHERE session = 4711')" 100
equal "ranks" "$(ask run "SELECT uniqExact(name) FROM processes WHERE name LIKE 'demo (rank %)'")" 100
commands 3
commands 4
commands 5
spoor flame --format=folded hundred | awk '{ n += $NF } END { printf "%.0f\n", n }' > wanted
awk '{ n += $NF } END { printf "%.0f\n", n }' all.folded | cmp wanted - ||
	fail "all.folded has another sum than spoor flame (see above)"

# One process is loaded a second time.
calls=$(ask run 'SELECT count() FROM calls')
again=$(ls hundred | head -n 1)
of_it=$(ask run "SELECT count() FROM calls WHERE process IN (SELECT process FROM processes WHERE pid = $again)")
load run "hundred/$again"
equal "calls, one process twice" "$(ask run 'SELECT count() FROM calls')" $((calls + of_it))
commands 6
equal "calls without it" "$(ask run 'SELECT count() FROM calls')" $((calls - of_it))
load run "hundred/$again"
agrees run hundred 40

# The cost.
for table in functions paths; do
	ask run "OPTIMIZE TABLE $table FINAL"
done
bytes=$(ask run "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'run'")
echo "ClickHouse $version: $calls calls of 100 processes"
awk -v n="$calls" -v ns=$load_ns -v ms=$load_cpu -v bytes="$bytes" 'BEGIN {
	printf "loaded in %.1f s: %.0f rows a second, %.0f a second of processor; %.1f bytes a row on disk, of all tables\n",
		ns / 1e9, n / (ns / 1e9), n / (ms / 1e3), bytes / n }'
for query in "SELECT count() FROM report" "SELECT count() FROM report_by_process" "SELECT count() FROM flame" "SELECT count() FROM slowest"; do
	cpu_ms
	cpu=$(cat cpu.ms)
	begun=$(date +%s%N)
	ask run "$query" > out
	ns=$(($(date +%s%N) - begun))
	cpu_ms
	cpu=$(($(cat cpu.ms) - cpu))
	echo "$((ns / 1000000)) ms, $cpu ms of processor: $query"
	[ "$query" != "SELECT count() FROM report" ] || report_cpu=$cpu
done
awk -v n="$calls" -v load=$load_cpu -v bytes="$bytes" -v report=$report_cpu 'BEGIN {
	printf "1,000 hosts, 100 million calls each: 10^11 rows, %.1f TB, %.0f hours of processor to load, %.0f minutes for a report\n",
		1e11 * bytes / n / 1e12, 1e11 / (n / load) / 3.6e6, 1e11 / (n / report) / 6e4 }'
