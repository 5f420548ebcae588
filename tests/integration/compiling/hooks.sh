#!/bin/sh
# SPDX-License-Identifier: MIT
# hooks.sh - code that was compiled with -finstrument-functions is traced: with the calls that programs/count_hooks.c
# counts in the same files, in both modes, with chosen libraries and functions, stripped, and when a library replaces
# another one in memory.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
. "$top_srcdir/tests/integration/support/call_counts.sh"
work_folder hooks
# As life.sh, reads traces of an emulated program with this machine's tools.
[ "$SPOOR_ARCH" = "$(uname -m)" ] || [ -n "${SPOOR_LONG-}" ] || spoor=$SPOOR_NATIVE/tools/spoor
unset $(env | sed -n 's/^\(SPOOR_[A-Z_]*\)=.*/\1/p') LD_PRELOAD
command -v g++ > /dev/null || { echo "hooks: skipped: there is no g++"; exit 77; }
libspoor=$top_builddir/libspoor/.libs/libspoor.so
victims=$top_srcdir/tests/programs/victims
build_counters "$PWD"
# Little data: with hooks everywhere the demo makes ten million events from a few files.
data=$PWD/data
mkdir data
cp "$top_srcdir"/tests/programs/build_systems/*.c data

# traced DIRECTORY PROGRAM... - runs the program, with the variables that are set for this call.
traced()
{
	trace=$1
	shift
	rm -rf "$trace"
	SPOOR_RUNTIME_TRACE_PATH=$trace LD_PRELOAD=$libspoor "$@" > "$trace.out" 2> "$trace.err" ||
		fail "$*: the program ended with status $?: $(cat "$trace.err")"
	[ ! -s "$trace.err" ] || fail "$*: messages appeared: $(cat "$trace.err")"
	"$spoor" info "$trace" > "$trace.info"
	grep -q '^ *lost  *nothing' "$trace.info" || fail "$*: events were lost: $(cat "$trace.info")"
}

# calls TRACE - prints "library TAB function TAB calls", with the names in the file symbols.
calls()
{
	report_counts symbols "$1" | cut -f 1-3 | of_others
}

# Inlined code calls the hooks with the address of the function that the linker found, which may be in a stripped
# library, for which the oracle has no names.
of_others()
{
	sed "s/^libstdc++[^$tab]*$tab[^$tab]*/libstdc++${tab}some function/" | sort
}

# agrees WHAT PROGRAM... - compares the trace with the counts.
agrees()
{
	what=$1
	shift
	rm -f counts.*
	COUNT_HOOKS_OUTPUT=$PWD/counts LD_PRELOAD=$hooks "$@" > counted.out
	named_counts symbols counts.* 2> nm.err | awk -F '\t' -v OFS='\t' '$3 { print $1, $2, $3 }' | of_others > oracle
	traced "$PWD/trace" "$@"
	cmp counted.out trace.out
	calls trace > traced.calls
	same "$what" oracle traced.calls || fail "$what: the calls differ (see above)"
	[ "$(wc -l < oracle)" -ge "$least" ] || fail "$what: only $(wc -l < oracle) functions were called"
	echo "$what: $(wc -l < oracle) functions, $(awk '{ n += $NF } END { print n }' oracle) calls"
}

# demo NAME FLAGS... - builds an executable, two libraries and a plug-in in C and C++, with threads.
least=30
demo()
{
	mkdir "$1"
	make -s -C "$1" -f "$top_srcdir/tests/programs/demo/Makefile" srcdir="$top_srcdir/tests/programs/demo" \
		O="$PWD/$1" "CC=${2% *}" "CXX=${2#* }" "CFLAGS=$3 -finstrument-functions" > "$1.make" 2>&1 ||
			fail "the demo does not build: $(cat "$1.make")"
	agrees "demo $2 $3" "$1/demo" "$data"
}
demo fast 'gcc g++' -O2
demo clang "$LLVM_BINDIR/clang $LLVM_BINDIR/clang++" -O0
if [ -n "${SPOOR_LONG-}" ]; then
	demo debug 'gcc g++' -O0
	demo small 'gcc g++' -Os
	demo fast_clang "$LLVM_BINDIR/clang $LLVM_BINDIR/clang++" -O1
fi

# Mode count.
SPOOR_RUNTIME_MODE=count traced "$PWD/counted" fast/demo "$data"
agrees "once more" fast/demo "$data"
calls counted > counted.calls
same "mode count" oracle counted.calls || fail "mode count: the calls differ (see above)"

