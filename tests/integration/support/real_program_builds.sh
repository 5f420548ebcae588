# SPDX-License-Identifier: MIT
# real_program_builds.sh - builds SQLite and Lua from Debian's source packages and runs their workloads; scripts that
# define fail source this file.

sources=$top_builddir/tests/work/sources
programs=$top_srcdir/tests/programs
: "${SQLITE_ROWS:=1500}"
. "$top_srcdir/tests/integration/support/debian_source.sh"

sqlite_flags='-DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE
	-DSQLITE_ENABLE_MATH_FUNCTIONS'
sqlite_extensions='spellfix percentile closure'
# Otherwise Lua seeds its hashes with an address and the time.
lua_flags='-std=gnu99 -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -Dluai_makeseed(L)=42u'

# prepare_sqlite - makes sqlite3.c and shell.c with SQLite's own makefile.
prepare_sqlite()
{
	command -v tclsh > /dev/null ||
		fail "tclsh is missing, which builds SQLite's sources: apt-get install tcl"
	mkdir -p "$sources"
	debian_source sqlite3 "$sources"
	test -e "$sources/sqlite/done" && return
	mkdir -p "$sources/sqlite"
	(
		cd "$sources/sqlite"
		# These programs generate text and run on this machine, even if the build is for another one.
		PATH=${PATH#"$top_builddir"/tests/cross:}
		"$source_directory/configure" CC=cc > configure.log 2>&1 &&
			make sqlite3.c shell.c > make.log 2>&1
	) || fail "SQLite's sources could not be built: $(tail -n 3 "$sources"/sqlite/*.log)"
	for extension in $sqlite_extensions; do
		cp "$source_directory/ext/misc/$extension.c" "$sources/sqlite/"
	done
	touch "$sources/sqlite/done"
}

# prepare_lua - Lua hashes objects by address, and collisions change the number of calls. Here all objects collide.
prepare_lua()
{
	mkdir -p "$sources"
	debian_source lua5.4 "$sources"
	test -e "$sources/lua/done" && return
	rm -rf "$sources/lua"
	cp -r "$source_directory/src" "$sources/lua"
	rm "$sources/lua/luac.c"
	sed -i 's/^#define point2uint(p).*/#define point2uint(p)	((void)(p), 1u)/' "$sources/lua/llimits.h"
	grep -q '(void)(p), 1u' "$sources/lua/llimits.h" ||
		fail "$sources/lua/llimits.h has no macro point2uint to replace: Lua hashes addresses in another way"
	touch "$sources/lua/done"
}

# build_sqlite DIRECTORY COMPILER FLAG... - builds SQLite in the folder.
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

# build_lua DIRECTORY COMPILER FLAG... - builds Lua in the folder.
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

# workload_sqlite, workload_lua [COMMAND...] - run the workload in the working directory, under COMMAND if it is
# given. The results are in the file output.
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
