#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz_long.sh - runs every fuzz target with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer,
# each for SPOOR_FUZZ_SECONDS (default: one hour), with one process for each processor.
# SPOOR_FUZZ_TARGETS selects targets. Inputs that fail are kept and named.
set -eu
work=$top_builddir/tests/work/fuzz
golden=$top_builddir/tests/golden
clang=$LLVM_BINDIR/clang
source=$(cd "$top_srcdir" && pwd)
fuzz=$source/tests/fuzz
jobs=$(nproc)

# xargs below calls this script again to run one target.
if [ $# = 1 ]; then
	target=$1
	ASAN_OPTIONS=allocator_may_return_null=1 "$work/build/tests/fuzz/fuzz_$target" -max_total_time="${SPOOR_FUZZ_SECONDS:-3600}" \
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
mkdir -p "$work/seeds"
echo 'int LLVMFuzzerTestOneInput(const char *b, unsigned long n); int LLVMFuzzerTestOneInput(const char *b, unsigned long n) { return !b && n; }' |
	"$clang" -fsanitize=fuzzer,address -x c - -o "$work/probe" 2> "$work/probe.err" || {
	echo "fuzz_long: skipped: this clang has no libFuzzer: $(head -n 1 "$work/probe.err")"
	exit 77
}

[ ! -f "$source/config.status" ] || { echo "fuzz_long: skipped: the source folder itself is configured" >&2; exit 77; }
targets=
for target in "$fuzz"/fuzz_*.c; do
	target=${target##*/fuzz_}
	target=${target%.c}
	case " ${SPOOR_FUZZ_TARGETS:-$target} " in
	*" $target "*) [ "$target" = main ] || targets="$targets $target" ;;
	esac
done
[ -n "$targets" ] || { echo "fuzz_long: unknown target in SPOOR_FUZZ_TARGETS: $SPOOR_FUZZ_TARGETS" >&2; exit 1; }

# A separate build, because the Makefile knows what each target is linked with.
mkdir "$work/build"
(
	unset MAKEFLAGS MFLAGS MAKELEVEL
	cd "$work/build"
	"$source/configure" --silent --enable-sanitizers=address,undefined CC="$clang" \
		CFLAGS="-g -O1 -fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined" &&
		make -s -j"$jobs" libspoor/format/symbols.pb-c.h &&
		# shellcheck disable=SC2086,SC2046
		make -s -j"$jobs" LDFLAGS=-fsanitize=fuzzer $(printf ' tests/fuzz/fuzz_%s' $targets)
) > "$work/build.out" 2>&1 || { tail -n 40 "$work/build.out"; exit 1; }

# Each target begins with its corpus.
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
		echo "fuzz_long: $1 has no corpus" >&2
		exit 1
	}
}

for target in $targets; do
	seed "$target"
done
# shellcheck disable=SC2086
printf '%s\n' $targets | xargs -P "$jobs" -n 1 sh "$0"
