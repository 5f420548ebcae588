# SPDX-License-Identifier: MIT
# compiling.sh - measures how much longer the plugin makes a compilation; run sources this file.

# write_rules FILE - writes a hundred rules, of each kind that reads a text.
write_rules()
{
	for i in $(seq 25); do
		cat <<-END_OF_RULES
		[[block]]
		function_linkage_name = "no_such_function_$i.*"
		[[block]]
		function_demangled_name = ".*_nothing_$i"
		[[block]]
		source_file_path = '.*/no_such_folder_$i/.*\.[ch]'
		function_ir_instruction_count_gt = $i
		[[allow]]
		function_linkage_name = "(a|b)_such_function_[0-9]*_$i"
		END_OF_RULES
	done > "$1"
}

# processor_time COMMAND... - prints the processor time of the command and its children, in seconds.
processor_time()
{
	local TIMEFORMAT='%U %S'

	{ time "$@" > "$work/compiling.log" 2>&1 || fail "$*: $(cat "$work/compiling.log")"; } 2>&1 | awk '{ print $1 + $2 }'
}

# compile WAY LEVEL - compiles the sources once.
compile()
{
	local flags=

	case $1 in
	plugin | rules) flags=-fpass-plugin=$plugin ;;
	xray) flags='-fxray-instrument -fxray-instruction-threshold=1' ;;
	esac
	(
		[ "$1" != rules ] || export SPOOR_INSTRUMENTATION_FILTERS_FILE="$work/rules"
		processor_time "$clang" $flags "$2" $sqlite_flags -c "$sources/sqlite/sqlite3.c" -o "$work/sqlite3.o"
	)
}

# ratio WAY - prints the median of the samples of the present level.
ratio()
{
	awk -v way="$1" '$1 == way { print $2 }' "$work/compiling.samples" | median
}

measure_compiling()
{
	. "$top_srcdir/tests/integration/support/real_program_builds.sh"
	heading "Compiling SQLite's amalgamation: processor time beside that without the plugin"
	plugin=$top_builddir/pass/.libs/libspoor_instrumentation.so
	prepare_sqlite
	write_rules "$work/rules"
	for level in -O0 -O2; do
		for round in $(seq "$rounds"); do
			say "$level, round $round of $rounds"
			plain=$(compile plain $level)
			for way in plugin rules xray; do
				echo "$way $(calculate "$(compile $way $level) / $plain")"
			done
		done > "$work/compiling.samples"
		say ""
		aim "clang $level with the plugin" "$(ratio plugin)" "x" 1.03
		aim "clang $level with the plugin and 100 rules" "$(ratio rules)" "x" 1.05
		note "clang $level with -fxray-instrument, of all functions" "$(ratio xray)" "x"
	done
}
