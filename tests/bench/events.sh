# SPDX-License-Identifier: MIT
# events.sh - measures the cost of an event for its thread, beside XRay, uftrace and LTTng-UST; run sources this file.
#
# A round runs every way once, one after the other, and every second round
# backwards, so that a slow minute of the machine affects all of them. Each figure
# is the median over the rounds of (this way - plain) / (floor - plain), where all
# three values are of the same round.

ways="plain floor dormant log record saving-handler bare-handler any-c-handler xray-dormant xray-empty \
	xray-fdr uftrace"
# LTTng-UST is measured if it is installed.
has_lttng=
! command -v lttng > /dev/null || { has_lttng=1 ways="$ways lttng"; }

# build_own_victims - builds the victims that need no other tracer.
build_own_victims()
{
	say "building the victims"
	flags="-O2 -Wall -Wextra -I$bench -I$top_srcdir/libspoor/include"
	cd "$work"
	"$clang" $flags -c "$bench/victim.c" "$bench/way_none.c"
	"$clang" $flags -mgeneral-regs-only -c "$bench/way_spoor.c"
	"$clang" $flags -c -o work.plain.o "$bench/work.c"
	"$spoor_cc" $flags -c -o work.spoor.o "$bench/work.c"
	"$clang" -pthread -o victim.plain victim.o way_none.o work.plain.o
	"$spoor_cc" -pthread -o victim.spoor victim.o way_spoor.o work.spoor.o
}

build_victims()
{
	build_own_victims
	"$clang" $flags -c "$bench/floor.c" "$bench/way_xray.c"
	"$clang" $flags -DFLOOR -c -o work.floor.o "$bench/work.c"
	"$xray_clang" $flags -fxray-instrument -fxray-instruction-threshold=1 -c -o work.xray.o "$bench/work.c"
	"$clang" $flags -pg -c -o work.uftrace.o "$bench/work.c"
	"$clang" $flags -finstrument-functions -c -o work.lttng.o "$bench/work.c"
	"$clang" -pthread -o victim.floor victim.o way_none.o work.floor.o floor.o
	"$clang" -pthread -o victim.uftrace victim.o way_none.o work.uftrace.o
	"$clang" -pthread -o victim.lttng victim.o way_none.o work.lttng.o
	"$xray_clang" -pthread -fxray-instrument -o victim.xray victim.o way_xray.o work.xray.o
	"$clang" $flags -o timestamp "$bench/timestamp.c"
}

# run_way WAY leaf|fib THREADS AMOUNT - prints calls, CPU and wall nanoseconds.
# The run's trace, if there is one, is then in $trace.
run_way()
{
	trace=$work/trace
	rm -rf "$trace"
	case $1 in
	plain | floor) "$work/victim.$1" $2 $3 $4 ;;
	dormant) "$work/victim.spoor" $2 $3 $4 dormant ;;
	log) SPOOR_RUNTIME_TRACE_PATH=$trace LD_PRELOAD=$runtime "$work/victim.spoor" $2 $3 $4 log ;;
	record) "$spoor" record -o "$trace" -- "$work/victim.spoor" $2 $3 $4 log ;;
	*-handler) SPOOR_RUNTIME_TRACE_PATH=$trace LD_PRELOAD=$runtime "$work/victim.spoor" $2 $3 $4 $1 ;;
	xray-dormant) "$work/victim.xray" $2 $3 $4 dormant ;;
	xray-empty) "$work/victim.xray" $2 $3 $4 empty-handler ;;
	xray-fdr) "$work/victim.xray" $2 $3 $4 fdr ;;
	uftrace) uftrace record -d "$trace" "$work/victim.uftrace" $2 $3 $4 ;;
	lttng) run_under_lttng "$work/victim.lttng" $2 $3 $4 ;;
	esac || fail "$1 $2 failed"
}

# begin_lttng, end_lttng - start and stop a session daemon, unless a daemon is running already.
begin_lttng()
{
	lttng_daemon=
	lttng --no-sessiond list > /dev/null 2>&1 || {
		lttng-sessiond --daemonize --pidfile="$work/lttng.pid" > /dev/null 2>&1 || fail "lttng-sessiond cannot be started"
		lttng_daemon=$(cat "$work/lttng.pid")
	}
}

end_lttng()
{
	test -z "$lttng_daemon" || kill "$lttng_daemon"
}

# run_under_lttng PROGRAM ARGUMENT... - records entries and exits with LTTng's hooks, in buffers that lose none.
run_under_lttng()
{
	{
		lttng create spoor-bench --output="$trace"
		lttng enable-channel --userspace --subbuf-size=4M --num-subbuf=16 --blocking-timeout=inf calls
		lttng enable-event --userspace --channel=calls 'lttng_ust_cyg_profile_fast:*'
		lttng start
	} > "$work/lttng.out" 2>&1 || return
	LTTNG_UST_ALLOW_BLOCKING=1 LD_PRELOAD=liblttng-ust-cyg-profile-fast.so.1 "$@"
	lttng destroy spoor-bench >> "$work/lttng.out" 2>&1
}

