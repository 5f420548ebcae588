# SPDX-License-Identifier: MIT
# call_counts.sh - how often each function was called, by a trace and by an
# oracle; for scripts to source. The oracle is a second build of the same
# program, with hooks that the compiler inserts and programs/count_hooks.c counts.
#
# A count is a line "library TAB function TAB calls". Functions have their
# linkage names; static ones that share one in a library are added up.

spoor=$top_builddir/tools/spoor
tab=$(printf '\t')

# build_hooks DIRECTORY - the counting library; $hooks is its path.
build_hooks()
{
	hooks=$1/count_hooks.so
	"$LLVM_BINDIR/clang" -O2 -Wall -Wextra -fPIC -shared -o "$hooks" \
		"$top_srcdir/tests/programs/count_hooks.c"
}

# Symbols of functions in the files on stdin: library, address, name.
function_symbols()
{
	while read -r module; do
		nm -p --defined-only "$module" | awk -v library="${module##*/}" '
			$2 ~ /^[tTwWiu]$/ {
				address = $1; sub(/^0+/, "", address)
				print library "\t" address "\t" $3
			}'
	done
}

# Names of one address are one function: the first of them stands for all.
first_names()
{
	sort -t"$tab" -k1,1 -k2,2 -k3 -u |
		awk -F'\t' '{ key = $1 FS $2; if (!(key in first)) first[key] = $3; print $0 FS first[key] }'
}

# add_up - one line a library and function, sorted.
add_up()
{
	awk -F'\t' -v OFS='\t' '
		{ calls[$1 FS $2] += $3 }
		END { for (key in calls) if (calls[key]) printf "%s\t%.0f\n", key, calls[key] }' |
		LC_ALL=C sort
}

# oracle_counts SYMBOLS FILE... - what count_hooks.so wrote. @SYMBOLS is written.
oracle_counts()
{
	symbols=$1
	shift
	cut -f1 "$@" | sort -u | function_symbols | first_names > "$symbols"
	awk -F'\t' -v OFS='\t' '
		NR == FNR { name[$1 FS $2] = $4; next }
		{
			sub(/.*\//, "", $1)
			key = $1 FS $2
			print $1, key in name ? name[key] : "no symbol at " $2, $3
		}' "$symbols" "$@" | add_up
}

# trace_counts SYMBOLS TRACE - what the report says.
trace_counts()
{
	"$spoor" report --format=csv --no-demangle "$2" > "$1.report" || return
	awk -F'\t' -v OFS='\t' '
		# The first three fields of a line of comma-separated values.
		function split_line(line, i, n, c, quoted) {
			n = 1; field[1] = field[2] = field[3] = ""; quoted = 0
			for (i = 1; i <= length(line) && n <= 3; i++) {
				c = substr(line, i, 1)
				if (c == "\"" && quoted && substr(line, i + 1, 1) == "\"") {
					field[n] = field[n] c
					i++
				} else if (c == "\"")
					quoted = !quoted
				else if (c == "," && !quoted)
					n++
				else
					field[n] = field[n] c
			}
		}
		NR == FNR { first[$1 FS $3] = $4; next }
		FNR == 1 {
			if ($0 != "function,library,calls,total_ns,self_ns,avg_ns,min_ns,max_ns") {
				print "the report begins with " $0 > "/dev/stderr"
				exit 1
			}
			next
		}
		{
			split_line($0)
			sub(/.*\//, "", field[2])
			sub(/\(\)$/, "", field[1])
			key = field[2] FS field[1]
			print field[2], key in first ? first[key] : field[1], field[3]
		}' "$1" "$1.report" | add_up
}

# counts_agree WHAT ORACLE TRACE LEAST - false, with a list, where any count
# differs, or where fewer than LEAST functions were called at all.
counts_agree()
{
	if ! LC_ALL=C diff -U0 "$2" "$3" > "$3.diff"; then
		echo "$1: the counts differ (- oracle, + trace):"
		grep '^[-+][^-+]' "$3.diff" | head -n 60
		return 1
	fi
	awk -F'\t' -v what="$1" -v least="$4" '
		{ calls += $3; library[$1] = 1 }
		END {
			for (each in library) libraries++
			printf "%s: %d functions of %d modules, %.0f calls, all equal\n", what, NR, libraries, calls
			if (NR < least) print what ": fewer than " least " functions were called"
			exit NR < least
		}' "$2"
}
