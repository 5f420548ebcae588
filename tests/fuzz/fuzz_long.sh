#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz_long.sh - every fuzz target under libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer,
# for SPOOR_FUZZ_SECONDS each (default: one hour), as many at a time as there are processors;
# SPOOR_FUZZ_TARGETS names some of them. What is found is kept, and named.
set -eu
work=$top_builddir/tests/work/fuzz
golden=$top_builddir/tests/golden
clang=$LLVM_BINDIR/clang
fuzz=$top_srcdir/tests/fuzz

# As xargs calls it below: runs one target.
if [ $# = 1 ]; then
	target=$1
	ASAN_OPTIONS=allocator_may_return_null=1 "$work/fuzz_$target" -max_total_time="${SPOOR_FUZZ_SECONDS:-3600}" \
		-print_final_stats=1 -max_len=65536 -timeout=20 -rss_limit_mb=4096 -close_fd_mask=2 \
		-artifact_prefix="$work/$target." "$work/corpus.$target" > "$work/$target.log" 2>&1 || {
		echo "$target: see $work/$target.log"
		grep -E 'ERROR|runtime error|SUMMARY|Test unit|rror:' "$work/$target.log" | head -5
		exit 1
	}
	inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
	echo "$target: ${inputs:-0} inputs"
	[ "${inputs:-0}" -gt 0 ]
	exit
fi

rm -rf "$work"
mkdir -p "$work/seeds" "$work/objects"
echo 'int LLVMFuzzerTestOneInput(const char *b, unsigned long n); int LLVMFuzzerTestOneInput(const char *b, unsigned long n) { return !b && n; }' |
	"$clang" -fsanitize=fuzzer,address -x c - -o "$work/probe" 2> "$work/probe.err" || {
	echo "fuzz_long: skipped: this clang has no libFuzzer: $(head -n 1 "$work/probe.err")"
	exit 77
}

# What targets are made of, once for all of them: headers beside a file come before others of their name.
sources=
for name in block configuration configuration_sources drain drain_batch drainable elf_image expansion fortran_name \
	line_table mailbox message packing pattern quiet rank readable_name signal_name "sled_$SPOOR_ARCH" slice_words \
	source_lines source_name operand_value probe_notes sdt_operand stapsdt_note toml trigger_text watch watch_calls; do
	sources="$sources $top_srcdir/libspoor/$name.c"
done
for name in call_rates ctl_status driver_words drainer_mark http_request live_pool message output progress recorded_pool recorder recorder_callers; do
	sources="$sources $top_srcdir/tools/$name.c"
done
for name in file_bytes filters filters_file xray_list; do
	sources="$sources $top_srcdir/pass/$name.c"
done
sources="$sources $(echo "$top_srcdir"/tools/reader/*.c) $top_builddir/pass/symbols.pb-c.c $fuzz/fuzz.c"
options="-std=gnu11 -g -O1 -D_GNU_SOURCE= -Wno-macro-redefined -pthread -I$top_srcdir/tools -I$top_srcdir/libspoor
	-I$top_srcdir/pass -I$top_builddir -I$top_builddir/pass
	-DSPOOR_SYSTEM_HEADER=\"system_$SPOOR_ARCH.h\" -DSPOOR_SLED_HEADER=\"sled_$SPOOR_ARCH.h\"
	-DSPOOR_QUARTER_HEADER=\"quarter_$SPOOR_ARCH.h\"
	-fno-sanitize-recover=undefined"
jobs=$(nproc)
for source in $sources; do
	folder=${source%/*}
	echo "$source $work/objects/${folder##*/}_$(basename "$source" .c).o"
done | xargs -P "$jobs" -L 1 sh -c '
	"$0" $1 -fsanitize=fuzzer-no-link,address,undefined -c -o "$3" "$2"' "$clang" "$options"
ar rc "$work/libtargets.a" "$work"/objects/*.o

# Where targets begin.
"$golden/make_golden" "$work/trace" "$golden/libsample.so"
"$top_builddir/tests/fuzz/make_seeds" "$work/trace" "$work/seeds"
seed()
{
	corpus=$work/corpus.$1
	mkdir -p "$corpus"
	[ ! -d "$fuzz/corpus/$1" ] || cp -R "$fuzz/corpus/$1/." "$corpus"
	case $1 in
	block_file)
		for process in 4711 4712; do
			cp "$work/trace/$process/process.spoor" "$corpus/process.$process"
			cp "$work/trace/$process/events.spoor" "$corpus/events.$process"
		done ;;
	symbol_file | elf_facts) cp "$golden"/lib*.so "$corpus" ;;
	unpack | process | pool_file) cp "$work/seeds/${1%_file}".* "$corpus" ;;
	esac
	chmod -R u+w "$corpus"
	[ -n "$(ls "$corpus")" ] || {
		echo "fuzz_long: $1 has nothing to begin with" >&2
		exit 1
	}
}

targets=
for target in "$fuzz"/fuzz_*.c; do
	target=${target##*/fuzz_}
	target=${target%.c}
	case " ${SPOOR_FUZZ_TARGETS:-$target} " in
	*" $target "*) [ "$target" = main ] || targets="$targets $target" ;;
	esac
done
[ -n "$targets" ] || { echo "fuzz_long: no such target: $SPOOR_FUZZ_TARGETS" >&2; exit 1; }
for target in $targets; do
	seed "$target"
	echo "$target"
done | xargs -P "$jobs" -n 1 sh -c '
	"$0" $1 -fsanitize=fuzzer,address,undefined -o "$3/fuzz_$4" "$2/fuzz_$4.c" "$3/libtargets.a" \
		-lelf -ldw -liberty -lsnappy -lprotobuf-c -lz' "$clang" "$options" "$fuzz" "$work"
# shellcheck disable=SC2086
printf '%s\n' $targets | xargs -P "$jobs" -n 1 sh "$0"
