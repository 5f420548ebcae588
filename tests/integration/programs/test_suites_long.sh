#!/bin/sh
# SPDX-License-Identifier: MIT
# test_suites_long.sh - the test suites of zstd, libxml2, re2 and fmt, from Debian's sources, have the same passes and
# failures as uninstrumented: with dormant sleds, with awake sleds, and with injected calls; at -O0, -O2, -O3, and -O2
# with ThinLTO. Their configure scripts find the same results too.
#
# Under an emulator only the parts of zstd and re2 run that take less than half an hour, at -O2, with awake sleds.
#
# SPOOR_SUITES and SPOOR_LEVELS ("O0 O2 O3 thin") select some of them.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
. "$top_srcdir/tests/integration/support/debian_source.sh"
work_folder test_suites
work=$PWD
unset $(env | sed -n 's/^\(SPOOR_\(INSTRUMENTATION\|RUNTIME\)_[A-Z_]*\)=.*/\1/p') LD_PRELOAD MAKEFLAGS MFLAGS MAKELEVEL
# Injected calls must be linked with a runtime; the preloaded runtime replaces this stub library.
stub_library=$top_builddir/libspoor/stub/.libs
sources=$top_builddir/tests/work/sources
jobs=$(nproc)
emulated=
[ "$SPOOR_ARCH" = "$(uname -m)" ] || emulated=1
if [ -n "$emulated" ]; then
	llvm_bin=$LLVM_BINDIR clang=$LLVM_BINDIR/clang clangxx=$LLVM_BINDIR/clang++
	libspoor=$top_builddir/tests/cross/\$LIB/libspoor.so
	suites='zstd re2' levels=O2 instrumented=sled
else
	use_llvm "$LLVM_MAJOR" || fail "there is no plugin for LLVM $LLVM_MAJOR"
	libspoor=$top_builddir/libspoor/.libs/libspoor.so
	suites='libxml2 zstd re2 fmt' levels='O0 O2 O3 thin' instrumented='sled call'
fi
ar=$llvm_bin/llvm-ar nm=$llvm_bin/llvm-nm ranlib=$llvm_bin/llvm-ranlib
mkdir -p "$sources"

# build WAY - builds the suite in the folder WAY, with $cc and $cxx.
build()
{
	mkdir "$1"
	(cd "$1" && suite_build) > "$1.build" 2>&1 || fail "$suite $level $1 does not build: $(tail -n 5 "$1.build")"
	(cd "$1" && suite_configured) > "$1.configured" 2>&1
}

# run BUILD RESULT [VARIABLE...] - runs the suite in the folder BUILD, with these variables.
run()
{
	(
		cd "$1"
		shift 2
		for variable; do
			export "$variable"
		done
		suite_run
	) > "$2" 2>&1 || true
	[ -s "$2" ] || fail "$suite $level $2: no results"
	! grep -w 'not found\|status 12[67]\|no result' "$2" > absent || fail "$suite $level $2: $(head -n 1 absent)"
	[ $# = 2 ] || ls "$work"/trace/*/process.spoor > traced 2>&1 ||
		fail "$suite $level $2: there is no trace: $(cat traced)"
	rm -rf "$work/trace"
}

# same FILE FILE - compares lists of passes and failures, or results of configure.
same()
{
	sed "s|$PWD/[a-z]*/||g; s|$PWD/[a-z]*||g" "$1" > left
	sed "s|$PWD/[a-z]*/||g; s|$PWD/[a-z]*||g" "$2" > right
	diff left right > difference || fail "$suite $level: $1 and $2 differ: $(head -n 20 difference)"
}

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
		for way in $instrumented; do
			cc="$driver_c -fspoor-mode=$way" cxx="$driver_cxx -fspoor-mode=$way"
			[ $way != call ] || ldflags="$ldflags -L$stub_library -lspoor_stub -Wl,-rpath,$stub_library"
			build $way
			same plain.configured $way.configured
			run $way $way.list SPOOR_RUNTIME_MODE=ring "SPOOR_RUNTIME_TRACE_PATH=$work/trace" "LD_PRELOAD=$libspoor"
			same plain.list $way.list
		done
		if [ -z "$emulated" ]; then
			run sled dormant.list
			same plain.list dormant.list
		fi
		echo "$suite -$level: the same $(wc -l < plain.list) lines in each of $(ls -- *.list | wc -l) runs"
		rm -rf plain sled call
	done
done
