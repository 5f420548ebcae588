# SPDX-License-Identifier: MIT
# names.sh - measures what it costs to store the names of functions when a recording ends: time, and bytes beside the
# events of a minute; run sources this file.

# make_named FUNCTIONS - builds $work/named, a program of C++ with this many functions, a tenth of which it calls.
make_named()
{
	say "a program of $1 functions"
	awk -v functions="$1" 'BEGIN {
		print "#include <cstdio>\n#include <cstdlib>\n#include <ctime>\n#include <string>\n#include <vector>"
		print "volatile int seed;"
		for (i = 0; i < functions; i++)
			printf "namespace server { namespace part_%d { __attribute__((noinline)) int handle_the_request_%d(const std::vector<std::string> &, int value) { return seed += value; } } }\n", i / 100, i
		print "typedef int function(const std::vector<std::string> &, int);\nstatic function *const all[] = {"
		for (i = 0; i < functions; i++)
			printf "\tserver::part_%d::handle_the_request_%d,\n", i / 100, i
		print "};\nint main(int, char **argv)\n{\n\tlong rounds = atol(argv[1]);\n\tstd::vector<std::string> none;"
		print "\tstruct timespec pause = { 0, 10000000 };"
		print "\tfor (long round = 0; round < rounds; round++) {"
		printf "\t\tfor (int i = 0; i < %d; i += 10)\n\t\t\tall[i](none, i);\n", functions
		print "\t\tif (rounds > 1)\n\t\t\tnanosleep(&pause, nullptr);\n\t}\n}"
	}' > "$work/named.cc"
	"$top_builddir/tools/spoor-c++" -O1 -g -o "$work/named" "$work/named.cc"
}

# milliseconds OPTION... - prints the wall time of a recording that makes one round of calls.
milliseconds()
{
	begin=$(date +%s%N)
	"$spoor" record -q "$@" -o "$work/named.trace" "$work/named" 1 2> "$work/named.err"
	echo $((($(date +%s%N) - begin) / 1000)) | awk '{ print $1 / 1000 }'
}

bytes_in()
{
	find "$@" -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }'
}

measure_names()
{
	heading "Names that are stored when a recording ends"
	for functions in 10000 100000; do
		test "$rounds" -gt 3 || functions=$((functions / 10))
		make_named $functions
		rm -f "$work/with" "$work/without"
		for round in $(seq $repeats); do
			milliseconds >> "$work/with"
			milliseconds --no-symbols >> "$work/without"
		done
		aim "$functions functions, a tenth called: time" \
			"$(calculate "$(median < "$work/with") - $(median < "$work/without")")" "ms" 100
		milliseconds > "$work/with"
		note "$functions functions, a tenth called: names" "$(calculate "$(bytes_in "$work/named.trace/symbols") / 1024")" "KiB"
		note "$functions functions, a tenth called: executable" "$(calculate "$(stat -c %s "$work/named") / 1024")" "KiB"
		rm -rf "$work/named.trace" "$work/named.trace.old"
	done
	make_named 10000
	# A round of 1,000 calls takes 10 ms.
	"$spoor" record -q -o "$work/named.trace" "$work/named" $((sustained_seconds * 97)) 2> "$work/named.err"
	aim "$sustained_seconds seconds of 100,000 calls a second: names, against the events" \
		"$(calculate "100 * $(bytes_in "$work/named.trace/symbols") / $(bytes_in "$work/named.trace/"[0-9]*)")" "%" 5
	rm -rf "$work/named.trace" "$work/named.trace.old"
}
