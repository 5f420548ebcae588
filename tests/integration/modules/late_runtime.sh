#!/bin/sh
# SPDX-License-Identifier: MIT
# late_runtime.sh - a program that opens libspoor.so with dlopen is traced from then on as spoor.h says: each function
# returns how many functions it woke, wakes no others, and the calls that are open in each thread are in the trace.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ -z "$emulated" ] || libspoor=$top_builddir/libspoor/.libs/libspoor.so

program late_runtime

# late NAME WANTED WORD... - runs the program and checks its output.
late()
{
	late_name=$1 late_wanted=$2
	shift 2
	rm -rf "$late_name"
	SPOOR_RUNTIME_TRACE_PATH=$late_name ./late_runtime "$libspoor" "$@" > out 2> err ||
		fail "$late_name: the program ended with status $?: $(cat err)"
	silent err
	equal "$late_name" "$(tr '\n' ' ' < out)" "$late_wanted "
}

# called NAME FUNCTION CALLS... - checks the report.
called()
{
	called_trace=$1
	shift
	while [ $# -gt 0 ]; do
		equal "$called_trace: $1" "$(reported "$called_trace" "$1")" "$2"
		shift 2
	done
}

# The functions are main, call, work, branch and leaf.
late enable "enable 5" enable call call
called enable branch 4 leaf 4 call 3
"$spoor" replay enable > tree
grep -q 'returns from' tree && fail "enable: a return has no entry: $(cat tree)"
facts enable
if ldconfig -p 2> /dev/null | grep -q 'libunwind-[x86_64aarch]*\.so\.8'; then
	for function in main work; do
		grep -q "$function() .*entered before recording began" tree ||
			fail "enable: the open call of $function is not in the trace: $(cat tree)"
	done
fi

late disable "disable 0 enable 5 disable 5 enable 5" disable enable disable enable call
called disable branch 2 leaf 2

late chosen "on=leaf 1 state 1" on=leaf call state call
called chosen leaf 4 branch 0 call 0 main 0 work 0

late widened "on=leaf 1 enable 4 off=branch 1 disable 4" on=leaf call enable call off=branch call disable call
called widened leaf 6 branch 2

late narrowed "off=leaf 0 enable 4 on=leaf 1" off=leaf enable call on=leaf call
called narrowed leaf 2 branch 4

late none "on=absent 0 state 0" on=absent call state
[ ! -e none ] || called none leaf 0

# The configuration chooses for spoor_enable, and not for a choice of the program.
export SPOOR_RUNTIME_FUNCTIONS=branch
late configured "enable 1 on=leaf 1" enable call on=leaf call
called configured branch 4 leaf 2
late other "on=leaf 1 enable 1" on=leaf call enable call
called other leaf 4 branch 2
unset SPOOR_RUNTIME_FUNCTIONS
export SPOOR_RUNTIME_MODE=off
late off "state 0 enable 5 state 1" call state enable state call
called off leaf 2 branch 2
export SPOOR_RUNTIME_MODE=count
late count "enable 5" enable call
called count leaf 2 branch 2
