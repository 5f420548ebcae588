#!/bin/sh
# SPDX-License-Identifier: MIT
# start_asleep.sh - a program that was instrumented with enable_runtime or initialize_runtime set to false starts
# untraced, including the constructors of its libraries, and is traced from the point where it enables tracing.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

library awakes_early -I"$top_srcdir/libspoor/include"
lld=-fuse-ld=$LLVM_BINDIR/ld.lld
for linking in "-flto $lld" "$lld -Wl,--gc-sections" -fuse-ld=gold "-fuse-ld=bfd -no-pie"; do
	for asked in none enable initialize; do
		(
			[ $asked = none ] ||
				export "SPOOR_INSTRUMENTATION_$(echo $asked | tr a-z A-Z)_RUNTIME=false"
			traced_cc $linking -o awakes_$asked "$victims/modules/awakes.c" -I"$top_srcdir/libspoor/include" -L. -lawakes_early -Wl,-rpath,"$work"
		)
	done
	equal "without the runtime" "$(./awakes_initialize)" "no runtime"

	traced t ./awakes_none > out
	equal "by default" "$(cat out)" "initialized 1, enabled 1; then 1, 1"
	facts t
	calls_are t early 1
	calls_are t before 1
	calls_are t after 1

	traced t ./awakes_enable > out
	equal "not enabled" "$(cat out)" "initialized 1, enabled 0; then 1, 1"
	# main has only its exit in the trace.
	facts -n t
	calls_are t early 0
	calls_are t before 0
	calls_are t after 1

	traced t ./awakes_initialize > out
	equal "not initialized" "$(cat out)" "initialized 0, enabled 0; then 1, 1"
	# main has only its exit in the trace.
	facts -n t
	calls_are t early 0
	calls_are t before 0
	calls_are t after 1
done
