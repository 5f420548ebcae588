#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz_reader_long.sh - every fuzz target of the reader under libFuzzer, AddressSanitizer and
# UndefinedBehaviorSanitizer, for SPOOR_FUZZ_SECONDS each (default: 5 minutes);
# SPOOR_FUZZ_TARGETS names some of them.
set -eu
golden=$top_builddir/tests/golden
work=$top_builddir/tests/fuzz/long
clang=$LLVM_BINDIR/clang
seconds=${SPOOR_FUZZ_SECONDS:-300}
sources=$(ls "$top_srcdir"/tools/reader/*.c "$top_srcdir"/tools/message.c "$top_srcdir"/tools/progress.c \
	"$top_srcdir"/libspoor/block.c "$top_srcdir"/libspoor/packing.c "$top_srcdir"/libspoor/source_name.c "$top_srcdir"/tests/fuzz/fuzz.c)

rm -rf "$work"
mkdir -p "$work/seeds" "$work/trace"
echo 'int LLVMFuzzerTestOneInput(const char *b, unsigned long n); int LLVMFuzzerTestOneInput(const char *b, unsigned long n) { return !b && n; }' |
	"$clang" -fsanitize=fuzzer,address -x c - -o "$work/probe" 2> "$work/probe.err" || {
	echo "fuzz_reader_long: skipped: this clang has no libFuzzer: $(head -n 1 "$work/probe.err")"
	exit 77
}
"$golden/make_golden" "$work/trace" "$golden/libsample.so"
"$top_builddir/tests/fuzz/make_seeds" "$work/trace" "$work/seeds"
failed=0
for target in ${SPOOR_FUZZ_TARGETS:-unpack process pool_file block_file symbol_file}; do
	corpus=$work/corpus.$target
	mkdir -p "$corpus"
	case $target in
	block_file)
		for process in 4711 4712; do
			cp "$work/trace/$process/process.spoor" "$corpus/process.$process"
			cp "$work/trace/$process/events.spoor" "$corpus/events.$process"
		done ;;
	symbol_file) cp "$golden"/lib*.so "$corpus" ;;
	*) cp "$work/seeds/${target%_file}".* "$corpus" ;;
	esac
	# shellcheck disable=SC2086
	"$clang" -std=gnu11 -g -O1 -D_GNU_SOURCE= -I"$top_srcdir/libspoor" -I"$top_srcdir/tools" \
		-I"$top_builddir" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		-o "$work/fuzz_$target" "$top_srcdir/tests/fuzz/fuzz_$target.c" $sources -lelf -liberty
	ASAN_OPTIONS=allocator_may_return_null=1 "$work/fuzz_$target" -max_total_time="$seconds" \
		-max_len=65536 -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$work/$target." "$corpus" \
		> "$work/$target.log" 2>&1 || {
		echo "fuzz_reader_long: $target: see $work/$target.log"
		grep -E 'ERROR|runtime error|SUMMARY|Test unit' "$work/$target.log" | head -5
		failed=1
	}
	grep -E 'stat::number_of_executed_units|^Done' "$work/$target.log" | sed "s/^/$target: /" || true
done
exit "$failed"
