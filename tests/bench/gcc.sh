# SPDX-License-Identifier: MIT
# gcc.sh - measures what dormant sleds of GCC's plugin cost, beside plain code and -finstrument-functions; run sources
# this file.

# least_times FILE NAME=COMMAND... - runs the commands in turns. Writes lines "NAME SECONDS" with the least user time.
least_times()
{
	local file=$1 round pair
	local TIMEFORMAT='%U'

	shift
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

measure_gcc()
{
	local spoor_gcc=$top_builddir/tools/spoor-gcc plain_gcc folder way functions

	"$spoor_gcc" -c -x c /dev/null -o "$work/null.o" || fail "GCC has no plugin: apt-get install gcc-12-plugin-dev"
	plain_gcc=gcc$(sed -n 's/^SPOOR_GCC_SUFFIX = //p' "$top_builddir/Makefile")
	. "$top_srcdir/tests/integration/support/real_program_builds.sh"
	heading "GCC's plugin: user time beside plain $plain_gcc -O2, least of $rounds runs in turns"
	prepare_lua
	prepare_sqlite
	SQLITE_ROWS=400
	for way in plain sleds hooks; do
		folder=$work/gcc
		mkdir -p "$folder/fib/$way" "$folder/lua/$way" "$folder/sqlite/$way"
		case $way in
		plain) set -- "$plain_gcc" ;;
		sleds) set -- "$spoor_gcc" ;;
		hooks) set -- "$plain_gcc" -finstrument-functions ;;
		esac
		"$@" -O2 "$bench/gcc_cost.c" -o "$folder/fib/$way/cost"
		(build_lua "$folder/lua/$way" "$@" -O2 -w)
		(build_sqlite "$folder/sqlite/$way" "$@" -O2 -w)
	done
	compare_ways "Fibonacci" "$folder/fib" ./cost
	compare_ways "200 million calls of a leaf" "$folder/fib" "./cost leaf"
	compare_ways "Lua's workload" "$folder/lua" workload_lua
	compare_ways "SQLite's workload" "$folder/sqlite" workload_sqlite
	for way in lua/%/liblua.so sqlite/%/libsqlite3.so; do
		set -- "$folder/${way/\%/plain}" "$folder/${way/\%/sleds}"
		functions=$(($(loaded_bytes "$2" spoor_functions) / 16))
		note "${2##*/}: text for each of $functions functions" \
			"$(calculate "($(loaded_bytes "$2" .text) - $(loaded_bytes "$1" .text)) / $functions")" bytes
		note "${2##*/}: loaded tables for each" \
			"$(calculate "($(loaded_bytes "$2" spoor_functions) + $(loaded_bytes "$2" xray_instr_map)) / $functions")" bytes
		note "${2##*/}: .spoor_symbols in the file for each" \
			"$(calculate "$(loaded_bytes "$2" .spoor_symbols) / $functions")" bytes
	done
	least_times "$work/gcc.times" "plain=$plain_gcc -O2 -w $sqlite_flags -c $sources/sqlite/sqlite3.c -o $work/one.o" \
		"sleds=$spoor_gcc -O2 -w $sqlite_flags -c $sources/sqlite/sqlite3.c -o $work/one.o"
	aim "compiling SQLite's amalgamation with the plugin" "$(least_ratio "$work/gcc.times" sleds)" "x plain" 1.05
}
