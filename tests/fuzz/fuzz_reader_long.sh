#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz_reader_long.sh - every fuzz target of the reader under libFuzzer, AddressSanitizer and
# UndefinedBehaviorSanitizer, for SPOOR_FUZZ_SECONDS each (default: 5 minutes);
# SPOOR_FUZZ_TARGETS names some of them.
set -eu
golden=$top_builddir/tests/golden
work=$top_builddir/tests/work/fuzz_reader
sources=$(ls "$top_srcdir"/tools/reader/*.c "$top_srcdir"/tools/message.c "$top_srcdir"/tools/progress.c \
	"$top_srcdir"/pass/file_bytes.c "$top_builddir"/pass/symbols.pb-c.c "$top_srcdir"/libspoor/block.c \
	"$top_srcdir"/libspoor/packing.c "$top_srcdir"/libspoor/fortran_name.c "$top_srcdir"/libspoor/readable_name.c \
	"$top_srcdir"/libspoor/source_name.c "$top_srcdir/libspoor/sled_$SPOOR_ARCH.c" "$top_srcdir"/tests/fuzz/fuzz.c)

rm -rf "$work"
mkdir -p "$work/seeds" "$work/trace"
. "$top_srcdir/tests/fuzz/libfuzzer.sh"
have_libfuzzer fuzz_reader_long
"$golden/make_golden" "$work/trace" "$golden/libsample.so"
"$top_builddir/tests/fuzz/make_seeds" "$work/trace" "$work/seeds"
for target in ${SPOOR_FUZZ_TARGETS:-unpack process pool_file block_file symbol_file elf_facts}; do
	corpus=$work/corpus.$target
	mkdir -p "$corpus"
	case $target in
	block_file)
		for process in 4711 4712; do
			cp "$work/trace/$process/process.spoor" "$corpus/process.$process"
			cp "$work/trace/$process/events.spoor" "$corpus/events.$process"
		done ;;
	symbol_file | elf_facts) cp "$golden"/lib*.so "$corpus" ;;
	*) cp "$work/seeds/${target%_file}".* "$corpus" ;;
	esac
	# shellcheck disable=SC2086
	build_target "$target" -DSPOOR_SLED_HEADER="\"sled_$SPOOR_ARCH.h\"" -I"$top_srcdir/libspoor" -I"$top_srcdir/tools" -I"$top_srcdir/pass" \
		-I"$top_builddir/pass" $sources -lelf -liberty -lsnappy -lprotobuf-c
	run_target "$target" "$corpus"
done
exit "$failed"
