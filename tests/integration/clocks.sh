#!/bin/sh
# SPDX-License-Identifier: MIT
# clocks.sh - the times that tools show are those of CLOCK_MONOTONIC: each call lies
# between the two readings that the program took around it, to within a microsecond, be
# the slices many or few. 5 seconds each way, ten minutes in the long run.
set -eu
. "$top_srcdir/tests/integration/life.sh"

seconds=5
step=5
[ -z "${SPOOR_LONG-}" ] || { seconds=600; step=50; }
program clocks

for LIFE_RECORD in "" 1; do
	for busy in "" busy; do
		what=idle$busy$LIFE_RECORD
		# shellcheck disable=SC2086
		traced $what ./clocks $seconds $step $busy > readings 2> err || fail "$what: status $?"
		silent err
		"$top_builddir/tools/spoor" export --format=csv $what |
			awk -F, '$4 == "entry" && $5 == "marked" { print $1 }' > times
		equal "$what: calls" "$(wc -l < times)" "$(wc -l < readings)"
		[ "$(wc -l < times)" -gt $((seconds * 500 / step)) ] || fail "$what: $(wc -l < times) calls"
		lasted=$(awk 'NR == 1 { first = $1 } END { printf "%d", ($1 - first) / 1e9 }' readings)
		[ "$lasted" -ge $((seconds - 1)) ] || fail "$what: lasted $lasted seconds"
		# In microseconds since the first: 53 bits are not enough for all digits.
		paste readings times | awk '
			function since(text) { return (substr(text, 1, length(text) - 9) - base) * 1e9 + substr(text, length(text) - 8) }
			NR == 1 { base = substr($1, 1, length($1) - 9) }
			{ early = since($1) - since($3); late = since($3) - since($2) }
			early > worst { worst = early } late > worst { worst = late }
			END { print worst + 0; exit worst > 1000 }' > worst || fail "$what: times are $(cat worst) ns off"
	done
done
