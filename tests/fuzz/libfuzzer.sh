# SPDX-License-Identifier: MIT
# libfuzzer.sh - What the scripts that fuzz under libFuzzer, AddressSanitizer and
# UndefinedBehaviorSanitizer share; to be read with `.` where work, a folder, is set.
clang=$LLVM_BINDIR/clang
failed=0

# have_libfuzzer NAME: ends the script as skipped where this clang has none.
have_libfuzzer()
{
	echo 'int LLVMFuzzerTestOneInput(const char *b, unsigned long n); int LLVMFuzzerTestOneInput(const char *b, unsigned long n) { return !b && n; }' |
		"$clang" -fsanitize=fuzzer,address -x c - -o "$work/probe" 2> "$work/probe.err" || {
		echo "$1: skipped: this clang has no libFuzzer: $(head -n 1 "$work/probe.err")"
		exit 77
	}
}

# build_target TARGET SOURCE-OR-OPTION...
build_target()
{
	built=$1
	shift
	"$clang" -std=gnu11 -g -O1 -D_GNU_SOURCE= -Wno-macro-redefined -I"$top_builddir" \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -pthread \
		-o "$work/fuzz_$built" "$top_srcdir/tests/fuzz/fuzz_$built.c" "$@"
}

# run_target TARGET CORPUS [OPTION...]: for SPOOR_FUZZ_SECONDS (5 minutes); sets failed.
run_target()
{
	run=$1 corpus=$2
	shift 2
	ASAN_OPTIONS=allocator_may_return_null=1 "$work/fuzz_$run" -max_total_time="${SPOOR_FUZZ_SECONDS:-300}" \
		-max_len=65536 -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$work/$run." "$@" "$corpus" \
		> "$work/$run.log" 2>&1 || {
		echo "$run: see $work/$run.log"
		grep -E 'ERROR|runtime error|SUMMARY|Test unit|rror:' "$work/$run.log" | head -5
		failed=1
	}
	grep -E 'stat::number_of_executed_units|^Done' "$work/$run.log" | sed "s/^/$run: /" || true
}
