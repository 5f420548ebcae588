#!/bin/sh
# SPDX-License-Identifier: MIT
# view_page.sh - in a real browser the panes of a page of spoor view work. Each thread is visible, and names and numbers
# are readable. The table can be filtered, sorted and copied. The details have percentiles, callers, callees and the
# slowest calls. The address has the state of the page. The picture of spoor flame fits into the window and has the
# page's colours. The pictures stay in the work folder.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

command -v chromium > /dev/null || command -v chromium-headless-shell > /dev/null || command -v google-chrome > /dev/null ||
	skip "no browser is installed: apt-get install chromium"
traced_cxx -O1 -pthread -o viewed "$victims/calls/viewed.cc"
"$spoor" record -q -o trace -- ./viewed 60 2 throw
"$spoor" view -o page.html trace
python3 "$top_srcdir/tests/integration/readers/view_page.py" page.html > python.out 2>&1 ||
	fail "view_page.py failed: $(tail -n 20 python.out)"
# Waits, if the kernel lets spoor record them.
"$spoor" record --sched -q -o sched.trace -- ./viewed 60 2 throw 2> sched.err
"$spoor" view -o sched.html sched.trace
[ ! -e sched.trace/sched.spoor ] || python3 "$top_srcdir/tests/integration/readers/view_waits.py" sched.html > python.out 2>&1 ||
	fail "view_waits.py failed: $(tail -n 20 python.out)"
program pointers
SPOOR_RUNTIME_ARGS='show(text:s,number:)' SPOOR_RUNTIME_RETVAL='show(:s)' traced pointers.trace ./pointers > out
"$spoor" view -o pointers.html pointers.trace
python3 "$top_srcdir/tests/integration/readers/view_values.py" pointers.html > python.out 2>&1 ||
	fail "view_values.py failed: $(tail -n 20 python.out)"
"$spoor" flame -o flame.svg trace
python3 "$top_srcdir/tests/integration/readers/flame_picture.py" flame.svg page.html > python.out 2>&1 ||
	fail "flame_picture.py failed: $(tail -n 20 python.out)"
