#!/bin/sh
# SPDX-License-Identifier: MIT
# gdb_backtraces.sh - gdb's backtraces reach main from every instruction of a traced
# call: sleds, trampolines, the slow path, a thread's first event, handlers.
set -eu
. "$top_srcdir/tests/integration/life.sh"
here=$top_srcdir/tests/trampolines

if [ "$SPOOR_ARCH" = "$(uname -m)" ]; then
	command -v gdb > /dev/null || skip "there is no gdb"
	# In some containers nobody may trace.
	gdb -batch -nx -ex run --args true 2>&1 | grep -q 'exited normally' || skip "gdb cannot run a program here"
else
	command -v gdb-multiarch > /dev/null || skip "there is no gdb-multiarch"
fi

traced_cc -I"$top_srcdir/libspoor" -o gdb_victim "$here/gdb_victim.c"
said()
{
	grep -E '^(FAULT|STEPS)|rror' "$mode.out"
}

# step_through MODE SYMBOL... - these have to be among the functions stepped through.
step_through()
{
	mode=$1
	shift
	rm -rf trace
	if [ "$SPOOR_ARCH" = "$(uname -m)" ]; then
		timeout 300 gdb -batch -nx -ex "set environment LD_PRELOAD $libspoor" \
			-ex "set environment SPOOR_RUNTIME_TRACE_PATH $work/trace" -ex 'set startup-with-shell off' \
			-x "$here/gdb_backtraces.py" --args ./gdb_victim "$mode" > "$mode.out" 2>&1 ||
			fail "$mode: gdb: $(said)"
	else
		# The emulator waits for gdb at the program's first instruction.
		QEMU_GDB=$work/socket SPOOR_RUNTIME_TRACE_PATH=$work/trace LD_PRELOAD=$libspoor ./gdb_victim "$mode" \
			> "$mode.program" 2>&1 &
		for try in 1 2 3 4 5 6 7 8 9 10; do
			[ ! -e socket ] || break
			sleep "0.$try"
		done
		timeout 900 gdb-multiarch -batch -nx -ex 'set sysroot /' -ex 'file ./gdb_victim' -ex "target remote $work/socket" \
			-x "$here/gdb_backtraces.py" > "$mode.out" 2>&1 || fail "$mode: gdb: $(said)"
		wait
		rm -f socket
	fi
	grep -q '^FAULTS 0$' "$mode.out" || fail "$mode: $(said)"
	for symbol in "$@"; do
		grep '^STEPS' "$mode.out" | grep -qw "$symbol" || fail "$mode: $symbol was not met: $(said)"
	done
}

log=spoor_log
if [ "$SPOOR_ARCH" = aarch64 ] && { [ "$(uname -m)" != aarch64 ] || grep -qw atomics /proc/cpuinfo; }; then
	log=spoor_log_lse
fi
step_through log ${log}_entry ${log}_exit ${log}_tail slow spoor_event_slow spoor_attach_aside spoor_attach
step_through bare spoor_bare_entry spoor_bare_exit spoor_bare_tail
step_through any
grep '^STEPS' any.out | grep -q 'spoor_any_[a-z0-9]*_tail' || fail "any: $(said)"
rm -rf trace
