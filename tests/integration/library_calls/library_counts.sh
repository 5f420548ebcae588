#!/bin/sh
# SPDX-License-Identifier: MIT
# library_counts.sh - library calls of Debian's own programs, which were not rebuilt, are counted exactly: the counts
# equal ltrace's for the program, and the dynamic loader's for all modules (programs/audit_calls.c). The programs'
# output does not change.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
tables=$top_srcdir/libspoor/library_calls

# The functions that the tables know.
sed -n 's/^CALL[_A-Z]*(\([^,)]*\).*/\1/p' "$tables"/known_*.def | LC_ALL=C sort -u > known
[ "$(wc -l < known)" -gt 4000 ] || fail "the tables have $(wc -l < known) functions: this script reads them wrongly"

# runs NAME COMMAND... - runs the command with library calls on, and without; writes counts of functions to NAME.spoor.
runs()
{
	runs_name=$1
	shift
	setarch -R "$@" > "$runs_name.plain" 2> "$runs_name.plain_err" < input || fail "$runs_name does not run"
	setarch -R "$spoor" record -q -o "$runs_name" --library-calls '*' "$@" > "$runs_name.out" 2> "$runs_name.err" < input ||
		fail "$runs_name fails: $(cat "$runs_name.err")"
	cmp "$runs_name.plain" "$runs_name.out" || fail "$runs_name prints other text"
	"$spoor" info "$runs_name" > "$runs_name.info"
	! grep -q 'lost.*[1-9]' "$runs_name.info" || fail "$runs_name lost events: $(cat "$runs_name.info")"
	"$spoor" report --no-pager --no-demangle --format csv --columns function,library,calls "$runs_name" |
		sed 1d | tr -d '"\r' > "$runs_name.csv"
	awk -F, '{ calls[$1] += $NF } END { for (name in calls) print calls[name], name }' "$runs_name.csv" |
		LC_ALL=C sort -k2 > "$runs_name.spoor"
	[ -s "$runs_name.spoor" ] || fail "$runs_name has no library calls"
}

# counts_as_ltrace NAME PATTERN COMMAND... - compares the functions that match.
counts_as_ltrace()
{
	ltrace_name=$1 ltrace_pattern=$2
	shift 2
	setarch -R ltrace -f -c -o "$ltrace_name.ltrace" "$@" > /dev/null 2>&1 < input || fail "ltrace cannot run $1"
	awk '$4 ~ /^[0-9]+$/ && NF == 5 { print $4, $5 }' "$ltrace_name.ltrace" | LC_ALL=C sort -k2 |
		LC_ALL=C join -1 2 -2 1 -o 1.1,1.2 - known | grep -E " ($ltrace_pattern)\$" > "$ltrace_name.expected"
	grep -E " ($ltrace_pattern)\$" "$ltrace_name.spoor" > "$ltrace_name.found"
	[ "$(wc -l < "$ltrace_name.expected")" -ge "$ltrace_least" ] || fail "ltrace counted only $(cat "$ltrace_name.expected")"
	cmp "$ltrace_name.expected" "$ltrace_name.found" ||
		fail "$ltrace_name: ltrace and spoor differ: $(diff "$ltrace_name.expected" "$ltrace_name.found")"
}

# counts_as_loader NAME EXCEPT COMMAND... - compares all functions that the loader reports, from all modules but the C
# library, of other modules. EXCEPT: functions whose number of calls depends on addresses or on the environment
counts_as_loader()
{
	loader_name=$1 loader_except=$2
	shift 2
	setarch -R env AUDIT_CALLS="$PWD/$loader_name.audit" LD_AUDIT="$PWD/audit_calls.so" "$@" > /dev/null 2>&1 < input ||
		fail "$1 does not run under the audit library"
	awk -F'\t' '$1 !~ /^(libc|ld-linux[^.]*)\.so/ && $2 != "" && $1 != $2 { calls[$3]++ } END { for (name in calls) print calls[name], name }' \
		"$loader_name.audit" | LC_ALL=C sort -k2 | LC_ALL=C join -1 2 -2 1 -o 1.1,1.2 - known |
		grep -vE " ($loader_except)\$" > "$loader_name.expected"
	grep -vE " ($loader_except)\$" "$loader_name.spoor" > "$loader_name.found"
	[ "$(wc -l < "$loader_name.expected")" -ge "$loader_least" ] || fail "the loader counted only $(cat "$loader_name.expected")"
	cmp "$loader_name.expected" "$loader_name.found" ||
		fail "$loader_name: the loader and spoor differ: $(diff "$loader_name.expected" "$loader_name.found")"
}

cc -O2 -Wall -Wextra -fPIC -shared -o audit_calls.so "$top_srcdir/tests/programs/audit_calls.c"

# SQLite's shell. Only the shell calls the library's interface.
cat > input << 'END'
create table t(a, b);
insert into t values (1, 'one'), (2, 'two'), (3, 'three');
select count(*), sum(a), group_concat(b) from t;
select length(b) from t order by b desc;
END
runs sqlite sqlite3 :memory:
ltrace_least=8
counts_as_ltrace sqlite 'sqlite3_.*' sqlite3 :memory:

# curl.
: > input
printf 'file contents\n' > served
runs curl /usr/bin/curl -s --no-progress-meter "file://$PWD/served"
ltrace_least=8
counts_as_ltrace curl 'curl_.*' /usr/bin/curl -s --no-progress-meter "file://$PWD/served"

# gzip is bound lazily: the loader reports each call.
cp "$tables/known_libc.def" input
runs gzip /usr/bin/gzip -c -9
loader_least=15
counts_as_loader gzip none /usr/bin/gzip -c -9

# Lua, and Python with modules that dlopen loads.
cat > input << 'END'
local words = {}
for i = 1, 300 do words[i] = string.format("%05d %s %g", i * 7919 % 1000, ("x"):rep(i % 7), i / 3) end
table.sort(words)
print(#words, words[1], os.time() > 0, pcall(error, "left"))
END
runs lua lua5.4 -
loader_least=15
# Lua's table of strings depends on addresses and the time.
counts_as_loader lua 'memcmp|strcmp' lua5.4 -
cat > input << 'END'
import zlib, bz2, json
data = zlib.compress(b"spoor " * 1000)
print(len(zlib.decompress(data)), len(bz2.compress(data)), json.dumps([1.5, "x"]))
END
export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
runs python /usr/bin/python3 -I -S -
loader_least=40
# Python copies the environment, and its memory depends on that. It binds its modules at once.
counts_as_loader python '(str|mem|wcs|wmem).*|malloc|free|realloc|calloc|getenv|mmap|munmap|mmap64|BZ2_.*' /usr/bin/python3 -I -S -
grep -q ' BZ2_bzCompress$' python.spoor || fail "the calls of a module that dlopen loaded are missing"
