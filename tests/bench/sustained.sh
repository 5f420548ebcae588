# SPDX-License-Identifier: MIT
# sustained.sh - measures logging for a minute while the drainer writes the events; run sources this file.

# compare_with_floor - measures logging between two measurements of the floor.
compare_with_floor()
{
	heading "Logging for $sustained_seconds seconds, one thread, with the writer at work"
	for what in leaf fib; do
		samples=$work/sustained.$what
		for round in $(seq $sustained_rounds); do
			for way in plain floor log floor plain; do
				say "$what, round $round of $sustained_rounds: $way"
				seconds=$((sustained_seconds / 6 + 1))
				test $way = log && seconds=$sustained_seconds
				result=$(run_way $way $what 1 ${seconds}s)
				facts=$(trace_facts $way "$result")
				echo "$round $way $result $facts"
			done
		done > "$samples"
		rm -rf "$work/trace"
		say ""
		awk '
			{ calls[$1, $2] += $3; cpu[$1, $2] += $4; rounds = $1 }
			END {
				for (r = 1; r <= rounds; r++) {
					plain = cpu[r, "plain"] / calls[r, "plain"]
					print (cpu[r, "log"] / calls[r, "log"] - plain) / (cpu[r, "floor"] / calls[r, "floor"] - plain)
				}
			}' "$samples" > "$samples.ratio"
		aim "$what: logging, against the floor" "$(median < "$samples.ratio")" "x" 1.15
		awk '$2 == "log" { calls += $3; cpu += $4; wall += $5; lost += $6; bytes += $7 } END {
			printf "        %.0f events, %.0f lost, CPU %.2f and wall %.2f ns an event, %.2f bytes an event on disk\n",
				2 * calls, lost, cpu / calls / 2, wall / calls / 2, bytes / calls / 2
		}' "$samples"
	done
}

# load WAY THREADS AMOUNT - runs the leaf loop and prints: events made, kept and lost; CPU and wall nanoseconds of
# the threads that make them; CPU nanoseconds of the rest, mainly the drainer; peak memory in KiB; bytes on disk.
load()
{
	trace=$work/trace
	rm -rf "$trace" "$work/xray.load."*
	case $1 in
	record) set -- $1 $2 "$spoor" record -q -o "$trace" -- "$work/victim.spoor" leaf $2 $3 log ;;
	log) set -- $1 $2 "SPOOR_RUNTIME_TRACE_PATH=$trace" "LD_PRELOAD=$runtime" "$work/victim.spoor" leaf $2 $3 log ;;
	uftrace) set -- $1 $2 uftrace record -d "$trace" "$work/victim.uftrace" leaf $2 $3 ;;
	xray-fdr) set -- $1 $2 "XRAY_OPTIONS=xray_logfile_base=$work/xray.load." "$work/victim.xray" leaf $2 $3 fdr-file ;;
	esac
	way=$1 threads=$2
	shift 2
	total=$("$work/spawning" -o "$work/load.out" 1 "$@" 2> "$work/load.err") || fail "$way: $(cat "$work/load.err")"
	set -- $total
	all_cpu=$1 peak=$3
	set -- $(cat "$work/load.out")
	# The trace includes the first batch, which is not timed.
	made=$((2 * ($1 + threads * 200000)))
	case $way in
	record | log) kept=$(recorded_events "$trace") lost=$(lost_events "$trace") ;;
	uftrace) kept=$(($(cat "$trace"/*.dat | wc -c) / 16)) lost=$((made > kept ? made - kept : 0)) ;;
	xray-fdr)
		mv "$work/xray.load."* "$trace"
		kept=$(($(stat -c %s "$trace") / 8)) lost=$((made > kept ? made - kept : 0)) ;;
	esac
	echo $((2 * $1)) $kept $lost $2 $3 $((all_cpu - $2)) $peak "$(du -sB1 "$trace" | cut -f1)"
	rm -rf "$trace"
}

# load_line NAME THREADS FIGURES - prints a line. FIGURES are the output of load.
load_line()
{
	awk -v name="$1" -v threads=$2 -v figures="$3" 'BEGIN {
		split(figures, f, " ")
		seconds = f[5] / threads / 1e9
		printf "  %-16s %8.1f %9.1f %9.2f %9.2f %9.2f %9.2f %9.1f\n", name, f[1] / seconds / 1e6,
			f[2] + f[3] ? 100 * f[3] / (f[2] + f[3]) : 0, f[4] / f[1], f[5] / f[1], f[6] / seconds / 1e9,
			f[2] ? f[8] / f[2] : 0, f[7] / 1024
	}'
}

# find_rate THREADS FIGURES - searches the highest rate without losses, from the rate of `record` at full speed.
find_rate()
{
	set -- $1 $2
	if test $4 -eq 0; then
		note "threads: $1; no event was lost at full rate" "$(calculate "$2 / ($6 / $1 / 1e9) / 1e6")" "M events/s"
		return
	fi
	rate=$(calculate "int($3 / 2 / ($6 / 1e9) * 0.98)")
	for try in 1 2 3 4 5 6; do
		say "$1 threads, $(calculate "2 * $1 * $rate / 1e6") M events a second"
		figures=$(load record $1 ${sustained_seconds}s@$rate)
		test "$(echo $figures | cut -d' ' -f3)" -gt 0 || break
		rate=$(calculate "int($rate * 0.92)")
	done
	test "$(echo $figures | cut -d' ' -f3)" -eq 0 || { note "threads: $1; something is lost at" \
		"$(calculate "2 * $1 * $rate / 0.92 / 1e6")" "M events/s"; return; }
	load_line "record, no loss" $1 "$figures"
}

measure_load()
{
	heading "Logging for $sustained_seconds seconds at full rate; uftrace and XRay for $rival_seconds, for they fill disks"
	for threads in 1 2; do
		printf '\n  %-16s %8s %9s %9s %9s %9s %9s %9s\n' "leaf, $threads thr." "M ev/s" "% lost" "CPU ns/ev" \
			"wall/ev" "writer" "B/event" "peak MiB"
		for way in record log uftrace xray-fdr; do
			seconds=$sustained_seconds
			case $way in uftrace | xray-fdr) seconds=$rival_seconds ;; esac
			say "$way, $threads threads"
			figures=$(load $way $threads ${seconds}s)
			load_line $way $threads "$figures"
			test $way != record || full=$figures
		done
		find_rate $threads "$full"
	done
	echo
	echo "  The writer's figure is a number of processors: 0.5 is half of one. The losses of uftrace and XRay are the events"
	echo "  that are missing in their files, which have 16 and 8 bytes an event."
}

measure_sustained()
{
	build_victims
	build_spawning
	compare_with_floor
	measure_load
}
