#!/bin/sh
# SPDX-License-Identifier: MIT
# descriptors.sh - spoor does not disturb the program's descriptors. The program gets the same numbers as untraced,
# even with closed standard descriptors. It may close all descriptors and open its files in their place; spoor writes
# nothing into these files. spoor prints nothing if standard error was replaced, or is a pipe without a reader.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program descriptors
traced_cc -fno-spoor -fPIC -shared -I"$top_srcdir/libspoor" -o libother.so "$victims/modules/other_version.c"

whole()
{
	facts "$1"
	equal "$1: lost" "$(lost "$1")" 0
	calls_are "$1" leaf "$2"
}

traced lowest ./descriptors lowest || fail "a descriptor is not the lowest free number: status $?"
whole lowest 20000
traced closed ./descriptors lowest <&- >&- 2>&- ||
	fail "the victim failed with closed standard descriptors: status $?"
whole closed 20000
traced output ./descriptors lowest >&- || fail "the victim failed with closed standard output: status $?"
whole output 20000

ulimit -n 1024
mkdir own
(cd own && traced "$work/all" ../descriptors close-all) ||
	fail "the victim failed after it closed all descriptors: status $?"
whole all 410000
equal "the program's files" "$(cat own/own.* | sort | uniq -c | tr -s ' ')" " 1000 own"
equal "the program's files' sizes" "$(find own -size -5c -name 'own.*' | wc -l)" 1000

rm -rf own && mkdir own
(cd own && traced "$work/stderr" ../descriptors stderr "$work/libother.so" 2> "$work/stderr.err") ||
	fail "the victim failed after it replaced standard error: status $?: $(cat "$work/stderr.err")"
whole stderr 1000
silent stderr.err
equal "the file at standard error's place" "$(cat own/own.2)" own

# Writing to a pipe without a reader would end the program with SIGPIPE. Writing to a full pipe would block it.
mkfifo fifo
sleep 600 < fifo &
sleeper=$!
exec 9> fifo
kill $sleeper
wait $sleeper || :
traced pipe timeout 120 ./descriptors pipe "$work/libother.so" 2>&9 ||
	fail "the victim failed with a broken pipe as standard error: status $?"
whole pipe 1000
exec 9>&-
sleep 600 < fifo &
sleeper=$!
exec 9> fifo
python3 -c 'import os
os.set_blocking(9, False)
try:
	while os.write(9, b"x"):
		pass
except BlockingIOError:
	os.set_blocking(9, True)'
traced full timeout 120 ./descriptors pipe "$work/libother.so" 2>&9 ||
	fail "the victim failed with a full pipe as standard error: status $?"
whole full 1000
kill $sleeper
