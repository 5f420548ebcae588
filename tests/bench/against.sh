# SPDX-License-Identifier: MIT
# against.sh - compares this build with the build of another version; run sources this file.
#
# A round does the same with each build: every second round begins with the other one. A ratio is the median, over the
# rounds, of this build's value divided by the other build's value in that round. The victims of each build are
# compiled from this tree by that build's driver, and each build reads the traces that it wrote.

# in_turns COMMAND... - runs the command once with each build. The command prints lines "value figure"; this function
# writes lines "round build value figure".
in_turns()
{
	local order="other this" build
	test $((round % 2)) = 0 || order="this other"
	for build in $order; do
		say "round $round of $rounds, the $build build: $*"
		use_$build
		"$@" | sed "s/^/$round $build /"
	done
}

use_other() { use_build "$other_build" "$compared/other"; }
use_this() { use_build "$this_build" "$compared/this"; }

# compare_event WAY SHAPE - prints nanoseconds of CPU time of the thread for a call.
compare_event()
{
	run_way "$1" "$2" 1 "$compared_calls" | awk -v figure="$2: $1" '{ print $2 / $1, figure }'
	rm -rf "$work/trace"
}

# renew FILE - replaces the file by a copy. How a file lies in the page cache changes the time to load and to patch it,
# so each round has another copy.
renew()
{
	cp "$1" "$work/copy"
	mv "$work/copy" "$1"
}

# compare_patching PATTERN - prints nanoseconds of CPU time for a function.
compare_patching()
{
	expected=$many
	test "$1" = '*' || expected=$((many / 10))
	renew "$work/many.spoor/libmany.so"
	patch_with spoor "$1" 11 | awk -v figure="patching $1" -v expected=$expected '
		$1 != expected { exit 1 }
		{ print $2 / $1, figure ", the first time"; print $3 / $1, figure ", again" }' ||
		fail "$top_builddir did not patch $expected functions that match $1"
}

# compare_loading with|without - prints microseconds of CPU time.
compare_loading()
{
	renew "$work/many.spoor/libmany.so"
	load_with "$1" "$work/many.spoor/libmany.so" | awk -v figure="dlopen $1 libspoor.so" '{ print $1 / 1000, figure }'
	rm -rf "$work/trace"
}

# compare_start WAY - prints microseconds of wall time from fork to exit.
compare_start()
{
	renew "$work/nothing.plain"
	renew "$work/nothing.spoor"
	start_nothing "$1" 5 | awk -v figure="start and end, $1" '{ print $2 / 1000, figure }'
}

# compare_reading TOOL - prints nanoseconds of CPU time for a call.
compare_reading()
{
	read_with "$compared_calls" "$1" | awk -v figure="$1" '{ print 1e9 / $1, figure }'
}

# make_trace - makes the trace that the current build reads.
make_trace()
{
	build_own_victims
	build_spawning
	"$spoor" record -o "$work/reading.$compared_calls" -- "$work/victim.spoor" fib 1 "$compared_calls" log \
		> "$work/reading.$compared_calls.calls"
}

# turns_PART - measures a part once with each build.
turns_events()
{
	for shape in leaf fib; do
		for way in dormant log record saving-handler bare-handler any-c-handler; do
			in_turns compare_event $way $shape
		done
	done
}

turns_patching()
{
	in_turns compare_patching '*'
	in_turns compare_patching '*_chosen'
}

turns_loading()
{
	in_turns compare_loading without
	in_turns compare_loading with
}

turns_starting()
{
	for way in preloaded dormant traced; do
		in_turns compare_start $way
	done
}

turns_reading()
{
	for tool in spoor-report spoor-replay spoor-flame spoor-perfetto spoor-chrome; do
		in_turns compare_reading $tool
	done
}

# ratios SAMPLES - prints a line for each figure in the file that in_turns wrote.
ratios()
{
	cut -d' ' -f4- "$1" | awk '!seen[$0]++' | while IFS= read -r figure; do
		# Lines "other this ratio", one for each round.
		awk -v figure="$figure" '
			{ round = $1; build = $2; sample = $3; sub(/^[^ ]* [^ ]* [^ ]* /, "") }
			$0 != figure { next }
			{ value[build] = sample }
			round == before { print value["other"], value["this"], value["this"] / value["other"] }
			{ before = round }' "$1" > "$compared/pairs"
		awk -v figure="$figure" -v other="$(cut -d' ' -f1 "$compared/pairs" | median)" \
			-v this="$(cut -d' ' -f2 "$compared/pairs" | median)" \
			-v ratio="$(cut -d' ' -f3 "$compared/pairs" | median)" 'BEGIN {
				printf "  %-4s  %-40s %10.4g %10.4g %8.3f\n", ratio <= 1.03 ? "PASS" : "MISS", figure, other, this, ratio
			}'
	done
}

# measure_against BUILD PART... - compares the parts. BUILD is the build folder of the other version.
measure_against()
{
	other_build=$(cd "$1" && pwd) this_build=$top_builddir compared=$work/against
	read_repeats=1 processors=$last_processor
	shift
	for part; do
		case $part in
		events | patching | loading | starting | reading) ;;
		*) fail "--against compares events, patching, loading, starting and reading, not $part" ;;
		esac
	done
	# Another comparison may have left what another version built.
	rm -rf "$compared"
	mkdir -p "$compared/this" "$compared/other"
	use_other
	use_this
	heading "This build against $other_build, in turns; aim for a ratio: at most 1.03"
	printf '  %-46s %10s %10s %8s\n' medians other this ratio
	for part; do
		rounds=$repeats
		case $part in
		events) unit="ns of CPU time for a call" prepare=build_own_victims ;;
		# A run is short, and half of its time is the kernel's, which varies more.
		patching) unit="ns of CPU time for a function" prepare=build_own_many rounds=$((3 * repeats)) ;;
		loading) unit="us of CPU time" prepare=build_own_many rounds=$((3 * repeats)) ;;
		# Short runs that take turns often: the wall time of each varies by a fifth.
		starting) unit="us of wall time" prepare=build_nothing rounds=$((20 * repeats)) ;;
		reading) unit="ns of CPU time for a call" prepare=make_trace ;;
		esac
		use_other
		($prepare)
		use_this
		($prepare)
		for round in $(seq $rounds); do
			turns_$part
		done > "$compared/$part.samples"
		say ""
		printf '\n  %s, %s rounds: %s\n' "$part" "$rounds" "$unit"
		ratios "$compared/$part.samples"
	done
	rm -rf "$compared"/*/reading.*
}
