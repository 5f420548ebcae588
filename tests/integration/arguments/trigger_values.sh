#!/bin/sh
# SPDX-License-Identifier: MIT
# trigger_values.sh - a trigger with a condition on arguments or the result marks exactly the calls that the program counts
# itself, with the runtime's own drainer and with a recorder, in the modes ring and log. Spoor refuses an
# invalid condition, and warns of a condition without captured values.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

cat > served.c << 'END'
#include <stdio.h>
#include <time.h>
#define FAR __attribute__((noinline))
static int counts[6];
FAR int handle(const char *path, int status, unsigned char kind, long size)
{
	int result = status >= 500 ? -status : (int)(size % 100);

	__asm__ volatile("" : : "r"(path), "r"((int)kind) : "memory");
	counts[0] += status >= 500;
	counts[1] += result < 0 && kind > 200;
	counts[2] += size < -3000000000;
	counts[3] += !(status == 200) && (size == 7 || kind == 255);
	counts[4] += result == 77;
	return result;
}
FAR int other(int status) { __asm__ volatile("" : : "r"(status) : "memory"); return status; }
int main(void)
{
	for (int i = 0; i < 400; i++) {
		struct timespec pause = { 0, 500000 };

		handle("/index", i % 40 == 3 ? 503 : i % 50 == 9 ? 404 : 200, (unsigned char)(i * 7),
		       i % 100 == 30 ? -5000000000 : i % 50 == 9 ? 7 : i);
		other(503);
		nanosleep(&pause, NULL);
	}
	for (int i = 0; i < 5; i++)
		printf("%d\n", counts[i]);
	return 0;
}
END
traced_cc -O1 -o served served.c

# marks NAME CONDITION COUNT - records with this trigger, and compares the number of marked calls.
marks()
{
	rm -rf "$1"
	SPOOR_RUNTIME_TRIGGER="handle($2)" SPOOR_RUNTIME_TRIGGER_COUNT=1000 SPOOR_RUNTIME_MODE=${mode-ring} \
		SPOOR_RUNTIME_ARGS='handle(path:s,status:,kind:u,size:d),other(status:)' SPOOR_RUNTIME_RETVAL='handle' \
		traced "$1" ./served > printed 2> said || fail "$1: status $?: $(cat said)"
	[ -n "${LIFE_RECORD-}" ] || silent said
	want=$(sed -n "$3p" printed)
	[ "$want" -gt 1 ] || fail "$1: the program counts only $want calls"
	equal "$1: marks in info" "$("$spoor" info "$1" | grep -c " handle served had the trigger's values: ")" "$want"
	equal "$1: marks in replay" "$("$spoor" replay "$1" | grep -c "# trigger: handle() had the trigger's values")" "$want"
}

marks status 'status>=500' 1
marks result 'result<0 && kind > 200' 2
marks size 'size < -3000000000' 3
marks both '!(arg2 == 200) && (size=7 || kind=255)' 4
mode=log marks equal 'result == 77' 5
LIFE_RECORD=1 marks recorded 'status>=500' 1
LIFE_RECORD=1 marks recorded_result 'result<0 && kind > 200' 2

# The marked calls have these values, and the ring kept them.
"$spoor" replay status | grep -o 'handle(path="/index", status=[0-9]*' | grep -q 'status=503' || fail "no marked call is in the trace"

# refused CONDITION TEXT - spoor record refuses the condition with this text.
refused()
{
	! "$spoor" record -o refused --args 'handle(path:s,status:)' --trigger "handle($1)" ./served > said 2>&1 || fail "$1 is accepted"
	grep -q "$2" said || fail "$1: the message is: $(cat said)"
	[ ! -e refused ] || fail "$1: there is a trace"
}
refused 'path ~ "/i*"' "invalid condition 'path ~ \"/i\*\"': a trigger compares only with whole numbers"
refused 'status > 1.5' 'a trigger compares only with whole numbers'
refused 'status >' 'expected a number'
! "$spoor" record -o refused --trigger 'handle(status>=500)' ./served > said 2>&1 || fail "a condition without values is accepted"
grep -q "needs captured values: add --args 'FUNCTION(NAME:)'" said || fail "without values the message is: $(cat said)"
SPOOR_RUNTIME_TRIGGER='handle(code>=500)' SPOOR_RUNTIME_ARGS='handle(path:s,status:)' traced unnamed ./served > printed 2> said
grep -q 'no captured number has a name of its condition' said || fail "no warning of an unknown name: $(cat said)"
SPOOR_RUNTIME_TRIGGER='handle(status>)' SPOOR_RUNTIME_ARGS='handle(path:s,status:)' traced wrong ./served > printed 2> said || true
grep -q 'has an invalid condition' said || fail "no warning of an invalid condition: $(cat said)"
