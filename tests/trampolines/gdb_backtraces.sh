#!/bin/sh
# SPDX-License-Identifier: MIT
# gdb_backtraces.sh - gdb's backtraces reach main from every instruction of a traced call: sleds, trampolines, the
# slow path, a thread's first event, handlers.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
here=$top_srcdir/tests/trampolines

if [ -z "$emulated" ]; then
	command -v gdb > /dev/null || skip "gdb is not installed"
	# Some containers do not allow ptrace.
	gdb -batch -nx -ex run --args true 2>&1 | grep -q 'exited normally' || skip "gdb cannot run a program here"
else
	command -v gdb-multiarch > /dev/null || skip "gdb-multiarch is not installed"
fi

traced_cc -I"$top_srcdir/libspoor/include" -o gdb_victim "$here/gdb_victim.c"
said()
{
	grep -E '^(FAULT|STEPS)|rror' gdb.out
}

# step_through MODE SYMBOL... - steps through events, and checks that each of these functions was stepped.
debugged_environment="LD_PRELOAD=$libspoor SPOOR_RUNTIME_TRACE_PATH=$work/trace"
step_through()
{
	mode=$1
	shift
	rm -rf trace
	debugged "$here/gdb_backtraces.py" "$mode.out" ./gdb_victim "$mode" || fail "$mode: gdb: $(said)"
	grep -q '^FAULTS 0$' gdb.out || fail "$mode: $(said)"
	for symbol in "$@"; do
		grep '^STEPS' gdb.out | grep -qw "$symbol" || fail "$mode: $symbol was not stepped: $(said)"
	done
}

log=spoor_log
if [ "$SPOOR_ARCH" = aarch64 ] && { [ -n "$emulated" ] || grep -qw atomics /proc/cpuinfo; }; then
	log=spoor_log_lse
fi
step_through log ${log}_entry ${log}_exit ${log}_tail slow spoor_event_slow spoor_attach_on_libc_stack spoor_attach
debugged_environment="$debugged_environment SPOOR_RUNTIME_ARGS=* SPOOR_RUNTIME_RETVAL=*"
step_through log "${log%log*}mixed${log#spoor_log}_entry" "${log%log*}mixed${log#spoor_log}_exit" spoor_capture_store
debugged_environment="LD_PRELOAD=$libspoor SPOOR_RUNTIME_TRACE_PATH=$work/trace"
handler=spoor
[ "$SPOOR_ARCH" != x86_64 ] || handler=spoor_dso		# the trampolines in the module
step_through saving ${handler}_saving_entry ${handler}_saving_exit spoor_saving_tail
step_through bare ${handler}_bare_entry ${handler}_bare_exit spoor_bare_tail
step_through any
grep '^STEPS' gdb.out | grep -q 'spoor_any_[a-z0-9]*_tail' || fail "any: $(said)"
rm -rf trace
