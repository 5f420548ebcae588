#!/bin/sh
# SPDX-License-Identifier: MIT
# tutorial.sh - the commands of doc/tutorial.md work one after the other and print the lines that the page shows.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
PATH=$top_builddir/tools:$SPOOR_DRIVERS:$PATH
export PATH LC_ALL=C
tutorial_works()
{
	rm -rf ./*
	python3 "$top_srcdir/tests/documents/run_tutorial.py" "$top_srcdir/doc/tutorial.md"
}
# The page says that the slowest order wrote a backup, which takes 20 ms. A busy machine can interrupt another order for
# longer, so the page gets a second try.
tutorial_works || { echo "tutorial: the second try" >&2; tutorial_works; } || fail "the tutorial does not work"
