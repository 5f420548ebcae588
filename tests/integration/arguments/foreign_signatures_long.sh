#!/bin/sh
# SPDX-License-Identifier: MIT
# foreign_signatures_long.sh - the arguments and results of Rust and Fortran functions with random signatures are those that
# the programs print themselves: by rustc through the plugin in the linker, by flang, and by gfortran.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
work_folder foreign_signatures
here=$top_srcdir/tests/integration/arguments
done=0

# compared PROGRAM - runs it, and compares what it prints with its trace.
compared()
{
	rm -rf made.trace
	SPOOR_RUNTIME_FUNCTIONS='made_*' SPOOR_RUNTIME_ARGS='*' SPOOR_RUNTIME_RETVAL='*' \
		SPOOR_RUNTIME_TRACE_PATH=made.trace LD_PRELOAD=$libspoor "$1" > printed 2> said || fail "$1: status $?: $(cat said)"
	[ ! -s said ] || fail "$1: it printed: $(cat said)"
	"$spoor" replay --no-pager made.trace > replayed
	python3 "$here/made_signatures.py" compare printed replayed || fail "$1: the values differ"
	done=$((done + 1))
}

use_llvm 22 || fail "there is no plugin for LLVM 22"
for seed in 1 2; do
	if command -v rustc > /dev/null && rustc --version -v | grep -q 'LLVM version: 22'; then
		python3 "$here/made_foreign.py" rust "$seed" 100 > made.rs
		for level in 1 2 3; do
			SPOOR_CC=$clang rustc -A warnings -C opt-level=$level -C linker-plugin-lto -C linker="$driver_c" \
				-C link-arg=-fuse-ld="$llvm_bin/ld.lld" -C link-arg=-Wl,--load-pass-plugin="$plugin" made.rs -o made_rust
			compared ./made_rust
		done
	fi
	python3 "$here/made_foreign.py" fortran "$seed" 100 > made.f90
	flang=$llvm_bin/flang
	if [ -x "$flang" ]; then
		for level in 0 1 2; do
			"$flang" -O$level -mllvm -inline-threshold=-100000 -fpass-plugin="$plugin" -c made.f90 -o fortran.o
			runtime=$("$flang" -print-resource-dir)/lib/x86_64-pc-linux-gnu
			SPOOR_CC=$clang "$driver_c" fortran.o -L"$runtime" -lflang_rt.runtime -lm -lstdc++ -o made_flang
			compared ./made_flang
		done
	fi
	for version in $(all_gccs); do
		use_gcc "$version"
		command -v "gfortran-$version" > /dev/null || continue
		for level in 0 1 2; do
			SPOOR_GFORTRAN=gfortran-$version "$gcc_drivers/spoor-gfortran" -O$level -w -ffree-line-length-none -o made_gfortran made.f90
			compared ./made_gfortran
		done
	done
done
[ "$done" -gt 0 ] || skip "neither rustc with LLVM 22, nor flang-22, nor gfortran: apt-get install flang-22 gfortran"
