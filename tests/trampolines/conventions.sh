#!/bin/sh
# SPDX-License-Identifier: MIT
# conventions.sh - calls of every calling convention give the same results through sleds, with events logged, with
# arguments and results stored, and with handlers that change all registers that they may change.
set -eu

here=$top_srcdir/tests/trampolines
work=$top_builddir/tests/work/conventions
rm -rf "$work"
mkdir -p "$work"
cd "$work"

flags="-I$top_srcdir/libspoor/include -I$here -Wall -Wextra -Wno-psabi"
flags="$flags -DCLOBBER_HEADER=\"clobber_$SPOOR_ARCH.h\" -DCONVENTIONS_HEADER=\"conventions_$SPOOR_ARCH.h\""
arch=
# AArch64 code uses scalable vectors and matrices if the machine has them.
[ "$SPOOR_ARCH" != aarch64 ] || arch=-march=armv8-a+sve+sme
for candidate in avx512bw avx; do
	if [ "$SPOOR_ARCH" = x86_64 ] && grep -qw "$candidate" /proc/cpuinfo; then
		arch="-m$candidate"
		break
	fi
done

levels='-O0 -O1 -O2 -Os'
# Emulators are slow.
[ "$SPOOR_ARCH" = "$(uname -m)" ] || [ -n "${SPOOR_LONG-}" ] || levels='-O0 -O2'
"$LLVM_BINDIR/clang" -c "$here/clobber_$SPOOR_ARCH.S" -o clobber.o
for level in $levels; do
	# shellcheck disable=SC2086
	"$SPOOR_DRIVERS/spoor-cc" $level $arch $flags "$here/conventions.c" clobber.o -o "conventions$level"
	"./conventions$level" log || { echo "$level: wrong without libspoor.so" >&2; exit 1; }
	for mode in values log saving bare any; do
		rm -rf trace
		# values: events are logged with the arguments and results of all functions.
		wanted='' how=$mode
		[ "$mode" != values ] || wanted='*' how=log
		if ! SPOOR_RUNTIME_ARGS=$wanted SPOOR_RUNTIME_RETVAL=$wanted SPOOR_RUNTIME_TRACE_PATH=$work/trace LD_PRELOAD=$top_builddir/libspoor/.libs/libspoor.so \
			"./conventions$level" "$how" 2> said; then
			echo "$level: wrong in mode $mode: $(cat said)" >&2
			exit 1
		fi
		[ "$how" != log ] || [ -s "trace/$(ls trace)/events.spoor" ]
	done
done
rm -rf "$work"
