#!/bin/sh
# SPDX-License-Identifier: MIT
# golden.sh - compares the output of the tools for the golden trace with expected files, byte for byte.
# SPOOR_UPDATE_GOLDEN=1 rewrites the expected files.
set -eu
spoor=$top_builddir/tools/spoor
golden=$top_srcdir/tests/golden
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TZ=UTC LC_ALL=C
failed=0

# compare NAME STATUS COMMAND... - compares stdout, stderr and exit status with expected/NAME.txt.
compare() {
	name=$1 expected=$2
	shift 2
	status=0
	"$@" >"$work/out" 2>"$work/err" || status=$?
	# Several threads look names up, so messages about files come in any order.
	sed "s/^/stderr: /; s,$work,WORK,g; s,$top_builddir,BUILD,g" "$work/err" | sort >"$work/messages"
	sed "s,$work,WORK,g; s,$top_builddir,BUILD,g" "$work/out" | cat - "$work/messages" >"$work/$name.txt"
	if [ "$status" != "$expected" ]; then
		echo "$name: exit status $status, expected $expected"
		failed=1
	fi
	if [ -n "${SPOOR_UPDATE_GOLDEN-}" ]; then
		cp "$work/$name.txt" "$golden/expected/$name.txt"
	elif ! diff -u "$golden/expected/$name.txt" "$work/$name.txt"; then
		failed=1
	fi
}

"$top_builddir/tests/golden/make_golden" "$work/trace" "$top_builddir/tests/golden/libsample.so"
cd "$work"

compare info 0 "$spoor" info trace
compare replay 0 "$spoor" replay trace
compare replay_options 0 "$spoor" replay --timestamps --depth 2 --no-demangle --thread 4711 trace
compare replay_function 0 "$spoor" replay --function 'b*,*Shape::area*' trace/4711
compare replay_merged 0 "$spoor" replay --merge --timestamps --process 4711 trace
compare replay_slowest 0 "$spoor" replay --slowest 3 --function 'beta,gamma' trace
compare replay_part 0 "$spoor" replay --timestamps --time 8002.9us..7508009.6us --min-duration 2ns --library 'libsample*' trace
compare flame_folded 0 "$spoor" flame --format=folded trace
compare flame_calls 0 "$spoor" flame --format=folded --by=calls --threads trace
compare graph 0 "$spoor" graph trace
compare graph_dot 0 "$spoor" graph --format=dot trace
compare graph_mermaid 0 "$spoor" graph --format=mermaid --around '*area*' trace
compare tree 0 "$spoor" tree trace
compare tree_80 0 env COLUMNS=80 "$spoor" tree --threshold 0 --full-names trace
compare tree_120 0 env COLUMNS=120 "$spoor" tree --threshold 0 --full-names trace
compare tree_callers_80 0 env COLUMNS=80 "$spoor" tree --callers --threshold 0 trace
compare tree_options 0 "$spoor" tree --callers --by-thread --function 'beta,gamma' --depth 3 --threshold 10ns trace
compare tree_json 0 "$spoor" tree --format=json --function '*area*,beta' --limit 8 --color=always trace
compare export_json 0 "$spoor" export --format=json --flat trace
compare export_json_once 0 "$spoor" export --format=json trace
compare export_csv_once 0 "$spoor" export --format=csv trace
compare graph_80 0 env COLUMNS=80 "$spoor" graph --full-names --no-pager trace
# The path of the build decides where lines with it are wrapped.
compare info_80 0 sh -c 'COLUMNS=80 "$0" info --no-pager trace | sed "/golden.libsample.so,/{ /abcd$/!{ N; s/\\n  */ / } }"' "$spoor"
compare export_speedscope 0 "$spoor" export --format=speedscope trace
compare export_callgrind 0 "$spoor" export --format=callgrind trace
compare export_pprof 0 sh -c '"$1" export --format=pprof trace |
	protoc --proto_path="$2" --decode=spoor.pprof.Profile "$2/profile.proto"' - "$spoor" "$golden"
compare report 0 "$spoor" report trace
compare report_csv 0 "$spoor" report --format=csv --sort self trace
compare report_options 0 "$spoor" report --sort calls --limit 3 --function '-alpha' --process 4711 trace
compare report_wide 0 "$spoor" report --columns all --sort p99 --compensate=10ns trace
compare report_threads 0 "$spoor" report --group thread --sort thread trace
compare report_json 0 "$spoor" report --format=json --group library --histogram trace
compare report_histogram 0 "$spoor" report --histogram --function 'gamma,local_*' trace
compare report_diff 0 "$spoor" report --diff --threshold 1ns trace/4711 trace
compare report_diff_json 0 "$spoor" report --diff --format=json --limit 3 trace/4711 trace
compare export_csv 0 "$spoor" export --format=csv --flat trace
compare export_chrome 0 "$spoor" export --format=chrome trace
compare export_perfetto 0 sh -c '"$1" export --format=perfetto trace |
	protoc --proto_path="$2" --decode=spoor.perfetto.Trace "$2/perfetto.proto"' - "$spoor" "$golden"

# These traces were recorded on a machine of each architecture with tests/golden/recorded.c. The program's file is
# not available, so functions are shown by number.
for architecture in aarch64 x86_64; do
	mkdir -p "recorded_$architecture/1"
	cp "$golden/recorded_$architecture/"* "recorded_$architecture/1"
	for command in info replay report; do
		compare "recorded_${architecture}_$command" 0 "$spoor" "$command" "recorded_$architecture"
	done
	compare "recorded_${architecture}_csv" 0 "$spoor" export --format=csv --flat "recorded_$architecture"
done

# Packed traces of the demo, of re2, and of a program in Rust: the lines fit, and most have at most 80 characters.
for program in demo re2 rust; do
	tar xJf "$golden/fits/$program.tar.xz"
	for width in 80 120; do
		for command in report tree; do
			compare "${program}_${command}_$width" 0 env COLUMNS=$width "$spoor" $command --no-pager $program
			awk -v width=$width 'length > width { print FILENAME ": too long: " $0; bad = 1 } END { exit bad }' \
				"$work/${program}_${command}_$width.txt" || failed=1
		done
	done
	for command in report tree; do
		median=$(awk '{ print length }' "$work/${program}_${command}_80.txt" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }')
		[ "$median" -le 80 ] || { echo "$program: the median line of $command has $median characters"; failed=1; }
	done
done

exit "$failed"
