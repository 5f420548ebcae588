# SPDX-License-Identifier: MIT
# arguments.sh - measures what storing arguments and results costs a call, and the bytes of a call in the trace; run
# sources this file.
#
# A round runs every way of every function once, and every second round backwards. A figure is the median over the
# rounds of (this way - plain) / (floor - plain), where all values are of the same round and function.

argument_calls=3000000

# argument_ways WHAT - prints the ways of measuring it.
argument_ways()
{
	case $1 in
	none) echo plain floor log elsewhere beside ;;
	one) echo plain floor log captured both ;;
	six) echo plain floor log captured uftrace ${has_lttng:+lttng} ;;
	result) echo plain floor log captured ;;
	heap) echo plain floor captured kernel ;;
	*) echo plain floor log captured ;;
	esac
}

# argument_way WHAT WAY - prints the nanoseconds of a call.
argument_way()
{
	calls=$argument_calls arguments= results= tunables=
	test $1 != heap || calls=$((calls / 20))
	case $2:$1 in
	plain:* | floor:*) "$work/arguments.$2" $1 $calls; return ;;
	uftrace:*)
		rm -rf "$work/trace"
		uftrace record -d "$work/trace" -A 'six@arg1/i32,arg2/i32,arg3/i32,arg4/i32,arg5/i32,arg6/i32' \
			"$work/arguments.uftrace" $1 $calls
		return ;;
	lttng:*) trace=$work/trace && rm -rf "$trace" && run_under_lttng "$work/arguments.lttng" $1 $calls; return ;;
	log:*) ;;
	elsewhere:*) arguments='libargumentsother.so:other' ;;	# another module has a captured function
	beside:*) arguments=six ;;
	captured:result) results=result ;;
	captured:constant | captured:stack | captured:heap | kernel:*) arguments='text(a:s)' ;;
	captured:*) arguments=$1 ;;
	both:*) arguments=$1 results=$1 ;;
	esac
	test $2 != kernel || tunables=glibc.cpu.hwcaps=-RTM
	rm -rf "$work/trace"
	GLIBC_TUNABLES=$tunables SPOOR_RUNTIME_MODE=ring SPOOR_RUNTIME_ARGS=$arguments SPOOR_RUNTIME_RETVAL=$results \
		SPOOR_RUNTIME_TRACE_PATH=$work/trace LD_PRELOAD=$runtime "$work/arguments.spoor" $1 $calls
}

# argument_bytes [OPTION...] - prints the bytes on disk of a call of three().
argument_bytes()
{
	rm -rf "$work/trace"
	"$spoor" record -q -o "$work/trace" -f three "$@" -- "$work/arguments.spoor" three $argument_calls > /dev/null
	events=$(recorded_events "$work/trace")
	test "$events" -gt $argument_calls || fail "the trace of three() has only $events events"
	calculate "2 * $(stat -c %s "$work/trace"/*/events.spoor) / $events"
}

# check_captured WHAT TEXT - fails if the trace in $work/trace does not show the values.
check_captured()
{
	argument_way $1 captured > /dev/null
	"$spoor" replay "$work/trace" 2> /dev/null | tail -n 20 | grep -q "$2" || fail "$1: the trace has no '$2'"
}

measure_arguments()
{
	heading "Arguments and results: spoor record --args, --retval"
	flags="-O2 -Wall -Wextra -I$bench"
	echo 'int other(int a); int other(int a) { return a + 1; }' > "$work/argumentsother.c"
	(
		cd "$work"
		"$spoor_cc" $flags -shared -fPIC -o libargumentsother.so argumentsother.c
		"$clang" $flags -c "$bench/floor.c"
		"$clang" $flags -o arguments.plain "$bench/arguments.c"
		"$clang" $flags -DFLOOR -o arguments.floor "$bench/arguments.c" floor.o
		"$clang" $flags -finstrument-functions -o arguments.lttng "$bench/arguments.c"
		"$clang" $flags -pg -o arguments.uftrace "$bench/arguments.c"
		"$spoor_cc" $flags -o arguments.spoor "$bench/arguments.c" -Wl,--no-as-needed -L. -largumentsother -Wl,-rpath,"$work"
	)
	test -z "$has_lttng" || { begin_lttng; trap end_lttng EXIT; }
	test $round_seconds -gt 1 || argument_calls=1000000
	check_captured six 'six([^)]*6)'
	check_captured result 'result() = '
	check_captured heap 'text([^)]*"/usr/share/doc/package/readme")'
	samples=$work/arguments.samples
	for round in $(seq $rounds); do
		for what in none one six result constant stack heap; do
			order=$(argument_ways $what)
			test $((round % 2)) = 0 && order=$(echo $order | tr ' ' '\n' | tac)
			for way in $order; do
				say "arguments, round $round of $rounds: $what, $way"
				echo "$round $what $way $(argument_way $what $way)"
			done
		done
	done > "$samples"
	say ""
	# argument_ratio WHAT WAY OTHER - prints the median of (way - plain) / (other - plain).
	argument_ratio()
	{
		awk -v what="$1" -v way="$2" -v other="$3" '$2 == what { cost[$1, $3] = $4; rounds = $1 }
			END { for (r = 1; r <= rounds; r++)
				print (cost[r, way] - cost[r, "plain"]) / (cost[r, other] - cost[r, "plain"]) }' "$samples" | median
	}
	# argument_above WHAT WAY OTHER - prints the median of the differences in nanoseconds.
	argument_above()
	{
		awk -v what="$1" -v way="$2" -v other="$3" '$2 == what { cost[$1, $3] = $4; rounds = $1 }
			END { for (r = 1; r <= rounds; r++) print cost[r, way] - cost[r, other] }' "$samples" | median
	}
	note "the floor: two hooks a call" "$(argument_above one floor plain)" "ns"
	note "logging, against the floor" "$(argument_ratio one log floor)" "x"
	aim "a module without captures, against logging" "$(argument_ratio none elsewhere log)" "x" 1.02
	aim "another function of a module with captures, against logging" "$(argument_ratio none beside log)" "x" 1.10
	aim "one integer, against the floor" "$(argument_ratio one captured floor)" "x" 1.4
	aim "six integers, against the floor" "$(argument_ratio six captured floor)" "x" 1.8
	aim "a result, against the floor, beyond logging" \
		"$(calculate "$(argument_ratio result captured floor) - $(argument_ratio result log floor)")" "x" 0.2
	note "one integer and a result, against the floor" "$(argument_ratio one both floor)" "x"
	aim "text of 29 bytes in constant memory, against the floor" "$(argument_ratio constant captured floor)" "x" 3.0
	aim "text of 29 bytes on the stack, against the floor" "$(argument_ratio stack captured floor)" "x" 3.0
	note "text of 29 bytes on the heap: two system calls" "$(argument_above heap kernel plain)" "ns"
	! grep -qw rtm /proc/cpuinfo ||
		note "text of 29 bytes on the heap, in a transaction" "$(argument_above heap captured plain)" "ns"
	note "uftrace -A: six integers, against the floor" "$(argument_ratio six uftrace floor)" "x"
	test -z "$has_lttng" || note "LTTng-UST, entries and exits without values, against the floor" \
		"$(argument_ratio six lttng floor)" "x"
	note "a call without values on disk" "$(argument_bytes)" "bytes"
	aim "a call with three small integers on disk" "$(argument_bytes --args three)" "bytes" 8
	rm -rf "$work/trace"
}
