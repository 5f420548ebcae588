# SPDX-License-Identifier: MIT
# call_counts.sh - counts the entries and exits of each function, in a trace and with an oracle; scripts source this
# file. The oracle is a second build of the same program: the compiler inserts hooks, and programs/count_hooks.c
# counts their calls.
#
# Counts are lines "library TAB function TAB entries TAB exits". Functions have their linkage names. The counts of
# static functions with the same name in one library are added up.

spoor=$top_builddir/tools/spoor
tab=$(printf '\t')

# Counts calls in a trace.
raw_counts=$top_builddir/tests/integration/support/raw_counts

# build_counters DIRECTORY - builds $hooks, which counts calls in a process.
build_counters()
{
	hooks=$1/count_hooks.so
	"$LLVM_BINDIR/clang" -O2 -Wall -Wextra -fPIC -shared -o "$hooks" \
		"$top_srcdir/tests/programs/count_hooks.c"
}

# function_symbols - prints library, address and name of each function in the files that stdin lists.
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

# first_names - gives all names of one address the first of these names, because they are one function.
first_names()
{
	LC_ALL=C sort -t"$tab" -k1,1 -k2,2 -k3 -u |
		awk -F'\t' '{ key = $1 FS $2; if (!(key in first)) first[key] = $3; print $0 FS first[key] }'
}

# add_up - prints one line for each library and function, sorted.
add_up()
{
	awk -F'\t' -v OFS='\t' '
		{ entries[$1 FS $2] += $3; exits[$1 FS $2] += $4 }
		END {
			for (key in entries)
				if (entries[key] || exits[key])
					printf "%s\t%.0f\t%.0f\n", key, entries[key], exits[key]
		}' | LC_ALL=C sort
}

# named_counts SYMBOLS FILE... - prints the counts that count_hooks.so or raw_counts wrote, with names instead of
# addresses. Writes SYMBOLS.
named_counts()
{
	symbols=$1
	shift
	cut -f1 "$@" | sort -u | function_symbols | first_names > "$symbols"
	awk -F'\t' -v OFS='\t' '
		NR == FNR { name[$1 FS $2] = $4; next }
		{
			sub(/.*\//, "", $1)
			key = $1 FS $2
			print $1, key in name ? name[key] : "no symbol at " $2, $3, $4
		}' "$symbols" "$@" | add_up
}

# report_counts SYMBOLS TRACE - prints the calls that `spoor report` shows. The report has no exits.
report_counts()
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
			if (index($0, "function,library,calls,total_ns,self_ns,avg_ns,min_ns,max_ns,") != 1) {
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
			print field[2], key in first ? first[key] : field[1], field[3], 0
		}' "$1" "$1.report" | add_up
}

# same WHAT FILE FILE - fails and prints the differences if the files differ.
same()
{
	LC_ALL=C diff -U0 "$2" "$3" > "$3.diff" && return 0
	echo "$1 (- oracle, + trace):"
	grep '^[-+][^-+]' "$3.diff" | head -n 60
	return 1
}

# exits_differ COUNTS COUNTS - prints the functions whose number of exits is impossible. A trace may have more exits
# than the oracle: a function that ends in a jump to another function is left there. In the build with hooks the
# function calls the other one, and is not left if that call never returns.
exits_differ()
{
	paste "$1" "$2" | awk -F'\t' '$8 < $4 || $8 > $7 { print; wrong = 1 } END { exit !wrong }'
}

# trace_agrees WHAT DIRECTORY LEAST LEFT - compares DIRECTORY/trace, which has one process, with DIRECTORY/counts.*.
# Fails and prints the reason if the trace is incomplete, if the entries, exits or reported calls of any function
# differ, if fewer than LEAST functions were called, or if LEFT is "none" and calls have no exit.
trace_agrees()
{
	named_counts "$2/hooked.symbols" "$2"/counts.* > "$2/oracle"
	"$raw_counts" "$2"/trace/[0-9]* > "$2/raw" 2> "$2/raw.errors" || {
		echo "$1: the trace is not whole:"
		cat "$2/raw.errors"
		return 1
	}
	named_counts "$2/traced.symbols" "$2/raw" > "$2/traced.counts"
	report_counts "$2/hooked.symbols" "$2/trace" > "$2/report.counts" || return
	for counts in oracle traced.counts report.counts; do
		awk -F'\t' -v OFS='\t' '$3 { print $1, $2, $3 }' "$2/$counts" > "$2/$counts.calls"
	done
	same "$1: entries differ" "$2/oracle.calls" "$2/traced.counts.calls" || return
	same "$1: the report's calls differ" "$2/oracle.calls" "$2/report.counts.calls" || return
	"$spoor" info "$2/trace" > "$2/info" || return
	if exits_differ "$2/oracle" "$2/traced.counts" > "$2/exits.diff"; then
		echo "$1: exits differ (oracle, trace):"
		cat "$2/exits.diff"
		return 1
	fi
	grep -q '^ *lost  *nothing' "$2/info" || {
		echo "$1: events were lost:"
		cat "$2/info"
		return 1
	}
	awk -F'\t' -v what="$1" -v least="$3" -v left="$4" '
		{ entries += $3; exits += $4; library[$1] = 1 }
		END {
			for (each in library) libraries++
			printf "%s: %d functions of %d modules, %.0f calls, all as the oracle says; %.0f were left without an exit\n",
				what, NR, libraries, entries, entries - exits
			if (NR < least) print what ": fewer than " least " functions were called"
			if (left == "none" && entries != exits) print what ": entries and exits do not balance"
			exit NR < least || left == "none" && entries != exits
		}' "$2/traced.counts"
}
