# SPDX-License-Identifier: MIT
# gcc.sh - measures what dormant sleds of GCC's plugin cost, beside plain code and -finstrument-functions; run sources
# this file.

# least_times FILE NAME=COMMAND... - runs the commands in turns. Writes lines "NAME SECONDS" with the least user time. Fails if
# a command fails.
least_times()
{
	local file=$1 round pair
	local TIMEFORMAT='%U'

	shift
	for pair; do
		(eval "${pair#*=}") > /dev/null 2>&1 || fail "this fails: ${pair#*=}"
	done
	for round in $(seq "$rounds"); do
		say "round $round of $rounds"
		for pair; do
			echo "${pair%%=*} $({ time eval "${pair#*=}" > /dev/null 2>&1; } 2>&1)"
		done
	done | sort -k1,1 -k2,2g | awk '!seen[$1]++' > "$file"
	say ""
}

# least_ratio FILE NAME - prints the ratio of the least time of NAME to that of "plain".
least_ratio()
{
	calculate "$(awk -v n="$2" '$1 == n { print $2 }' "$1") / $(awk '$1 == "plain" { print $2 }' "$1")"
}

# compare_ways WHAT FOLDER COMMAND - compares FOLDER/plain, FOLDER/sleds and FOLDER/hooks, in each of which COMMAND runs.
compare_ways()
{
	least_times "$work/gcc.times" "plain=cd $2/plain && $3" "sleds=cd $2/sleds && $3" "hooks=cd $2/hooks && $3"
	aim "$1, dormant sleds" "$(least_ratio "$work/gcc.times" sleds)" "x plain" 1.01
	note "$1, dormant hooks (-finstrument-functions)" "$(least_ratio "$work/gcc.times" hooks)" "x plain"
}

# loaded_bytes FILE SECTION - prints the size of a section.
loaded_bytes()
{
	size -A "$1" | awk -v s="$2" '$1 == s { print $2; found = 1 } END { if (!found) print 0 }'
}

# note_sizes COMPILER PLAIN SLEDS - prints what sleds add to a library.
note_sizes()
{
	local functions=$(($(loaded_bytes "$3" spoor_functions) / 16)) what="${3##*/} by $1"

	note "$what: text for each of $functions functions" \
		"$(calculate "($(loaded_bytes "$3" .text) - $(loaded_bytes "$2" .text)) / $functions")" bytes
	note "$what: loaded tables for each" \
		"$(calculate "($(loaded_bytes "$3" spoor_functions) + $(loaded_bytes "$3" xray_instr_map)) / $functions")" bytes
	note "$what: .spoor_symbols in the file for each" "$(calculate "$(loaded_bytes "$3" .spoor_symbols) / $functions")" bytes
}

# instructions FOLDER WORKLOAD - prints how many instructions callgrind counts.
instructions()
{
	(
		cd "$1"
		$2 valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=callgrind.log
		sed -n 's/.* Collected : //p' callgrind.log
	)
}

# compare_instructions WHAT FOLDER WORKLOAD - does not depend on how busy the machine is.
compare_instructions()
{
	note "$1, dormant sleds: instructions" \
		"$(calculate "$(instructions "$2/sleds" "$3") / $(instructions "$2/plain" "$3")")" "x plain"
}

compile_lua()
{
	(cd "$work/objects" && "$1" -O2 -w $lua_flags -c "$sources"/lua/*.c)
}

# workload_lua_in_places - runs Lua's workload with three places of its functions in memory.
workload_lua_in_places()
{
	workload_lua && (cd 32 && workload_lua) && (cd 64 && workload_lua)
}

measure_gcc()
{
	local spoor_gcc=$top_builddir/tools/spoor-gcc plain_gcc folder=$work/gcc way place

	"$spoor_gcc" -c -x c /dev/null -o "$work/null.o" || fail "GCC has no plugin: apt-get install gcc-12-plugin-dev"
	command -v valgrind > /dev/null || fail "valgrind is missing: apt-get install valgrind"
	plain_gcc=gcc$(sed -n 's/^SPOOR_GCC_SUFFIX = //p' "$top_builddir/Makefile")
	. "$top_srcdir/tests/integration/support/real_program_builds.sh"
	heading "GCC's plugin: user time beside plain $plain_gcc -O2, least of $rounds runs in turns"
	prepare_lua
	prepare_sqlite
	SQLITE_ROWS=6000
	for way in plain sleds hooks clang_plain clang_sleds; do
		mkdir -p "$folder/fib/$way" "$folder/lua/$way" "$folder/sqlite/$way"
		case $way in
		plain) set -- "$plain_gcc" ;;
		sleds) set -- "$spoor_gcc" ;;
		hooks) set -- "$plain_gcc" -finstrument-functions ;;
		clang_plain) set -- "$clang" ;;
		clang_sleds) set -- "$top_builddir/tools/spoor-cc" ;;
		esac
		# The place of code in memory changes its time, with sleds and without: a short loop's by a quarter.
		for place in 16 32 64; do
			"$@" -O2 -falign-functions=$place "$bench/gcc_cost.c" -o "$folder/fib/$way/cost.$place"
		done
		for place in 32 64; do
			mkdir -p "$folder/lua/$way/$place"
			(build_lua "$folder/lua/$way/$place" "$@" -O2 -w -falign-functions=$place)
		done
		(build_lua "$folder/lua/$way" "$@" -O2 -w)
		(build_sqlite "$folder/sqlite/$way" "$@" -O2 -w)
	done
	compare_ways "Fibonacci, in three places" "$folder/fib" "./cost.16 && ./cost.32 && ./cost.64"
	compare_ways "200 million calls of a leaf, in three places" "$folder/fib" \
		"./cost.16 leaf && ./cost.32 leaf && ./cost.64 leaf"
	compare_ways "Lua's workload, in three places" "$folder/lua" workload_lua_in_places
	compare_ways "SQLite's workload" "$folder/sqlite" workload_sqlite
	SQLITE_ROWS=50
	compare_instructions "Lua's workload" "$folder/lua" workload_lua
	compare_instructions "SQLite's workload" "$folder/sqlite" workload_sqlite
	for way in lua/%/liblua.so sqlite/%/libsqlite3.so; do
		note_sizes GCC "$folder/${way/\%/plain}" "$folder/${way/\%/sleds}"
		note_sizes clang "$folder/${way/\%/clang_plain}" "$folder/${way/\%/clang_sleds}"
	done
	mkdir -p "$work/objects"
	least_times "$work/gcc.times" "plain=compile_lua $plain_gcc" "sleds=compile_lua $spoor_gcc"
	aim "compiling Lua with the plugin" "$(least_ratio "$work/gcc.times" sleds)" "x plain" 1.05
}
