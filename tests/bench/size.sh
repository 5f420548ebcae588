# SPDX-License-Identifier: MIT
# size.sh - measures the bytes that spoor adds to a library, on disk and in memory; run sources this file.

# section FILE PATTERN - prints the bytes of the sections whose names match.
section()
{
	size -A "$1" | awk -v pattern="$2" '$1 ~ pattern { sum += $2 } END { print sum + 0 }'
}

measure_size()
{
	. "$top_srcdir/tests/integration/support/real_program_builds.sh"
	heading "Size"
	say "SQLite's sources"
	prepare_sqlite
	for way in plain spoor; do
		test -e "$work/sqlite.$way/sqlite3" && continue
		say "building SQLite: $way"
		mkdir -p "$work/sqlite.$way"
		compiler=$clang
		test $way = spoor && compiler=$spoor_cc
		(build_sqlite "$work/sqlite.$way" "$compiler" -O2)
	done
	plain=$work/sqlite.plain/libsqlite3.so traced=$work/sqlite.spoor/libsqlite3.so
	functions=$(($(section "$traced" '^spoor_functions$') / 16))
	test "$functions" -gt 0 || fail "libsqlite3.so has no function table"
	note "libsqlite3.so: functions with sleds" "$functions" ""
	for part in text:'^[.](text|init|fini|plt)' eh:'^[.]eh_frame' \
		'sled map:^xray_instr_map$' 'function table:^spoor_functions$' 'symbols, not loaded:^[.]spoor_symbols$' \
		'signatures, not loaded:^[.]spoor_signatures$'; do
		added=$(($(section "$traced" "${part#*:}") - $(section "$plain" "${part#*:}")))
		note "bytes added a function: ${part%%:*}" "$(calculate "$added / $functions")" "bytes"
	done
	for way in plain spoor; do
		cp "$work/sqlite.$way/libsqlite3.so" "$work/stripped.$way"
		strip "$work/stripped.$way"
	done
	added=$(($(stat -c %s "$work/stripped.spoor") - $(stat -c %s "$work/stripped.plain")))
	note "bytes added a function: the stripped file" "$(calculate "$added / $functions")" "bytes"
	note "the stub: code and data" "$(size -t "$top_builddir/libspoor_dso/libspoor_dso.a" |
		awk '/TOTALS/ { print $1 + $2 + $3 }')" "bytes"
	note "libspoor.so: code and data in the file" "$(size "$runtime" | awk 'NR == 2 { print $1 + $2 }')" "bytes"

	echo
	say "SQLite's workload"
	for round in $(seq $((rounds / 2 + 1))); do
		for way in plain dormant log; do
			trace=$work/trace
			rm -rf "$trace"
			before=$(date +%s%N)
			case $way in
			plain) (cd "$work/sqlite.plain" && workload_sqlite) ;;
			dormant) (cd "$work/sqlite.spoor" && workload_sqlite) ;;
			log) (cd "$work/sqlite.spoor" && workload_sqlite "$spoor" record -o "$trace" --) ;;
			esac
			echo "$way $(($(date +%s%N) - before))"
		done
	done > "$work/sqlite.samples"
	say ""
	for way in plain dormant log; do
		note "SQLite's workload, $way: wall" \
			"$(awk -v way=$way '$1 == way { print $2 / 1e9 }' "$work/sqlite.samples" | median)" "s"
	done
	events=$("$spoor" report --format=csv "$work/trace" | awk -F, 'NR > 1 { calls += $3 } END { printf "%.0f\n", 2 * calls }')
	note "SQLite's workload: events" "$events" ""
	note "SQLite's workload: events lost" "$(lost_events "$work/trace")" ""
	aim "SQLite's workload: the trace on disk" \
		"$(calculate "$(du -sB1 "$work/trace" | cut -f1) / $events")" "bytes/event" 3
	rm -rf "$work/trace"
}
