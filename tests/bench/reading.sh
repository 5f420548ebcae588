# SPDX-License-Identifier: MIT
# reading.sh - measures how fast the tools read a trace, on one processor and on two, and with how much memory; run
# sources this file. For comparison, uftrace and llvm-xray read their own traces of as many calls.

# make_traces CALLS - makes $work/reading.CALLS and, up to 10 million calls, $work/uftrace.CALLS and
# $work/xray.CALLS. NAME.CALLS.calls has the number of calls in each.
make_traces()
{
	say "a trace of $1 calls"
	rm -rf "$work/reading.$1" "$work/uftrace.$1" "$work/xray.$1"*
	"$spoor" record -o "$work/reading.$1" -- "$work/victim.spoor" fib 1 $1 log > "$work/reading.$1.calls"
	test $1 -le 10000000 || return 0
	uftrace record -d "$work/uftrace.$1" "$work/victim.uftrace" fib 1 $1 > "$work/uftrace.$1.calls"
	XRAY_OPTIONS="xray_logfile_base=$work/xray.$1." "$work/victim.xray" fib 1 $1 fdr-file \
		2> "$work/xray.err" > "$work/xray.$1.calls" || fail "XRay's flight data recorder: $(cat "$work/xray.err")"
	mv "$work/xray.$1.victim.xray."* "$work/xray.$1"
	# The trace must have the calls of the run and of the first batch; otherwise the figures are wrong.
	recorded=$("$llvm_xray" account -instr_map="$work/victim.xray" -format=csv "$work/xray.$1" |
		awk -F, 'NR > 1 { n += $2 } END { print n + 0 }')
	test "$recorded" -ge "$(cut -d' ' -f1 "$work/xray.$1.calls")" || fail "XRay recorded $recorded of $1 calls"
}

# read_with CALLS|NAME spoor-report|spoor-replay|spoor-flame|spoor-perfetto|spoor-chrome|uftrace-report|uftrace-replay|
# xray-account|xray-convert|xray-stack|xray-graph - prints calls a second of CPU time, the peak memory in KiB, and
# calls a second of wall time; on $processors.
read_with()
{
	say "$2 of $1 calls"
	command=${2#*-}
	case $2 in
	spoor-flame) set -- "$1" "$work/reading.$1.calls" "$spoor" flame --format=folded -o /dev/null "$work/reading.$1" ;;
	spoor-perfetto | spoor-chrome)
		set -- "$1" "$work/reading.$1.calls" "$spoor" export --format="$command" -o /dev/null "$work/reading.$1" ;;
	spoor-*) set -- "$1" "$work/reading.$1.calls" "$spoor" "$command" "$work/reading.$1" ;;
	xray-account) set -- "$1" "$work/xray.$1.calls" "$llvm_xray" account -sort=sum -top=10 "$work/xray.$1" ;;
	xray-convert) set -- "$1" "$work/xray.$1.calls" "$llvm_xray" convert -symbolize -output-format=trace_event -o /dev/null "$work/xray.$1" ;;
	xray-stack) set -- "$1" "$work/xray.$1.calls" "$llvm_xray" stack -all-stacks -aggregate-threads -stack-format=flame \
		-aggregation-type=time "$work/xray.$1" ;;
	xray-graph) set -- "$1" "$work/xray.$1.calls" "$llvm_xray" graph -edge-label=sum -o /dev/null "$work/xray.$1" ;;
	uftrace-*) set -- "$1" "$work/uftrace.$1.calls" uftrace "$command" --no-pager -d "$work/uftrace.$1" ;;
	esac
	calls=$(cut -d' ' -f1 "$2")
	shift 2
	test "$1" != "$llvm_xray" || set -- "$@" -instr_map="$work/victim.xray"
	taskset -c "$processors" "$work/spawning" "$read_repeats" "$@" |
		awk -v calls="$calls" '{ printf "%.0f %d %.0f\n", calls / ($1 / 1e9), $3, calls / ($2 / 1e9) }'
}

# least_of TOOL - prints the aim in millions of calls a second on one processor. The aim for two is near twice that.
least_of()
{
	case $1 in
	spoor-report | spoor-flame) echo 20 ;;
	spoor-chrome) echo 5 ;;
	*) echo 10 ;;
	esac
}

# peak_of FIGURES - prints the peak memory in the output of read_with.
peak_of()
{
	echo "$2"
}

