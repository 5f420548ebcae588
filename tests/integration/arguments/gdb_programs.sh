#!/bin/sh
# SPDX-License-Identifier: MIT
# gdb_programs.sh - the arguments and results of every call of Lua and SQLite in a trace are those that gdb shows in the
# same run, by the debug information: when each function begins, and where its caller continues. The scripts
# that the programs run are short, because gdb needs milliseconds for a call.
#
# DEBUGGED_PROGRAMS: lua, sqlite; LEVELS: optimisation levels.
set -eu
: "${DEBUGGED_PROGRAMS:=lua}" "${LEVELS:=-O2}"
. "$top_srcdir/tests/integration/support/life.sh"
. "$top_srcdir/tests/integration/support/real_program_builds.sh"
here=$top_srcdir/tests/integration/arguments
[ "$SPOOR_ARCH" = x86_64 ] || skip "it compares with gdb on x86-64"
command -v gdb > /dev/null || skip "no gdb: apt-get install gdb"
SPOOR_CC=${SPOOR_CC:-$clang}
export SPOOR_CC

cat > script.lua << 'END'
local t = {}
for i = 1, 9 do t[i] = i * 1.5 t["k" .. i] = tostring(i):rep(2) end
table.sort(t, function(a, b) return a > b end)
local made = setmetatable({}, { __index = function(_, k) return k .. "!" end, __close = function() end })
local co = coroutine.wrap(function(n) local got <close> = made for i = 1, n do coroutine.yield(i) end end)
print(co(2), co(), made.x, #t, 7 // 2, 2 ^ 0.5, ("a-b-c"):gsub("%-", "+"), string.format("%5.1f|%s|%x", 2.25, made, 255) ~= nil)
print(pcall(error, { 1 }) == false, pcall(function() local x <const> = nil; return x.y end))
print(load("x = = 1"), select("#", table.unpack(t)), utf8.char(233, 8364), math.maxinteger // -1)
END
cat > script.sql << 'END'
CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT UNIQUE, area REAL, people INTEGER CHECK(people >= 0));
CREATE TABLE road(a REFERENCES city(id), b, km REAL, PRIMARY KEY(a, b)) WITHOUT ROWID;
CREATE TRIGGER grown AFTER UPDATE OF people ON city BEGIN INSERT INTO road VALUES(new.id, new.id, 0.5); END;
INSERT INTO city VALUES(1, 'Ulm', 118.7, 129000), (2, 'Bonn', 141.1, 331000), (3, 'Jena', 114.8, -0), (4, NULL, 1e300, 7);
UPDATE city SET people = people + 1 WHERE name LIKE '%n%' AND id BETWEEN 1 AND 3;
SELECT c.name, sum(km), count(*) FROM city c LEFT JOIN road ON a = c.id GROUP BY c.name HAVING count(*) < 5 ORDER BY 2 DESC, 1;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i * 3 FROM n WHERE i < 50) SELECT group_concat(i), avg(i), max(i / 2.0) FROM n;
SELECT printf('%08.3f %s %d', 2.5, upper('abc'), 1 << 40), substr('abcdef', -3), round(2.567, 1), abs(-9223372036854775807);
BEGIN; DELETE FROM city WHERE id > 3; ROLLBACK;
INSERT INTO city VALUES(1, 'x', 1, 1);
SELECT nothing FROM city;
END

# compared PROGRAM LEVEL - builds the program, runs it in gdb, and compares.
compared()
{
	name=$1 level=$2
	mkdir -p "$work/$name$level"
	(build_$name "$work/$name$level" "$SPOOR_DRIVERS/spoor-cc" "$level" -g -w)
	cd "$work/$name$level"
	cp "$work/script.lua" "$work/script.sql" .
	case $name in
	lua) program=./lua words=script.lua files='lua liblua.so' ;;
	sqlite) program=./sqlite3 words='-batch -init /dev/null :memory: < script.sql' files='sqlite3 libsqlite3.so' ;;
	esac

	# What the script reaches.
	SPOOR_RUNTIME_FUNCTIONS='*' SPOOR_RUNTIME_TRACE_PATH=reached.trace LD_PRELOAD=$libspoor sh -c "$program $words" > plain 2>&1 || :
	"$top_builddir/tools/spoor" report --format=csv reached.trace 2> err |
		awk -F, -v files=" $files " 'NR > 1 && index(files, " " $2 " ") { print $2, $1 }' > reached
	[ -s reached ] || fail "$name $level: the first run has no calls: $(cat err plain)"

	debugged_environment="SPOOR_RUNTIME_TRACE_PATH=$PWD/gdb.trace SPOOR_RUNTIME_FUNCTIONS=* SPOOR_RUNTIME_ARGS=*
		SPOOR_RUNTIME_RETVAL=* LD_PRELOAD=$libspoor"
	debugged_seconds=1800 GDB_LEVEL=$level
	export GDB_LEVEL
	# shellcheck disable=SC2086
	debugged "$here/gdb_programs.py" printed $program $words || fail "$name $level: gdb ended with status $?: $(tail gdb.out)"
	[ -s gdb.calls ] || fail "$name $level: gdb saw no call: $(tail gdb.out)"
	"$top_builddir/tools/spoor" export --format=json --flat -o calls.json gdb.trace
	python3 "$here/compare_calls.py" gdb.calls calls.json > counts 2> differences ||
		fail "$name $level: the values differ: $(head -n 20 differences)"
	sed "s/^/$name $level: /" counts
	cd "$work"
}

for debugged_name in $DEBUGGED_PROGRAMS; do
	prepare_$debugged_name
	for debugged_level in $LEVELS; do
		compared "$debugged_name" "$debugged_level"
	done
done
