#!/bin/sh
# SPDX-License-Identifier: MIT
# view_serve.sh - spoor view --serve offers all calls of a trace that is too large for a small file, only to clients
# that know the address. It listens on this machine only, survives any request, and ends on request.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

traced_cxx -O1 -pthread -o viewed "$victims/calls/viewed.cc"
"$spoor" record -q -o small -- ./viewed 20 2 throw
"$spoor" record -q -o large -- ./viewed 300 2 throw
cp -R small cut
truncate -s -9 "$(echo cut/*/events.spoor)"
python3 "$top_srcdir/tests/integration/readers/view_serve.py" > python.out 2>&1 ||
	fail "view_serve.py failed: $(tail -n 20 python.out)"
for arguments in "--port 80000 --serve small 2" "--port -1 --serve small 2" "--port x --serve small 2" "--port 1 small 2" \
	"--serve -o a.html small 2" "--serve --max-size 5M small 2" "--serve nowhere 1"; do
	status=0
	# shellcheck disable=SC2086
	"$spoor" view ${arguments% *} > wrong.out 2> wrong.err || status=$?
	equal "the status of: view ${arguments% *}" "$status" "${arguments##* }"
	equal "messages of: view ${arguments% *}" "$(grep -c '^spoor: view: ' wrong.err)" 1
	[ ! -s wrong.out ] || fail "view ${arguments% *} printed an address although it failed: $(cat wrong.out)"
done
status=0
TMPDIR=/nowhere "$spoor" view --serve small > wrong.out 2> wrong.err || status=$?
equal "the status without a folder for its file" "$status" 1
grep -q 'TMPDIR or /tmp' wrong.err || fail "the message does not name TMPDIR or /tmp: $(cat wrong.err)"
status=0
(ulimit -f 100; exec "$spoor" view --serve large) > wrong.out 2> wrong.err || status=$?
equal "the status where its file finds no room" "$status" 1
equal "messages where its file finds no room" "$(grep -c 'cannot write the temporary file' wrong.err)" 1
