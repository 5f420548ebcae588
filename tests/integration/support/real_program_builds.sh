# SPDX-License-Identifier: MIT
# real_program_builds.sh - how SQLite and Lua are built from Debian's source
# packages and what they run; for scripts to source. They say what fail does.

sources=$top_builddir/tests/work/sources
programs=$top_srcdir/tests/programs
: "${SQLITE_ROWS:=1500}"
. "$top_srcdir/tests/integration/support/debian_source.sh"

sqlite_flags='-DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE
	-DSQLITE_ENABLE_MATH_FUNCTIONS'
sqlite_extensions='spellfix percentile closure'
# The seed of Lua's hashes is an address and the time otherwise.
lua_flags='-std=gnu99 -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -Dluai_makeseed(L)=42u'

# prepare_sqlite - sqlite3.c and shell.c, which SQLite's own makefile puts together.
prepare_sqlite()
{
	command -v tclsh > /dev/null ||
		fail "SQLite's sources are put together by tclsh, which is missing: apt-get install tcl"
	mkdir -p "$sources"
	debian_source sqlite3 "$sources"
	test -e "$sources/sqlite/done" && return
	mkdir -p "$sources/sqlite"
	(
		cd "$sources/sqlite"
		# Text is made here, by programs for this machine whatever the text is for.
		PATH=${PATH#"$top_builddir"/tests/cross:}
		"$source_directory/configure" CC=cc > configure.log 2>&1 &&
			make sqlite3.c shell.c > make.log 2>&1
	) || fail "SQLite's sources cannot be put together: see $sources/sqlite/*.log"
	for extension in $sqlite_extensions; do
		cp "$source_directory/ext/misc/$extension.c" "$sources/sqlite/"
	done
	touch "$sources/sqlite/done"
}

# Lua hashes objects by their addresses, and collisions cost calls: let all collide.
prepare_lua()
{
	mkdir -p "$sources"
	debian_source lua5.4 "$sources"
	test -e "$sources/lua/done" && return
	rm -rf "$sources/lua"
	cp -r "$source_directory/src" "$sources/lua"
	rm "$sources/lua/luac.c"
	sed -i 's/^#define point2uint(p).*/#define point2uint(p)	((void)(p), 1u)/' "$sources/lua/llimits.h"
	grep -q '(void)(p), 1u' "$sources/lua/llimits.h" || fail "Lua hashes addresses another way now"
	touch "$sources/lua/done"
}

# build_sqlite DIRECTORY COMPILER FLAG...
build_sqlite()
{
	cd "$1"
	shift
	"$@" $sqlite_flags -fPIC -shared -o libsqlite3.so "$sources/sqlite/sqlite3.c" -lm
	"$@" $sqlite_flags -o sqlite3 "$sources/sqlite/shell.c" -L. -lsqlite3 -ldl -Wl,-rpath,'$ORIGIN'
	for extension in $sqlite_extensions; do
		"$@" -fPIC -shared -I"$sources/sqlite" -o $extension.so "$sources/sqlite/$extension.c"
	done
}

# build_lua DIRECTORY COMPILER FLAG...
build_lua()
{
	cd "$1"
	shift
	for file in "$sources"/lua/*.c; do
		object=${file##*/}
		"$@" $lua_flags -fPIC -c -o "${object%.c}.o" "$file"
	done
	mv lua.o main.o
	"$@" -shared -o liblua.so l*.o -lm -ldl
	"$@" -o lua main.o -L. -llua -Wl,-rpath,'$ORIGIN'
}

# workload_sqlite, workload_lua [COMMAND...] - runs the workload in the working
# directory, under COMMAND if there is one. What it did lies in the file output.
workload_sqlite()
{
	rm -f -- *.db *.db-journal dump.sql
	status=0
	{
		echo ".parameter set @rows $SQLITE_ROWS"
		cat "$programs/workloads/workload.sql"
	} | "$@" ./sqlite3 -batch -init /dev/null workload.db > output 2>&1 || status=$?
	echo "exit status $status" | cat dump.sql - >> output
}

workload_lua()
{
	status=0
	"$@" ./lua "$programs/workloads/workload.lua" > output 2>&1 || status=$?
	echo "exit status $status" >> output
}
