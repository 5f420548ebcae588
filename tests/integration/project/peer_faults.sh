#!/bin/sh
# SPDX-License-Identifier: MIT
# peer_faults.sh - each test that tests/peer_faults.md names exists and runs; each line of its tables names a test, or
# says why there is none.
set -eu
table=$top_srcdir/tests/peer_faults.md
words=$top_builddir/tests/peer_faults.words
failed=

fail()
{
	echo "peer_faults: $*" >&2
	failed=1
}

# Prints "LINE WORD" for each word between backquotes in the last column, or "?" if there is none.
awk -F'|' '/^\|/ && !/^\|-/ && $2 !~ /^ Fault / {
	n = split($4, parts, "`")
	if (n < 3 && !/features that spoor does not offer/) print NR, "?"
	for (i = 2; i <= n; i += 2) print NR, parts[i]
}' "$table" > "$words"
[ "$(wc -l < "$words")" -gt 150 ] || fail "only $(wc -l < "$words") tests are found in $table"
# The files that the Makefile fragments run or distribute.
find "$top_srcdir/tests" -name '*.am' -exec cat {} + | tr -s ' \t\\' '\n\n\n' | sort -u > "$words.run"

file=
while read -r line word; do
	case $word in
	'?')
		fail "$table, line $line: the line names no test" ;;
	*/)
		[ -d "$top_srcdir/$word" ] || fail "$table, line $line: there is no folder $word" ;;
	*.sh | *.c)
		case $word in
		*/*) file=$word ;;
		test_*) file=$(cd "$top_srcdir" && find tests/unit -name "$word") ;;
		*) file=$(cd "$top_srcdir" && find tests/integration -name "$word") ;;
		esac
		[ -f "$top_srcdir/$file" ] || fail "$table, line $line: there is no file $file"
		case $file in
		tests/*) grep -qxF "$file" "$words.run" || fail "$table, line $line: no Makefile.am runs $file" ;;
		esac ;;
	*)
		grep -q "START_TEST($word)" "$top_srcdir/$file" ||
			fail "$table, line $line: $file has no test $word" ;;
	esac
done < "$words"
rm -f "$words" "$words.run"
[ -z "$failed" ]
