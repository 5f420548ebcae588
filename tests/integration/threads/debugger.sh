#!/bin/sh
# SPDX-License-Identifier: MIT
# debugger.sh - the runtime does not overwrite a debugger's breakpoint on a sled: it skips the sled and counts it. The
# breakpoint is hit each time, and the program behaves the same. Later breakpoints are hit too.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

command -v gdb > /dev/null || fail "gdb is missing: apt-get install gdb"
program hello

# debug TRACE COMMAND... - runs a program in gdb, under libspoor.so. gdb may fail if a thread ends while gdb examines
# it; then the run is repeated.
debug()
{
	debugged_to=$1
	debugged=$2
	shift 2
	for attempt in 1 2 3 4 5 6 7 8 9 10; do
		rm -rf "$debugged_to"
		status=0
		gdb -q -nx -batch -ex 'set confirm off' -ex 'set debuginfod enabled off' \
			-ex 'set startup-with-shell off' -ex "set environment LD_PRELOAD $libspoor" \
			-ex "set environment SPOOR_RUNTIME_TRACE_PATH $debugged_to" \
			"$@" --args $debugged > "$debugged_to.out" 2>&1 || status=$?
		grep -q "^Couldn't get registers: No such process" "$debugged_to.out" || break
	done
	[ $status = 0 ] ||
		fail "$debugged_to: gdb ended with status $status at attempt $attempt: $(cat "$debugged_to.out")"
	[ "$debugged" != "./hello 10" ] || grep -q '^hello$' "$debugged_to.out" ||
		fail "$debugged_to: the program did not print hello: $(cat "$debugged_to.out")"
	grep -q 'exited normally' "$debugged_to.out" ||
		fail "$debugged_to: the program did not exit normally: $(cat "$debugged_to.out")"
}

# Before the program begins: gdb writes the breakpoint as soon as the program is mapped.
debug before "./hello 10" -ex 'break *leaf' -ex run -ex 'ignore 1 9' -ex continue -ex 'info breakpoints'
grep -q 'breakpoint already hit 10 times' before.out ||
	fail "before: the breakpoint was not hit 10 times: $(cat before.out)"
facts before
# gdb wrote the breakpoint before the runtime examined the sled, so the sled and the exit sleds of the function stay
# untouched.
equal "before: entries, exits and skipped sleds" \
	"$(entries before leaf) $(exits before leaf) $(awk -F'\t' '$1 == "alone" { print $4, $5 }' before.facts)" "0 0 0 2"

# In the middle of the run.
debug later "./hello 10" -ex 'break main' -ex run -ex 'break leaf' -ex continue -ex 'ignore 2 8' -ex continue \
	-ex 'info breakpoints' -ex 'delete' -ex continue
facts later
calls_are later leaf 10

# While functions are enabled and disabled, the runtime changes neither the debugger's byte nor the byte that the
# debugger restores.
library loaded
traced_cxx -fPIC -shared -o libnames.so "$victims/modules/names.cc"
traced_cc -o choose -I"$top_srcdir/libspoor/include" "$victims/modules/choose.c" -L. -lnames -lloaded -Wl,-rpath,"$work"
debug switched "./choose call=3 off call=3 on call=3 off call=3" -ex 'break main' -ex run -ex 'break *leaf' \
	-ex 'ignore 2 100' -ex 'break names_call_all' -ex continue -ex 'delete 2' -ex continue -ex 'break *leaf' \
	-ex 'ignore 4 100' -ex continue -ex 'delete' -ex continue
facts -n switched
[ "$(entries switched loaded_value)" = 6 ] ||
	fail "switched: the trace has $(entries switched loaded_value) calls of loaded_value instead of 6"
