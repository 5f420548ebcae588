#!/bin/sh
# SPDX-License-Identifier: MIT
# peer_faults.sh - each test that tests/peer_faults.md names is there, and is run; each line
# of its tables names one, or says why there is none.
set -eu
table=$top_srcdir/tests/peer_faults.md
words=$top_builddir/tests/peer_faults.words
failed=

fail()
{
	echo "peer_faults: $*" >&2
	failed=1
}

# "LINE WORD" for what stands between backquotes in the last column; "?" where there is nothing.
awk -F'|' '/^\|/ && !/^\|-/ && $2 !~ /^ Fault / {
	n = split($4, parts, "`")
	if (n < 3 && !/features that spoor does not offer/) print NR, "?"
	for (i = 2; i <= n; i += 2) print NR, parts[i]
}' "$table" > "$words"
[ "$(wc -l < "$words")" -gt 150 ] || fail "the table cannot be read"
# What the fragments run, or put into the distribution.
find "$top_srcdir/tests" -name '*.am' -exec cat {} + | tr -s ' \t\\' '\n\n\n' | sort -u > "$words.run"

file=
while read -r line word; do
	case $word in
	'?')
		fail "line $line names no test" ;;
	*/)
		[ -d "$top_srcdir/$word" ] || fail "line $line: there is no folder $word" ;;
	*.sh | *.c)
		case $word in
		*/*) file=$word ;;
		test_*) file=$(cd "$top_srcdir" && find tests/unit -name "$word") ;;
		*) file=$(cd "$top_srcdir" && find tests/integration -name "$word") ;;
		esac
		[ -f "$top_srcdir/$file" ] || fail "line $line: there is no $file"
		case $file in
		tests/*) grep -qxF "$file" "$words.run" || fail "line $line: nothing runs $file" ;;
		esac ;;
	*)
		grep -q "START_TEST($word)" "$top_srcdir/$file" || fail "line $line: $file has no test $word" ;;
	esac
done < "$words"
rm -f "$words" "$words.run"
[ -z "$failed" ]
