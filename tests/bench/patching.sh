# SPDX-License-Identifier: MIT
# patching.sh - measures the time to patch the functions of a large library, and to load it; run sources this file.
# XRay's library has the same sources.

many=100000 many_units=20

# Every tenth function has a name that ends with _chosen.
generate_many()
{
	awk -v begin="$1" -v end="$2" 'BEGIN {
		for (i = begin; i < end; i++) {
			name = sprintf("many_%06d%s", i, i % 10 ? "" : "_chosen")
			printf "int %s(int x, int *p);\nint %s(int x, int *p)\n{\n", name, name
			printf "\tif (x == %d) {\n\t\tp[0] += x;\n\t\treturn p[1] ^ %d;\n\t}\n", i, i * 7
			printf "\tp[2] = x * %d;\n\treturn p[3] + p[4] * x;\n}\n\n", i % 1000 + 3
		}
	}'
}

# build_many NAME COMPILER FLAG... - builds libmany.so in the directory NAME.
build_many()
{
	directory=$work/$1
	test -e "$directory/libmany.so" && return
	shift
	mkdir -p "$directory"
	each=$((many / many_units))
	say "building a library of $many functions: $directory"
	for unit in $(seq 0 $((many_units - 1))); do
		test -e "$work/many.$unit.c" ||
			generate_many $((unit * each)) $(((unit + 1) * each)) > "$work/many.$unit.c"
		printf '%s\0' "$unit"
	done | xargs -0 -P "$(nproc)" -I UNIT "$@" -O1 -fPIC -c -o "$directory/UNIT.o" "$work/many.UNIT.c"
	"$@" -shared -Wl,-soname,libmany.so -o "$directory/libmany.so" "$directory"/*.o
	rm "$directory"/*.o
}

# build_own_many - builds the library, and the programs that patch and load it.
build_own_many()
{
	# The library of an older build has other sleds or another stub.
	test "$work/many.spoor/libmany.so" -nt "$top_builddir/libspoor_dso/libspoor_dso.a" &&
		test "$work/many.spoor/libmany.so" -nt "$top_builddir/pass/.libs/libspoor_instrumentation.so" ||
		rm -f "$work/many.spoor/libmany.so"
	build_many many.spoor "$spoor_cc"
	flags="-O2 -Wall -Wextra -I$top_srcdir/libspoor/include"
	"$spoor_cc" $flags -o "$work/patching.spoor" "$bench/patching.c" "$runtime" -ldl
	"$clang" $flags -o "$work/loading" "$bench/loading.c" -ldl
}

build_all_many()
{
	build_many many.plain "$clang"
	build_own_many
	build_many many.xray "$xray_clang" -fxray-instrument -fxray-instruction-threshold=1 -fxray-shared
	"$xray_clang" $flags -DXRAY -fxray-instrument -rdynamic -o "$work/patching.xray" "$bench/patching.c" -ldl
}

# build_nothing - builds a program that does nothing, with sleds and without, and the program that starts it.
build_nothing()
{
	echo 'int main(void) { return 0; }' > "$work/nothing.c"
	"$clang" -O2 -o "$work/nothing.plain" "$work/nothing.c"
	"$spoor_cc" -O2 -o "$work/nothing.spoor" "$work/nothing.c"
	build_spawning
}

# start_nothing WAY STARTS - runs the program STARTS times and prints the medians of its CPU and wall nanoseconds, from
# fork to exit.
start_nothing()
{
	case $1 in
	plain) "$work/spawning" "$2" "$work/nothing.plain" ;;
	preloaded) "$work/spawning" "$2" LD_PRELOAD="$runtime" "$work/nothing.plain" ;;
	dormant) "$work/spawning" "$2" "$work/nothing.spoor" ;;
	traced)
		"$work/spawning" "$2" LD_PRELOAD="$runtime" SPOOR_RUNTIME_TRACE_PATH="$work/trace" "$work/nothing.spoor"
		rm -rf "$work/trace"
		;;
	esac
}

# text_pages LIBRARY - prints the number of pages of text.
text_pages()
{
	size -A "$1" | awk '$1 == ".text" { print int(($2 + 4095) / 4096) }'
}

# patch_with spoor|xray FUNCTIONS REPEAT - prints changed functions, first and later nanoseconds.
patch_with()
{
	case $1 in
	spoor)
		LD_LIBRARY_PATH=$top_builddir/libspoor/.libs SPOOR_RUNTIME_MODULES='-*' \
			SPOOR_RUNTIME_TRACE_PATH=$work/trace \
			taskset -c "$last_processor" "$work/patching.spoor" "$work/many.spoor/libmany.so" "$2" "$3"
		;;
	xray) taskset -c "$last_processor" "$work/patching.xray" "$work/many.xray/libmany.so" "$2" "$3" ;;
	esac
	rm -rf "$work/trace"
}

# system_calls COMMAND... - prints how many system calls the command makes in all of its threads.
system_calls()
{
	strace -f -c -o "$work/calls" "$@" > /dev/null
	awk '$NF == "total" { print $4 }' "$work/calls"
}

measure_patching()
{
	build_all_many
	heading "Patching a library of $many functions: nanoseconds of CPU time"
	samples=$work/patching.samples
	for round in $(seq $repeats); do
		say "patching, round $round of $repeats"
		echo "spoor all $(patch_with spoor '*' 11)"
		echo "xray all $(patch_with xray '*' 11)"
		echo "spoor chosen $(patch_with spoor '*_chosen' 11)"
	done > "$samples"
	say ""
	for way in "spoor all" "xray all" "spoor chosen"; do
		changed=$(awk -v way="$way" '$1 " " $2 == way { print $3 }' "$samples" | median)
		cold=$(awk -v way="$way" '$1 " " $2 == way { print $4 }' "$samples" | median)
		again=$(awk -v way="$way" '$1 " " $2 == way { print $5 }' "$samples" | median)
		case $way in
		"spoor all") spoor_all=$changed spoor_cold=$cold spoor_again=$again ;;
		"xray all") xray_cold=$cold xray_again=$again ;;
		"spoor chosen") chosen=$changed chosen_cold=$cold chosen_again=$again ;;
		esac
	done
	test "$spoor_all" = $many || fail "spoor patched $spoor_all of $many functions"
	test "$chosen" = $((many / 10)) || fail "spoor patched $chosen of the $((many / 10)) chosen functions"
	spoor_pages=$(text_pages "$work/many.spoor/libmany.so")
	xray_pages=$(text_pages "$work/many.xray/libmany.so")
	note "XRay: all, the first time" "$(calculate "$xray_cold / $many")" "ns a function"
	note "XRay: all, again" "$(calculate "$xray_again / $many")" "ns a function"
	aim "all, the first time" "$(calculate "$spoor_cold / $many")" "ns/function" "$(calculate "$xray_cold / $many")"
	aim "all, again" "$(calculate "$spoor_again / $many")" "ns/function" "$(calculate "$xray_again / $many")"
	aim "$chosen chosen by a pattern, the first time, a page of $spoor_pages" \
		"$(calculate "$chosen_cold / $spoor_pages")" "ns/page" "$(calculate "$xray_cold / $xray_pages")"
	aim "$chosen chosen by a pattern, again, a page of $spoor_pages" \
		"$(calculate "$chosen_again / $spoor_pages")" "ns/page" "$(calculate "$xray_again / $xray_pages")"
	note "the same" "$(calculate "$chosen_cold / $chosen")" "ns a function, the first time"
	export LD_LIBRARY_PATH=$top_builddir/libspoor/.libs SPOOR_RUNTIME_MODULES='-*' SPOOR_RUNTIME_TRACE_PATH=$work/trace
	none=$(system_calls "$work/patching.spoor" "$work/many.spoor/libmany.so" '*' 0)
	one=$(system_calls "$work/patching.spoor" "$work/many.spoor/libmany.so" '*_chosen' 1)
	rm -rf "$work/trace"
	aim "system calls to begin tracing, patch and unpatch them" "$(calculate "$((one - none)) / $chosen")" \
		"a function" 0.05
}

# load_with HOW LIBRARY - prints the nanoseconds of a dlopen.
load_with()
{
	case $1 in
	without) taskset -c "$last_processor" "$work/loading" "$2" 101 ;;
	with)
		LD_PRELOAD=$runtime SPOOR_RUNTIME_MODULES='-libmany*' SPOOR_RUNTIME_TRACE_PATH=$work/trace \
			taskset -c "$last_processor" "$work/loading" "$2" 101
		;;
	esac
}

measure_loading()
{
	build_all_many
	heading "Loading"
	for round in $(seq $repeats); do
		say "loading, round $round of $repeats"
		plain=$(load_with without "$work/many.plain/libmany.so")
		without=$(load_with without "$work/many.spoor/libmany.so")
		with=$(load_with with "$work/many.spoor/libmany.so")
		echo "$plain $without $with $((with - without))"
	done > "$work/loading.samples"
	rm -rf "$work/trace"
	say ""
	note "dlopen of a library of $many functions, without sleds" \
		"$(cut -d' ' -f1 "$work/loading.samples" | median | awk '{ print $1 / 1000 }')" "us"
	note "the same with sleds, without libspoor.so" \
		"$(cut -d' ' -f2 "$work/loading.samples" | median | awk '{ print $1 / 1000 }')" "us"
	note "the same with sleds, with libspoor.so, nothing chosen" \
		"$(cut -d' ' -f3 "$work/loading.samples" | median | awk '{ print $1 / 1000 }')" "us"
	aim "registration of $many functions: the difference" \
		"$(cut -d' ' -f4 "$work/loading.samples" | median | awk '{ print $1 / 1000 }')" "us" 100

	build_nothing
	for round in $(seq $repeats); do
		say "start-up, round $round of $repeats"
		for way in plain preloaded dormant traced; do
			echo "$way $(start_nothing $way 51)"
		done
	done > "$work/startup.samples"
	say ""
	echo
	for way in plain preloaded dormant traced; do
		case $way in
		plain) what="a program that does nothing, from fork to exit" ;;
		preloaded) what="the same, libspoor.so preloaded" ;;
		dormant) what="the same with sleds, without libspoor.so" ;;
		traced) what="the same with sleds, libspoor.so preloaded, traced" ;;
		esac
		note "$what: CPU" "$(awk -v way=$way '$1 == way { print $2 / 1000 }' "$work/startup.samples" | median)" "us"
		note "$what: wall" "$(awk -v way=$way '$1 == way { print $3 / 1000 }' "$work/startup.samples" | median)" "us"
	done
}
