#!/bin/sh
# SPDX-License-Identifier: MIT
# static_runtime.sh - libspoor.a defines exactly the names that libspoor.so exports. A program that is linked
# statically with it is traced like any other: in each mode, with its threads and children, with or without a
# recorder, and spoor ctl controls it. The same is true for the libraries of an executable that contains the runtime.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
archive=$top_builddir/libspoor/libspoor.a
[ -e "$archive" ] || skip "there is no libspoor.a in a build with sanitizers"

# exported FILE OPTION - prints the exported functions.
exported()
{
	nm "$2" --defined-only "$1" | sed -n 's/.* [TW] \([^@]*\).*/\1/p' | LC_ALL=C sort
}
exported "$libspoor" -D > shared
exported "$archive" -g > static
[ "$(wc -l < static)" -gt 30 ] || fail "libspoor.a has only $(wc -l < static) functions"
diff shared static || fail "libspoor.so (<) and libspoor.a (>) have different functions (see above)"
equal "data of libspoor.a" "$(nm -g --defined-only "$archive" | grep -c ' [BDRGSV] ')" 0

# linked NAME FLAG... - builds a program that contains the runtime.
linked()
{
	linked_name=$1
	shift
	traced_cc -I"$top_srcdir/libspoor/include" "$@" -fspoor-runtime -o "$linked_name" "$(victim "${linked_name%%.*}.c")" -pthread 2> "$linked_name.log" ||
		fail "linking $linked_name failed: $(cat "$linked_name.log")"
}

for linker in bfd ${SPOOR_LONG:+gold lld}; do
	linked threads.$linker -static -fuse-ld=$linker
	rm -rf trace
	SPOOR_RUNTIME_TRACE_PATH=trace ./threads.$linker many 20 10 > out 2> err ||
		fail "$linker: the program ended with status $?: $(cat err)"
	silent err
	facts trace
	equal "$linker: leaf" "$(entries trace leaf) $(exits trace leaf)" "200 200"
	equal "$linker: threads" "$(count trace thread)" 20
done
# GNU ld makes such a program without PT_PHDR; a program from gold does not run.
for linker in bfd ${SPOOR_LONG:+lld}; do
	linked threads.$linker.pie -static-pie -fPIE -fuse-ld=$linker
	SPOOR_RUNTIME_MODE=count SPOOR_RUNTIME_TRACE_PATH=pie.$linker ./threads.$linker.pie many 20 10 > out ||
		fail "$linker: the program with -static-pie ended with status $?"
	"$spoor" report --format=csv pie.$linker | grep -q '^leaf,.*,200,' ||
		fail "$linker: the program with -static-pie has no counts:" \
			"$("$spoor" report --format=csv pie.$linker)"
done

# Children, which have their own files; a recorder; a handler, which is impossible.
linked fork.static -static
for way in plain threads; do
	rm -rf $way
	SPOOR_RUNTIME_TRACE_PATH=$way ./fork.static $way > out 2> err ||
		fail "$way: the program ended with status $?: $(cat err)"
	silent err
	facts $way
	"$spoor" record -q -o $way.recorded ./fork.static $way > out || fail "$way, recorded: status $?"
	facts $way.recorded
	equal "$way: recorded" "$(entries $way.recorded leaf)" "$(entries $way leaf)"
done
equal "plain: leaf" "$(entries plain leaf)" 2500
SPOOR_RUNTIME_HANDLER=libm.so.6 SPOOR_RUNTIME_TRACE_PATH=none ./fork.static plain > out 2> err ||
	fail "handler: the program ended with status $?: $(cat err)"
said_once err 'a static program cannot load a library; the program runs untraced'

# spoor ctl controls the running program.
linked paced.static -static
: > go
SPOOR_RUNTIME_TRACE_PATH=controlled ./paced.static 100000 go > out &
paced=$!
awaited "a pool" test -e "controlled/$paced/pool.spoor"
awaited "an answer" "$spoor" ctl $paced flush
"$spoor" ctl $paced mode count || fail "spoor ctl mode count ended with status $?"
"$spoor" ctl $paced status | grep -q '^  mode  *count' ||
	fail "spoor ctl status does not show mode count: $("$spoor" ctl $paced status)"
rm go
wait $paced || fail "the controlled program ended with status $?"
"$spoor" info controlled | grep -q '^  counts  *[1-9]' ||
	fail "no call was counted after spoor ctl mode count: $("$spoor" info controlled)"
"$spoor" record -o controlled.recorded --duration 100ms ./paced.static 200 > out 2> err ||
	fail "spoor record --duration ended with status $?: $(cat err)"
grep -q 'recording could not be stopped, and continues' err ||
	fail "the recorder does not say that the recording continues: $(cat err)"

# The runtime in an executable, with a linked library and a loaded one.
library loaded
traced_cc -o two "$victims/modules/two.c" -L. -lloaded -Wl,-rpath,"$work" -Wl,-u,spoor_dso_register "$archive" -lpthread -ldl
rm -rf trace
SPOOR_RUNTIME_TRACE_PATH=trace ./two 10 > out 2> err || fail "two: the program ended with status $?: $(cat err)"
silent err
facts trace
equal "its own calls, and the library's" "$(entries trace leaf two) $(entries trace loaded_value libloaded.so)" "10 10"
