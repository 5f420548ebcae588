#!/bin/sh
# SPDX-License-Identifier: MIT
# ctl_locked.sh - if a thread that does not run holds the lock of libspoor.so's choice of functions, spoor ctl reports
# the lock and leaves the process unchanged. When the thread continues, requests work again.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

[ -z "$emulated" ] || skip "spoor cannot call into threads under an emulator"
program detained -I"$top_srcdir/libspoor/include"

# asked ORDER ANSWER - sends an order to the victim and waits for the answer.
asked()
{
	echo "$1" >&9
	awaited "'$2'" grep -qx "$2" out
}

mkfifo orders
"$spoor" record -q -o held -- ./detained < orders > out 2> err &
job=$!
exec 9> orders
echo hold >&9
while ! grep -qx held out; do
	kill -0 $job 2> /dev/null || { wait $job || [ $? != 77 ] ||
		skip "this kernel has no supervised seccomp filters"; break; }
	sleep 0.01
done
for folder in held/[0-9]*; do victim=${folder##*/}; done
for order in "disable leaf" "mode count" stop; do
	status=0
	# shellcheck disable=SC2086
	timeout 100 "$spoor" ctl "$victim" $order > said 2>&1 || status=$?
	equal "status of $order" $status 1
	grep -q 'holds a lock of libspoor.so' said || fail "spoor ctl $order does not name the lock: $(cat said)"
	equal "lines of $order" "$(grep -vc "$waiting" said)" 1
done
asked release 'released 1'
asked fork 'child 7'
"$spoor" ctl "$victim" disable leaf > said 2>&1 ||
	fail "spoor ctl disable failed after the lock was released: $(cat said)"
equal "after the lock was released" "$(cat said)" '1 function changed'
asked fork 'child 7'
exec 9>&-
wait $job || fail "the victim ended with status $?: $(cat err)"
silent err
facts held
equal "calls of leaf" "$(reported held leaf)" 101
equal "lost" "$(lost held)" 0