# amount_of WAY - prints the number of calls: few for ways that need much memory for a call.
amount_of()
{
	case $1 in
	xray-fdr | uftrace | lttng) echo "$few_calls" ;;
	*) echo "$round_seconds"s ;;
	esac
}

# trace_facts WAY RESULT - prints the number of events that the run's trace lost, and its bytes.
trace_facts()
{
	case $1 in
	log | record) ;;
	uftrace | lttng) echo 0 "$(du -sB1 "$work/trace" | cut -f1)"; return ;;
	*) echo 0 0; return ;;
	esac
	lost=$(lost_events "$work/trace")
	events=$(recorded_events "$work/trace")
	# The trace includes the first batch, which is not timed.
	test $((events + lost)) -gt $((2 * ${2%% *})) ||
		fail "$1: $events events recorded and $lost lost, of ${2%% *} calls"
	echo "$lost $(du -sB1 "$work/trace" | cut -f1)"
}

# measure_rounds leaf|fib THREADS FILE - writes lines "round way calls cpu wall lost bytes".
measure_rounds()
{
	for round in $(seq $rounds); do
		order=$ways
		test $((round % 2)) = 0 && order=$(echo $ways | tr ' ' '\n' | tac)
		for way in $order; do
			say "$1, $2 threads, round $round of $rounds: $way"
			result=$(run_way $way $1 $2 $(amount_of $way))
			facts=$(trace_facts $way "$result")
			echo "$round $way $result $facts"
		done
	done > "$3"
	rm -rf "$work/trace"
}

# event_table FILE - prints a table, and writes lines "way ratio ns-above-plain" to FILE.ratio.
event_table()
{
	# The trace includes the first batch of each thread, which is not timed (victim.c).
	case $1 in
	*.leaf.*) first_calls=$((200000 * ${1##*.})) ;;
	*) first_calls=$((150049 * ${1##*.})) ;;
	esac
	for way in $ways; do
		awk -v way=$way -v first_calls=$first_calls '
			{ cost[$1, $2] = $4 / $3; wall[$1, $2] = $5 / $3; rounds = $1 }
			$2 == way { lost += $6; events += 2 * ($3 + first_calls); bytes += $7 }
			END {
				for (r = 1; r <= rounds; r++)
					print (cost[r, way] - cost[r, "plain"]) / (cost[r, "floor"] - cost[r, "plain"]),
						cost[r, way], cost[r, way] - cost[r, "plain"], wall[r, way],
						lost, bytes / events
			}' "$1" > "$1.way"
		awk -v way=$way \
			-v ratio="$(cut -d' ' -f1 "$1.way" | median)" -v cost="$(cut -d' ' -f2 "$1.way" | median)" \
			-v above="$(cut -d' ' -f3 "$1.way" | median)" -v wall="$(cut -d' ' -f4 "$1.way" | median)" '
			END {
				printf "  %-14s %9.2f %9.2f %9.2f %9.2f %10s %9s\n", way, cost, above / 2, ratio, wall,
					way ~ /^(log|record)$/ ? $5 : "", $6 ? sprintf("%.2f", $6) : ""
				print way, ratio, above > (FILENAME ".line")
			}' "$1.way"
		cat "$1.way.line"  >> "$1.ratio"
	done
}

# figure FILE WAY COLUMN - prints a figure that event_table wrote.
figure()
{
	awk -v way="$2" -v column="$3" '$1 == way { print $column }' "$1.ratio"
}

measure_events()
{
	build_victims
	test -z "$has_lttng" || { begin_lttng; trap end_lttng EXIT; }
	heading "An event's cost: nanoseconds of CPU time of the threads that log"
	timestamp=$(for i in 1 2 3 4 5; do "$work/timestamp"; done | median)
	note "time stamp counter and 16-byte store alone, nothing called" "$timestamp" "ns an event"
	for threads in 1 2; do
		for what in leaf fib; do
			samples=$work/events.$what.$threads
			rm -f "$samples".*
			measure_rounds $what $threads "$samples"
			say ""
			printf '\n  %-14s %9s %9s %9s %9s %10s %9s\n' "$what, $threads thr." "ns/call" "ns/event" \
				"x floor" "wall/call" "lost" "B/event"
			event_table "$samples"
		done
	done
	echo
	for what in leaf fib; do
		samples=$work/events.$what.1
		aim "$what: logging, against the floor" "$(figure "$samples" log 2)" "x" 1.15
		aim "$what: logging under spoor record, against the floor" "$(figure "$samples" record 2)" "x" 1.15
		xray=$(figure "$samples" xray-empty 3)
		aim "$what: empty handler that saves what it changes, against XRay's" \
			"$(calculate "$(figure "$samples" saving-handler 3) / $xray")" "x" 0.5
		aim "$what: empty handler without vector registers, against XRay's" \
			"$(calculate "$(figure "$samples" bare-handler 3) / $xray")" "x" 0.5
		aim "$what: empty handler of any C, against XRay's" \
			"$(calculate "$(figure "$samples" any-c-handler 3) / $xray")" "x" 1.3
		aim "$what: dormant sleds" "$(figure "$samples" dormant 3)" "ns a call" 0.3
	done
}
