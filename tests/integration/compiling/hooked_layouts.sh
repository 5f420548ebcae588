#!/bin/sh
# SPDX-License-Identifier: MIT
# hooked_layouts.sh - functions that call hooks, or were compiled for order mode, have their own names however the
# linker lays out the segments: with gaps, at any address, static or not. A function without an unwind entry is never
# shown under the name of another one: a message names it, and spoor doctor does.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
gcc=${SPOOR_GCC:-gcc}
command -v "$gcc" > /dev/null || skip "there is no gcc"

cat > listed.c <<'C'
#include <stdio.h>
int without(int x);
__attribute__((noinline)) int listed(int x) { __asm__ volatile("" : : "r"(x)); return x + 1; }
int main(void) { int n = 0; for (int i = 0; i < 100; i++) n = listed(without(n)); printf("%d\n", n); return 0; }
C
cat > without.c <<'C'
__attribute__((noinline)) int inner(int x) { __asm__ volatile("" : : "r"(x)); return x + 1; }
__attribute__((noinline)) int without(int x) { return inner(x) + 1; }
C

# objects KIND FLAG... - compiles both files; the flags are for the second one.
objects()
{
	objects_kind=$1
	shift
	case $objects_kind in
	hooks) objects_cc="$gcc -O1 -g -fPIE -finstrument-functions" ;;
	bare) objects_cc="$clang -O1 -g -fPIE -finstrument-function-entry-bare" ;;
	order) objects_cc="$SPOOR_DRIVERS/spoor-cc -O1 -g -fPIE -fspoor-mode=order" ;;
	esac
	$objects_cc -c listed.c
	$objects_cc "$@" -c without.c
}

# runs WHAT KIND LIBRARY - runs ./linked and prints its functions, in order and with calls, to the file `got`.
runs()
{
	rm -rf trace
	mode=log
	[ "$2" != order ] || mode=order
	SPOOR_RUNTIME_MODE=$mode SPOOR_RUNTIME_TRACE_PATH=trace LD_PRELOAD=$3 ./linked > out 2> err ||
		fail "$1: the program ended with status $?: $(cat err)"
	equal "$1: output" "$(cat out)" 300
	if [ $mode = order ]; then
		"$spoor" order trace > got || fail "$1: spoor order ended with status $?"
	else
		"$spoor" report --format=csv trace | awk -F, 'NR > 1 { print $1, $3 }' | LC_ALL=C sort > got
	fi
}

# linked WHAT KIND FLAG... - links, runs, and checks all four functions.
linked()
{
	linked_what=$1 linked_kind=$2 linked_library=$libspoor
	shift 2
	case " $* " in
	*" -fspoor-runtime "*) linked_library= ;;
	esac
	"$SPOOR_DRIVERS/spoor-cc" listed.o without.o -o linked "$@" ${linked_library:+"$linked_library"} > log 2>&1 || fail "$linked_what: linking failed: $(cat log)"
	runs "$linked_what" "$linked_kind" "$linked_library"
	silent err
	if [ "$linked_kind" = order ]; then
		equal "$linked_what" "$(tr '\n' ' ' < got)" "main without inner listed "
	else
		equal "$linked_what" "$(tr '\n' ' ' < got)" "inner 100 listed 100 main 1 without 100 "
	fi
}

for kind in hooks bare order; do
	objects $kind
	for linker in bfd lld; do
		for page in 4096 65536 2097152; do
			for form in -pie -no-pie; do
				linked "$kind, $linker, $form, pages of $page" $kind -fuse-ld=$linker $form \
					-Wl,-z,max-page-size=$page
			done
		done
		linked "$kind, $linker, one segment" $kind -fuse-ld=$linker -pie -Wl,-z,noseparate-code
	done
	linked "$kind, another address" $kind -fuse-ld=bfd -no-pie -Wl,-Ttext-segment=0x10000000
	[ ! -e "$top_builddir/libspoor/libspoor.a" ] || [ -n "$emulated" ] ||
		for form in -static -static-pie; do
			linked "$kind, $form" $kind $form -fspoor-runtime
			linked "$kind, $form, huge pages" $kind $form -fspoor-runtime -Wl,-z,max-page-size=2097152
		done

	objects $kind -fno-asynchronous-unwind-tables -fno-unwind-tables
	"$SPOOR_DRIVERS/spoor-cc" listed.o without.o -o linked "$libspoor"
	runs "$kind, without entries" $kind "$libspoor"
	said_once err 'linked: the function at 0x[0-9a-f]* has no unwind entry and stays untraced'
	if [ $kind = order ]; then
		equal "$kind, without entries" "$(tr '\n' ' ' < got)" "main listed "
	else
		equal "$kind, without entries" "$(tr '\n' ' ' < got)" "listed 100 main 1 "
	fi
	address=0x$(nm linked | sed -n 's/^0*\([0-9a-f]*\) T without$/\1/p')
	named=$(sed -n 's/.*function at \(0x[0-9a-f]*\) .*/\1/p' err)
	[ $((named - address)) -ge 0 ] && [ $((named - address)) -lt 64 ] ||
		fail "$kind: the message names $named, and the function is at $address: $(cat err)"
	"$spoor" doctor ./linked > doctor.out || :
	grep -q '2 functions have no unwind entry, for example' doctor.out ||
		fail "$kind: spoor doctor does not tell of the functions: $(cat doctor.out)"
done
