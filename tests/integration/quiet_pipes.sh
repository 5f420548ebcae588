#!/bin/sh
# SPDX-License-Identifier: MIT
# quiet_pipes.sh - a reader that goes away ends the tools quietly, and a full disk
# does not.
set -eu
. "$top_srcdir/tests/integration/life.sh"
spoor=$top_builddir/tools/spoor

"$top_builddir/tests/unit/make_trace" t 300000 2 > /dev/null
# shellcheck disable=SC2086
for command in replay report info 'export --format=csv' 'export --format=chrome' 'export --format=perfetto'; do
	status=0
	{ "$spoor" $command t 2> err || echo $? > status; } | head -c 10 > /dev/null
	grep -v 'No such file' err && fail "$command: not quiet"
	[ ! -e status ] || fail "$command: exit status $(cat status)"
	"$spoor" $command t > /dev/full 2> err && fail "$command: a full disk goes unnoticed"
	grep -q 'cannot write: No space left' err && equal "$command: it is said" "$(grep -c 'No space left' err)" 1 || fail "$command: $(cat err)"
done
