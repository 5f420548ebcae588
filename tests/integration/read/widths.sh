#!/bin/sh
# SPDX-License-Identifier: MIT
# widths.sh - the text of each command, and each --help, fits the width in COLUMNS; only a word that is longer stays
# whole. A pipe has no limit. The commands round times alike.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

traced_cxx -O1 -pthread -o paths "$victims/calls/paths.cc"
cat > long.cc <<'END'
#include <map>
#include <string>
#include <vector>
namespace a_name_space_with_a_long_name {
template <typename T> struct Collector {
	std::map<std::string, std::vector<T>> values;
	__attribute__((noinline)) void collect(const std::map<std::string, std::vector<T>> &more)
	{
		for (const auto &one : more)
			values[one.first].insert(values[one.first].end(), one.second.begin(), one.second.end());
	}
};
}
int main()
{
	a_name_space_with_a_long_name::Collector<std::pair<std::string, std::vector<long double>>> collector;
	collector.collect({ { "one", {} }, { "two", {} } });
	collector.collect({ { "one", {} } });
}
END
traced_cxx -O1 -o long long.cc
"$spoor" record -q -o paths.trace ./paths 20
"$spoor" record -q -o long.trace ./long

# fits WIDTH WHAT - checks the lines of the file out.
fits()
{
	[ -s out ] || fail "$2 prints nothing"
	awk -v width="$1" 'length > width {
		longest = 0
		for (i = 1; i <= NF; i++)
			longest = length($i) > longest ? length($i) : longest
		# A word that is longer than the room beside the indentation.
		if (longest <= width - 24) { print; bad = 1 }
	} END { exit bad }' out ||
		fail "$2 prints longer lines than $1 (see above)"
}
commands=$("$spoor" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
for width in 60 80 120; do
	export COLUMNS=$width
	for trace in paths.trace long.trace; do
		for command in report tree graph info 'graph --full-names' 'tree --full-names --threshold 0' 'report --full-names'; do
			# Numbers and a short name need more than 60 characters.
			[ $width -ge 80 ] || [ "$command" = info ] || continue
			# shellcheck disable=SC2086
			"$spoor" $command --no-pager $trace > out
			fits $width "$command $trace"
		done
	done
	"$spoor" symbols --no-pager long > out
	fits $width symbols
	"$spoor" doctor ./long > out
	fits $width doctor
	"$spoor" --help > out
	fits $width --help
	for command in $commands; do
		"$spoor" "$command" --help > out
		fits $width "$command --help"
		# No word is lost.
		tr -s ' \n' '\n\n' < out > words
		env -u COLUMNS "$spoor" "$command" --help | tr -s ' \n' '\n\n' | cmp - words || fail "$command --help has other words at $width"
	done
done
unset COLUMNS
for command in report graph 'tree --threshold 0' symbols; do
	# shellcheck disable=SC2086
	case $command in
	symbols) "$spoor" symbols long > out ;;
	*) "$spoor" $command --full-names long.trace > out ;;
	esac
	grep -q 'a_name_space_with_a_long_name::Collector<.*long double.*collect(' out || fail "$command cuts names in a pipe: $(cat out)"
done

# The same time is the same text in each command.
total=$("$spoor" report paths.trace | sed -n 's/^ *1 *\([0-9.]* m\{0,1\}s\) .* main$/\1/p')
[ -n "$total" ] || fail "the report has no main: $("$spoor" report paths.trace)"
for command in tree graph 'replay -f main'; do
	# shellcheck disable=SC2086
	"$spoor" $command paths.trace | grep -qF "$total" || fail "$command has another total of main than $total"
done
python3 - "$total" "$("$spoor" report --format=json paths.trace | tr -d '\n')" << 'END' || fail "main's total is not rounded to the nearest"
import decimal, json, sys
row = [row for row in json.loads(sys.argv[2])["rows"] if row["function"] == "main"][0]
unit = sys.argv[1].split()[1]
exact = decimal.Decimal(row["total_ns"]) / (1000000 if unit == "ms" else 1000000000)
assert sys.argv[1] == "%s %s" % (exact.quantize(decimal.Decimal("0.001"), decimal.ROUND_HALF_UP), unit), (sys.argv[1], exact)
END
