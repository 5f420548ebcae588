#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz_long.sh - the fuzz targets that have a corpus here under libFuzzer, AddressSanitizer and
# UndefinedBehaviorSanitizer, for SPOOR_FUZZ_SECONDS each (default: 5 minutes);
# SPOOR_FUZZ_TARGETS names some of them.
set -eu
work=$top_builddir/tests/fuzz/long_corpus
clang=$LLVM_BINDIR/clang
seconds=${SPOOR_FUZZ_SECONDS:-300}
libspoor=$top_srcdir/libspoor
tools=$top_srcdir/tools

rm -rf "$work"
mkdir -p "$work"
echo 'int LLVMFuzzerTestOneInput(const char *b, unsigned long n); int LLVMFuzzerTestOneInput(const char *b, unsigned long n) { return !b && n; }' |
	"$clang" -fsanitize=fuzzer,address -x c - -o "$work/probe" 2> "$work/probe.err" || {
	echo "fuzz_long: skipped: this clang has no libFuzzer: $(head -n 1 "$work/probe.err")"
	exit 77
}
case $(uname -m) in
x86_64) arch=x86_64 ;;
*) arch=$(uname -m) ;;
esac
trace="$libspoor/block.c $libspoor/drain.c $libspoor/slice_words.c $libspoor/packing.c $libspoor/pattern.c $libspoor/source_name.c"
configuration="$libspoor/configuration.c $libspoor/configuration_sources.c $libspoor/expansion.c $libspoor/toml.c
	$libspoor/message.c $libspoor/quiet.c $libspoor/pattern.c"

# What a target is made of, beside itself.
sources()
{
	case $1 in
	configuration | toml) echo "$configuration" ;;
	drain) echo "$trace" ;;
	driver_words) echo "$tools/driver_words.c" ;;
	elf_image) echo "$libspoor/elf_image.c" ;;
	pattern) echo "$libspoor/pattern.c" ;;
	recorder) echo "$trace $tools/recorder.c $tools/message.c $tools/progress.c" ;;
	sled) echo "$libspoor/sled_$arch.c" ;;
	*) echo "fuzz_long: $1: nobody has said what it is made of" >&2; exit 1 ;;
	esac
}

failed=0
for seeds in "$top_srcdir"/tests/fuzz/corpus/*; do
	target=${seeds##*/}
	case " ${SPOOR_FUZZ_TARGETS:-$target} " in
	*" $target "*) ;;
	*) continue ;;
	esac
	cp -R "$seeds" "$work/corpus.$target"
	chmod -R u+w "$work/corpus.$target"
	made_of=$(sources "$target")
	include=$libspoor
	case $target in
	driver_words | recorder) include=$tools ;;
	esac
	# shellcheck disable=SC2086
	"$clang" -std=gnu11 -g -O1 -D_GNU_SOURCE= -Wno-macro-redefined -I"$include" -I"$libspoor" -I"$top_builddir" \
		-DSPOOR_SYSTEM_HEADER="\"system_$arch.h\"" -DSPOOR_SLED_HEADER="\"sled_$arch.h\"" \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -pthread \
		-o "$work/fuzz_$target" "$top_srcdir/tests/fuzz/fuzz_$target.c" $made_of
	ASAN_OPTIONS=allocator_may_return_null=1 "$work/fuzz_$target" -max_total_time="$seconds" \
		-max_len=65536 -timeout=20 -rss_limit_mb=4096 -close_fd_mask=2 -artifact_prefix="$work/$target." \
		"$work/corpus.$target" > "$work/$target.log" 2>&1 || {
		echo "fuzz_long: $target: see $work/$target.log"
		grep -E 'ERROR|runtime error|SUMMARY|Test unit|rror:' "$work/$target.log" | head -5
		failed=1
	}
	grep -E 'stat::number_of_executed_units|^Done' "$work/$target.log" | sed "s/^/$target: /" || true
done
exit "$failed"
