#!/bin/sh
# SPDX-License-Identifier: MIT
# mistakes.sh - what a new user types wrongly, the exit status, and what spoor says: mistakes.txt is the table. Each
# message names a remedy, and no mistake runs the program or leaves a trace.
#
# MISTAKES_UPDATE=1 rewrites the table.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
table=$top_srcdir/tests/integration/project/mistakes.txt

program recorded
build_once "$clang" -O2 -o bare "$victims/processes/recorded.c"
traced_cxx -O1 -pthread -o paths "$victims/calls/paths.cc"
traced_cc -c -o recorded.o "$victims/processes/recorded.c"
"$clang" -o unstubbed recorded.o
"$spoor" record -q -o trace ./recorded many 10
mkdir full
: > full/file
: > notes.txt
mkdir bin
ln -s "$spoor" bin/spoor
PATH=$PWD/bin:$PATH
export PATH

# Types each line of the table that begins with "$ ", and prints the line, the messages, and the status.
sed -n 's/^\$ //p' "$table" > typed
[ "$(wc -l < typed)" -ge 60 ] || fail "the table has only $(wc -l < typed) mistakes"
while read -r line; do
	status=0
	sh -c "$line" > out 2> err < /dev/null || status=$?
	echo "\$ $line"
	sed "s,$PWD,.,g" err
	echo "= $status"
	[ ! -e spoor.trace ] || fail "'$line' left a trace"
	[ -s err ] || fail "'$line' gives no message"
done < typed > came
[ -z "${MISTAKES_UPDATE-}" ] || cp came "$table"
diff "$table" came || fail "other messages than in mistakes.txt (<): MISTAKES_UPDATE=1 rewrites it"
