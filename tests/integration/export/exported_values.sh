#!/bin/sh
# SPDX-License-Identifier: MIT
# exported_values.sh - captured arguments and results are in CTF, as babeltrace2 reads it, in OTF2, as otf2-print reads it,
# and in the rows for ClickHouse: each call has the values that the program prints itself.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

cat > valued.c << 'END'
#include <stdio.h>
#define FAR __attribute__((noinline))
FAR long sum(int n, unsigned long big, const char *name)
{
	long result = n < 0 ? -1 : n * 3L;

	printf("sum n=%d, big=%lu, name=\"%s\" = %ld\n", n, big, name, result);
	return result;
}
FAR double halve(double d)
{
	printf("halve d=%g = %g\n", d, d / 2);
	return d / 2;
}
int main(void)
{
	for (int i = -2; i < 40; i++)
		sum(i, i % 3 ? 7 : ~0ul - (unsigned long)i, i & 1 ? "odd; \"x\"" : "even");
	for (int i = 1; i < 20; i++)
		halve(i / 8.0);
	return 0;
}
END
traced_cc -O1 -o valued valued.c
SPOOR_RUNTIME_ARGS='sum(n:d,big:u,name:s),halve(d:)' SPOOR_RUNTIME_RETVAL='sum(:d),halve' traced valued.trace ./valued > printed

"$spoor" export --format=rowbinary valued.trace > rows
python3 - "$top_srcdir/tests/integration/readers" "$top_srcdir/tools/export/clickhouse/create.sql" rows printed << 'END' || fail "the rows differ (see above)"
import re
import sys
sys.path.insert(0, sys.argv[1])
from rowbinary import CALL, columns_of, rows_of
have = [(row.text_1, row.text_2) for row in sorted(rows_of(sys.argv[3], columns_of(sys.argv[2])), key=lambda row: row.number_1)
        if row.kind == CALL and row.text_1]
with open(sys.argv[4]) as file:
    want = [re.match(r"\w+ (.*) = (\S+)$", line.replace('"x"', r'\"x\"')).groups() for line in file]
if have != want:
    sys.exit("%s\nbut the program printed\n%s" % (have[:5], want[:5]))
END

# values_of FILE WORDS... - prints lines "name value" from babeltrace2 or otf2-print, sorted, beside what the program printed.
agree()
{
	sort "$1" > have
	sort "$2" > want
	cmp -s have want || fail "$3: the values (<) differ from those that the program printed (>): $(diff have want | head)"
	[ "$(wc -l < have)" -gt 100 ] || fail "$3: only $(wc -l < have) values were compared"
}

if command -v babeltrace2 > /dev/null; then
	"$spoor" export --format=ctf -o ctf valued.trace
	babeltrace2 ctf > events
	sed -n 's/.* entry_arguments: .* function = ( "\([a-z]*\)" .*arguments = "\(.*\)" }$/\1 \2/p
		s/.* exit_result: .* function = ( "\([a-z]*\)" .*result = "\(.*\)" }$/\1 = \2/p' events > babeltraced
	python3 - printed > ctf_printed << 'END'
import re
import sys
for line in open(sys.argv[1]):
    name, arguments, result = re.match(r"(\w+) (.*) = (\S+)$", line).groups()
    # The text is quoted once by spoor, and once by babeltrace2.
    print(name, arguments.replace('"x"', r'\"x\"').replace("\\", "\\\\").replace('"', r'\"'))
    print(name, "=", result)
END
	agree babeltraced ctf_printed ctf
fi

if command -v otf2-print > /dev/null && ! "$spoor" export --format=otf2 -o none nowhere 2>&1 | grep -q 'apt-get install libotf2'; then
	"$spoor" export --format=otf2 -o otf2 valued.trace
	otf2-print otf2/traces.otf2 > events
	python3 - events > otf2_have << 'END'
import re
import sys
for line in open(sys.argv[1]):
    for name, kind, value in re.findall(r'\("(\w+)" <\d+>; (\w+); ("[^"]*(?:"x"")?" <\d+>|[^)]*)\)', line):
        print(name, re.sub(r" <\d+>$", "", value) if kind == "STRING" else repr(float(value)) if kind == "DOUBLE" else int(value))
END
	python3 - printed > otf2_want << 'END'
import re
import sys
for line in open(sys.argv[1]):
    name, arguments, result = re.match(r"(\w+) (.*) = (\S+)$", line).groups()
    for argument in arguments.split(", "):
        print(*argument.split("=", 1))
    print("result", result)
END
	python3 - otf2_want > otf2_numbers << 'END'
import re
import sys
for line in open(sys.argv[1]):
    name, value = line.rstrip("\n").split(" ", 1)
    print(name, value if '"' in value else int(value) if re.fullmatch(r"-?\d+", value) else repr(float(value)))
END
	agree otf2_have otf2_numbers otf2
fi
