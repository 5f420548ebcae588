#!/bin/sh
# SPDX-License-Identifier: MIT
# view_long.sh - in a real browser a page of spoor view shows a trace as spoor report and the events do: the whole
# trace, any range, one thread. Keys, pointer, search and flame graph work, and the page loads nothing. The page of
# spoor view --serve does the same, loads everything from its server, and has every call. The pictures stay in the
# work folder.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

command -v chromium > /dev/null || command -v chromium-headless-shell > /dev/null || command -v google-chrome > /dev/null ||
	skip "no browser is installed: apt-get install chromium"
large=6000
[ -z "${SPOOR_LONG-}" ] || large=84000 # 100 million events
traced_cxx -O1 -pthread -o viewed "$victims/calls/viewed.cc"
"$spoor" record -q -o exact -- ./viewed 60 2 throw
"$spoor" record -q -o merged -- ./viewed 600 2 throw
"$spoor" record -q -o large -- ./viewed "$large" 2
"$top_builddir/tests/golden/make_golden" golden "$top_builddir/tests/golden/libsample.so"
program marked -I"$top_srcdir/libspoor/include" -L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
SPOOR_RUNTIME_TRACEPOINTS='marked:*' traced marked.trace ./marked
"$spoor" replay --timestamps marked.trace > marked.tree
"$spoor" view -o marked.html marked.trace
"$spoor" view -o later.html --time 5ms.. marked.trace
"$spoor" view -o exact.html exact
"$spoor" view -o merged.html --max-size 1M merged
"$spoor" view -o large.html large
"$spoor" view -o golden.html golden 2> golden.err
python3 "$top_srcdir/tests/integration/readers/view_long.py" exact:exact:exact merged:merged:merged served:merged:served \
	large:large:shown > python.out 2>&1 ||
	fail "view_long.py failed: $(tail -n 20 python.out)"
cat python.out
