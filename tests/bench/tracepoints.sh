# SPDX-License-Identifier: MIT
# tracepoints.sh - measures a static tracepoint with a semaphore, and a named scope; run sources this file.

# Each round runs every way once, so that a slow minute of the machine affects all of them.
tracepoint_ways="plain floor dormant recorded breakpoint scope scope_off scope_recorded"

# tracepoint_way WAY - prints the nanoseconds of a hit.
tracepoint_way()
{
	rm -rf "$work/trace"
	case $1 in
	plain | floor) "$work/tracepoint.$1" ;;
	dormant) "$work/tracepoint.spoor" ;;
	scope) "$work/tracepoint.scope" ;;
	scope_off) SPOOR_RUNTIME_MODE=off LD_PRELOAD=$runtime "$work/tracepoint.scope" ;;
	scope_recorded) SPOOR_RUNTIME_MODE=ring SPOOR_RUNTIME_TRACE_PATH=$work/trace LD_PRELOAD=$runtime "$work/tracepoint.scope" ;;
	recorded) SPOOR_RUNTIME_TRACEPOINTS='bench:hit' SPOOR_RUNTIME_MODE=ring SPOOR_RUNTIME_TRACE_PATH=$work/trace \
		LD_PRELOAD=$runtime "$work/tracepoint.spoor" ;;
	breakpoint) SPOOR_RUNTIME_TRACEPOINTS='bench:hit' SPOOR_RUNTIME_MODE=ring SPOOR_RUNTIME_TRACE_PATH=$work/trace \
		LD_PRELOAD=$runtime:$top_builddir/libspoor/trap/.libs/libspoor_trap.so "$work/tracepoint.foreign" ;;
	esac
}

measure_tracepoints()
{
	heading "Static tracepoints, of four arguments"
	flags="-O2 -Wall -Wextra -I$top_srcdir/libspoor/include"
	"$clang" $flags -o "$work/tracepoint.plain" "$bench/tracepoint.c"
	"$clang" $flags -DFLOOR -o "$work/tracepoint.floor" "$bench/tracepoint.c"
	"$clang" $flags -DSPOOR -o "$work/tracepoint.spoor" "$bench/tracepoint.c"
	"$clang" $flags -DSCOPE -o "$work/tracepoint.scope" "$bench/tracepoint.c"
	"$clang" $flags -DFOREIGN -o "$work/tracepoint.foreign" "$bench/tracepoint.c"
	for round in $(seq $rounds); do
		order=$tracepoint_ways
		test $((round % 2)) = 0 && order=$(echo $tracepoint_ways | tr ' ' '\n' | tac)
		for way in $order; do
			say "tracepoints, round $round of $rounds: $way"
			echo "$round $way $(tracepoint_way $way)"
		done
	done > "$work/tracepoints"
	for way in recorded scope_recorded; do
		tracepoint_way $way > /dev/null
		test "$(recorded_events "$work/trace")" -gt 0 || fail "$way: the trace has no hit"
	done
	rm -rf "$work/trace"
	# above WAY - prints the median of the way's time minus the plain time of the same round.
	above()
	{
		awk -v way="$1" '$2 == "plain" { plain[$1] = $3 } $2 == way { cost[$1] = $3 }
			END { for (r in cost) print cost[r] - plain[r] }' "$work/tracepoints" | median
	}
	note "the floor: the counter, and eight stores" "$(above floor)" "ns"
	note "dormant" "$(above dormant)" "ns"
	aim "recorded" "$(above recorded)" "ns" 25
	note "recorded at a breakpoint, of SystemTap's header" "$(above breakpoint)" "ns"
	note "recorded, in floors" "$(calculate "$(above recorded) / $(above floor)")" ""
	note "a scope, without libspoor.so" "$(above scope)" "ns"
	note "a scope, while recording is off" "$(above scope_off)" "ns"
	note "a scope, recorded: two events" "$(above scope_recorded)" "ns"
}
