#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz_long.sh - the fuzz targets that have a corpus here under libFuzzer, AddressSanitizer and
# UndefinedBehaviorSanitizer, for SPOOR_FUZZ_SECONDS each (default: 5 minutes);
# SPOOR_FUZZ_TARGETS names some of them.
set -eu
work=$top_builddir/tests/work/fuzz
libspoor=$top_srcdir/libspoor
tools=$top_srcdir/tools
pass=$top_srcdir/pass

rm -rf "$work"
mkdir -p "$work"
. "$top_srcdir/tests/fuzz/libfuzzer.sh"
have_libfuzzer fuzz_long
arch=$SPOOR_ARCH
# What libtrace and libconfiguration are made of, and the reader.
trace=
for name in block drain drain_batch drainable mailbox packing pattern slice_words fortran_name source_name watch watch_calls; do
	trace="$trace $libspoor/$name.c"
done
configuration=
for name in configuration configuration_sources expansion message pattern quiet rank signal_name toml trigger_text; do
	configuration="$configuration $libspoor/$name.c"
done
symbols="$pass/file_bytes.c $top_builddir/pass/symbols.pb-c.c"
reader="$(ls "$tools"/reader/*.c) $libspoor/readable_name.c $symbols $tools/message.c $tools/progress.c"

# What a target is made of, beside itself.
sources()
{
	case $1 in
	count_file) echo "$tools/reader/count_file.c $tools/message.c $tools/progress.c $top_srcdir/tests/fuzz/fuzz.c" ;;
	configuration | toml) echo "$configuration" ;;
	drain) echo "$trace" ;;
	driver_words) echo "$tools/driver_words.c" ;;
	elf_image) echo "$libspoor/elf_image.c $libspoor/line_table.c $libspoor/source_lines.c" ;;
	filters) echo "$libspoor/toml.c $libspoor/pattern.c $pass/filters.c $pass/filters_file.c $pass/xray_list.c $pass/file_bytes.c" ;;
	mailbox) echo "$trace $tools/ctl_status.c $tools/live_pool.c $tools/output.c $tools/message.c $tools/progress.c" ;;
	order_file) echo "$tools/reader/order_file.c $tools/message.c $tools/progress.c $top_srcdir/tests/fuzz/fuzz.c" ;;
	pattern) echo "$libspoor/pattern.c" ;;
	recorder) echo "$trace $tools/drainer_mark.c $tools/recorded_pool.c $tools/recorder.c $tools/message.c $tools/progress.c" ;;
	process | sdt_notes) echo "$trace $reader $top_srcdir/tests/fuzz/fuzz.c -lelf -liberty -lsnappy -lprotobuf-c" ;;
	sdt_operand) echo "$tools/reader/sdt_operand.c" ;;
	sled) echo "$libspoor/sled_$arch.c" ;;
	unit_symbols) echo "$tools/reader/unit_symbols.c $symbols $top_srcdir/tests/fuzz/fuzz.c -lelf -lprotobuf-c" ;;
	version0) echo "$trace $reader $top_srcdir/tests/fuzz/fuzz.c -lelf -liberty -lsnappy -lprotobuf-c" ;;
	*) echo "fuzz_long: $1: nobody has said what it is made of" >&2; exit 1 ;;
	esac
}

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
	count_file | driver_words | mailbox | order_file | process | recorder | sdt_notes | sdt_operand | unit_symbols | version0) include=$tools ;;
	filters) include=$pass ;;
	esac
	# shellcheck disable=SC2086
	build_target "$target" -I"$include" -I"$libspoor" -I"$pass" -I"$top_builddir/pass" \
		-DSPOOR_SYSTEM_HEADER="\"system_$arch.h\"" -DSPOOR_SLED_HEADER="\"sled_$arch.h\"" $made_of
	run_target "$target" "$work/corpus.$target" -close_fd_mask=2
done
exit "$failed"
