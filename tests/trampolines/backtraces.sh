#!/bin/sh
# SPDX-License-Identifier: MIT
# backtraces.sh - from every instruction of a traced call, a backtrace reaches the thread's first function, with
# libunwind and with the C++ runtime; exceptions pass through traced frames. The short form under an emulator interrupts
# each thread for 400 ms instead of a second, and takes fewer handlers with frame pointers.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
here=$top_srcdir/tests/trampolines

modes="log saving bare any"
milliseconds=1000
[ -z "$emulated" ] || [ -n "${SPOOR_LONG-}" ] || milliseconds=400
# On AArch64 entries of the linkage table have no unwind information.
for frames in -fomit-frame-pointer -fno-omit-frame-pointer; do
	traced_cxx -rdynamic -fno-plt -I"$top_srcdir/libspoor" -I"$top_srcdir/libspoor/include" $frames -o runtime "$here/backtraces.cc" -pthread -Wl,-z,now
	traced_cxx -rdynamic -fno-plt -I"$top_srcdir/libspoor" -I"$top_srcdir/libspoor/include" $frames -DLIBUNWIND -o libunwind "$here/backtraces.cc" \
		-pthread -lunwind -Wl,-z,now
	for mode in $modes; do
		for unwinder in runtime libunwind; do
			# An emulator checks for signals before each instruction only with this option.
			QEMU_SINGLESTEP=1 traced "$unwinder.trace" timeout 120 "./$unwinder" "$mode" $milliseconds > "$unwinder.out" 2>&1 ||
				fail "$frames, $unwinder, $mode: $(cat "$unwinder.out")"
		done
	done
	for unwinder in runtime libunwind; do
		SPOOR_RUNTIME_ARGS='*' SPOOR_RUNTIME_RETVAL='*' QEMU_SINGLESTEP=1 traced "$unwinder.trace" \
			timeout 120 "./$unwinder" log $milliseconds > "$unwinder.out" 2>&1 ||
			fail "$frames, $unwinder, with values: $(cat "$unwinder.out")"
	done
	# Emulators are slow. The trampolines do not know if the program has frame pointers.
	[ -z "$emulated" ] || [ -n "${SPOOR_LONG-}" ] || modes=log
done

# If a signed return address is checked by the return itself (retaa), exceptions must work. libunwind 1.6
# does not support signatures.
if [ "$SPOOR_ARCH" = aarch64 ]; then
	traced_cxx -rdynamic -fno-plt -I"$top_srcdir/libspoor" -I"$top_srcdir/libspoor/include" -march=armv8.3-a -mbranch-protection=standard -o signed \
		"$here/backtraces.cc" -pthread -Wl,-z,now
	objdump -d signed | grep -qw 'retaa' || fail "signed has no retaa instruction"
	QEMU_SINGLESTEP=1 traced signed.trace timeout 300 ./signed log $milliseconds > signed.out 2>&1 ||
		fail "signed: $(cat signed.out)"
fi
rm -rf ./*.trace