# measure_two_at_once CALLS - prints how much faster two processors of this machine read two traces than one reads
# them in turn. No parallel reader can be faster than that.
measure_two_at_once()
{
	rm -f "$work/ratio"
	for round in 1 2 3; do
		processors=$last_processor
		one=$(read_with $1 spoor-report)
		processors=0
		read_with $1 spoor-report > "$work/two" &
		processors=$last_processor
		two=$(read_with $1 spoor-report)
		wait $!
		calculate "($(cut -d' ' -f3 "$work/two") + ${two##* }) / ${one##* }" >> "$work/ratio"
	done
	note "two reports at the same time on two processors, against one" "$(median < "$work/ratio")" "x"
}

# compare_processors NAME TOOL... - compares wall time, in turns, and memory of each tool on one processor and on two.
compare_processors()
{
	name=$1
	shift
	for tool; do
		rm -f "$work/one" "$work/two"
		for round in 1 2 3; do
			processors=$last_processor
			read_with "$name" $tool >> "$work/one"
			processors=0,$last_processor
			read_with "$name" $tool >> "$work/two"
		done
		one=$(cut -d' ' -f3 "$work/one" | median)
		two=$(cut -d' ' -f3 "$work/two" | median)
		note "$tool, $name calls, one processor" "$(calculate "$one / 1e6")" "M calls/s of wall time"
		aim_least "$tool, $name calls, two processors" "$(calculate "$two / 1e6")" "M calls/s" \
			"$(calculate "$(least_of $tool) * 1.8")"
		aim_least "$tool, $name calls: two processors, against one" "$(calculate "$two / $one")" "x" 1.8
		aim "$tool, $name calls: peak memory on two processors" \
			"$(calculate "$(cut -d' ' -f2 "$work/two" | median) / 1024")" "MiB" 64
	done
	processors=$last_processor
}

measure_reading()
{
	build_victims
	build_spawning
	heading "Reading a trace, on one processor"
	small=1000000 middle=10000000 large=100000000 read_repeats=5
	test "$rounds" -gt 3 || { middle=2000000 large=10000000 read_repeats=1; }
	processors=$last_processor
	for calls in $small $middle $large; do
		make_traces $calls
	done
	say "a trace of two threads"
	"$spoor" record -o "$work/reading.$middle, 2 threads" -- "$work/victim.spoor" fib 2 $((middle / 2)) log \
		> "$work/reading.$middle, 2 threads.calls"
	test $large -le 10000000 ||
		note "uftrace and llvm-xray read no more than" 10 "M calls: at 100, they take tens of GB of disk or memory"
	for tool in spoor-report spoor-replay spoor-flame spoor-perfetto spoor-chrome uftrace-report uftrace-replay \
		xray-account xray-stack xray-graph xray-convert; do
		speed=$(read_with $middle $tool)
		case $tool in
		spoor-*)
			aim_least "$tool, $middle calls" "$(calculate "${speed%% *} / 1e6")" "M calls/s" "$(least_of $tool)" ;;
		*)
			note "$tool, $middle calls" "$(calculate "${speed%% *} / 1e6")" "M calls/s"
			lot=$(peak_of $speed)
			few=$(peak_of $(read_with $small $tool))
			note "$tool: peak memory for $middle calls" "$(calculate "$lot / 1024")" "MiB"
			note "$tool: peak memory for $small calls" "$(calculate "$few / 1024")" "MiB"
			note "$tool: memory that an event more takes" \
				"$(calculate "($lot - $few) * 1024 / 2 / ($middle - $small)")" "bytes"
			;;
		esac
	done
	read_repeats=1
	for tool in spoor-report spoor-replay spoor-flame spoor-perfetto spoor-chrome; do
		few=$(peak_of $(read_with $small $tool))
		lot=$(peak_of $(read_with $large $tool))
		note "$tool: peak memory for $small calls" "$(calculate "$few / 1024")" "MiB"
		aim "$tool: peak memory for $large calls" "$(calculate "$lot / 1024")" "MiB" 64
		aim "$tool: peak memory for $large calls, against that" "$(calculate "$lot / $few")" "x" 1.1
	done
	heading "Reading a trace, on one processor and on two"
	test $last_processor -eq 0 || {
		measure_two_at_once $middle
		compare_processors "$middle, 2 threads" spoor-report spoor-flame
		for calls in $small $middle $large; do
			compare_processors $calls spoor-report spoor-replay spoor-flame spoor-perfetto spoor-chrome
		done
	}
	rm -rf "$work"/reading.* "$work"/uftrace.* "$work"/xray.[0-9]*
}