# Chosen libraries and functions.
SPOOR_RUNTIME_MODULES='libtoken*' traced "$PWD/library" fast/demo "$data"
calls library > library.calls
grep '^libtokenize.so' oracle > library.oracle
same "one library" library.oracle library.calls || fail "one library: the calls differ (see above)"
SPOOR_RUNTIME_FUNCTIONS='tokenize*' traced "$PWD/functions" fast/demo "$data"
calls functions > functions.calls
grep "${tab}tokenize" oracle > functions.oracle
same "some functions" functions.oracle functions.calls || fail "some functions: the calls differ (see above)"
rm -rf off
SPOOR_RUNTIME_MODE=off SPOOR_RUNTIME_TRACE_PATH=$PWD/off LD_PRELOAD=$libspoor fast/demo "$data" > off.out
[ ! -e off ] || fail "the program left a trace in mode off: $(ls off)"

# Stripped: functions are shown by address, with the same numbers of calls.
cp -R fast stripped
strip stripped/demo stripped/*.so
traced "$PWD/bare" stripped/demo "$data"
"$spoor" report --format=csv --no-demangle bare > bare.csv
[ "$(awk -F, 'NR > 1 { n += $3 } END { print n }' bare.csv)" = "$(awk '{ n += $NF } END { print n }' oracle)" ] ||
	fail "stripped: the number of calls differs: $(head bare.csv)"
grep -q '^libtokenize.so+0x' bare.csv || fail "stripped: functions are not shown by address: $(head bare.csv)"

# Two libraries in turn at the same address; the build-id or the name distinguishes them.
for id in sha1 none; do
	for name in red dew; do
		gcc -O1 -g -fPIC -shared -finstrument-functions -Wl,--build-id=$id -DNAME=$name -o lib$name.so "$victims/modules/hooked_value.c"
	done
	gcc -O1 -g -finstrument-functions -o hooked "$victims/modules/hooked.c" -ldl
	traced "$PWD/turns" ./hooked "$PWD/libred.so" "$PWD/libdew.so" 400
	"$spoor" report --format=csv turns > turns.csv
	for name in red dew; do
		grep -q "^${name}_value,lib$name.so,600," turns.csv ||
			fail "libraries in turn, build-id $id: the calls differ: $(cat turns.csv)"
	done
	echo "libraries in turn, build-id $id: at the address of the other library: $(cat turns.out)"
done

# A function whose address is in the executable's linkage table.
gcc -O1 -g -fno-pie -no-pie -finstrument-functions -o canonical "$top_srcdir/tests/programs/victims/modules/hooked_pointer.c" \
	-L. -Wl,-rpath,"$PWD" -lred
traced "$PWD/pointer" ./canonical
"$spoor" report --format=csv pointer > pointer.csv
grep -q '^red_value,libred.so,5,' pointer.csv && grep -q '^main,canonical,1,' pointer.csv ||
	fail "by pointer: the calls differ: $(cat pointer.csv)"

# Sleds and hooks in one module.
gcc -O1 -g -fPIC -c -finstrument-functions -DNAME=red -o red.o "$victims/modules/hooked_value.c"
"$driver_c" -O1 -g -c -o pointer.o "$top_srcdir/tests/programs/victims/modules/hooked_pointer.c"
"$driver_c" -o both pointer.o red.o
traced "$PWD/mixed" ./both
"$spoor" report --format=csv mixed > mixed.csv
grep -q '^red_value,both,5,' mixed.csv && grep -q '^main,both,1,' mixed.csv ||
	fail "sleds and hooks in one module: the calls differ: $(cat mixed.csv)"
[ "$("$spoor" replay mixed | grep -c '^.*   *red_value')" -ge 5 ] ||
	fail "sleds and hooks in one module: the tree differs: $("$spoor" replay mixed)"

# Sleds and hooks in one function: each call appears once.
"$driver_c" -O1 -g -finstrument-functions -o twice "$victims/modules/hooked_pointer.c" "$victims/modules/hooked_value.c" -DNAME=red
traced "$PWD/once" ./twice
"$spoor" report --format=csv once > once.csv
grep -q '^red_value,twice,5,' once.csv && grep -q '^main,twice,1,' once.csv ||
	fail "sleds and hooks in one function: the calls differ: $(cat once.csv)"

# Hooks of entries only, as clang inserts them.
"$LLVM_BINDIR/clang" -O1 -g -finstrument-function-entry-bare -o entries "$top_srcdir/tests/programs/victims/modules/hooked_pointer.c" \
	-DOWN "$libspoor"
traced "$PWD/entries.trace" ./entries
"$spoor" report --format=csv entries.trace > entries.csv
grep -q '^own_value,entries,5,' entries.csv || fail "hooks of entries only: the calls differ: $(cat entries.csv)"
