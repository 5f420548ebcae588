#!/bin/sh
# SPDX-License-Identifier: MIT
# test_suites_long.sh - the test suites of zstd, libxml2, re2 and fmt, from Debian's sources, have the same passes and
# failures as uninstrumented: with dormant sleds, with awake sleds, and with injected calls; at -O0, -O2, -O3, and -O2
# with ThinLTO. Their configure scripts find the same results too. The suites without sleds, with all library calls
# recorded, run at -O2 only, because the level changes no library.
#
# Under an emulator only the parts of zstd and re2 run that take less than half an hour, at -O2, with awake sleds.
#
# SPOOR_SUITES, SPOOR_LEVELS ("O0 O2 O3 thin") and SPOOR_WAYS ("sled call library") select some of them.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
. "$top_srcdir/tests/integration/support/debian_source.sh"
work_folder test_suites
work=$PWD
unset $(env | sed -n 's/^\(SPOOR_\(INSTRUMENTATION\|RUNTIME\)_[A-Z_]*\)=.*/\1/p') LD_PRELOAD MAKEFLAGS MFLAGS MAKELEVEL
# Injected calls must be linked with a runtime; the preloaded runtime replaces this stub library.
stub_library=$top_builddir/libspoor/stub/.libs
emulated=
[ "$SPOOR_ARCH" = "$(uname -m)" ] || emulated=1
if [ -n "$emulated" ]; then
	llvm_bin=$LLVM_BINDIR clang=$LLVM_BINDIR/clang clangxx=$LLVM_BINDIR/clang++
	libspoor=$top_builddir/tests/cross/\$LIB/libspoor.so
	suites='zstd re2' levels=O2 instrumented=sled
else
	use_llvm "$LLVM_MAJOR" || fail "there is no plugin for LLVM $LLVM_MAJOR"
	libspoor=$top_builddir/libspoor/.libs/libspoor.so
	suites='libxml2 zstd re2 fmt' levels='O0 O2 O3 thin' instrumented='sled call library'
fi
ar=$llvm_bin/llvm-ar nm=$llvm_bin/llvm-nm ranlib=$llvm_bin/llvm-ranlib
. "$top_srcdir/tests/integration/support/suite_runs.sh"

for suite in ${SPOOR_SUITES:-$suites}; do
	. "$top_srcdir/tests/programs/suites/$suite.sh"
	debian_source "$suite_package" "$sources"
	for level in ${SPOOR_LEVELS:-$levels}; do
		mkdir -p "$work/$suite/$level"
		cd "$work/$suite/$level"
		flags="-$level -w" ldflags=
		[ "$level" != thin ] || flags='-O2 -flto=thin -w' ldflags='-flto=thin -fuse-ld=lld'
		cc=$clang cxx=$clangxx
		build plain
		run plain plain.list
		for way in ${SPOOR_WAYS:-$instrumented}; do
			if [ $way = library ]; then
				[ "$level" = O2 ] || continue
				run plain library.list SPOOR_RUNTIME_MODE=ring 'SPOOR_RUNTIME_LIBRARY_CALLS=*' \
					"SPOOR_RUNTIME_TRACE_PATH=$work/trace" "LD_PRELOAD=$libspoor"
				same plain.list library.list
				continue
			fi
			cc="$driver_c -fspoor-mode=$way" cxx="$driver_cxx -fspoor-mode=$way"
			[ $way != call ] || ldflags="$ldflags -L$stub_library -lspoor_stub -Wl,-rpath,$stub_library"
			build $way
			same plain.configured $way.configured
			run $way $way.list SPOOR_RUNTIME_MODE=ring "SPOOR_RUNTIME_TRACE_PATH=$work/trace" "LD_PRELOAD=$libspoor"
			same plain.list $way.list
		done
		if [ -z "$emulated" ] && [ -d sled ]; then
			run sled dormant.list
			same plain.list dormant.list
		fi
		echo "$suite -$level: the same $(wc -l < plain.list) lines in each of $(ls -- *.list | wc -l) runs"
		rm -rf plain sled call
	done
done
