#!/bin/sh
# SPDX-License-Identifier: MIT
# xray_interface.sh - a tool for XRay, compiled with LLVM 22's own header, gets the same results from libspoor_xray.so
# as from XRay's runtime with the same source. It sees the same numbers of functions and the same calls, for the
# executable and a library. The tool also works in a case that crashes XRay. No other sled is patched, and no trace is
# written.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
clang22=/usr/lib/llvm-22/bin/clang
[ -x $clang22 ] || skip "clang 22 is missing: apt-get install clang-22 libclang-rt-22-dev"
xray_library=$top_builddir/libspoor/xray/.libs/libspoor_xray.so
link="-L${xray_library%/*} -lspoor_xray -Wl,-rpath,${xray_library%/*} -Wl,-rpath,${libspoor%/*} -Wl,-rpath-link,${libspoor%/*}"
header=$($clang22 -print-resource-dir)/include

$clang22 -O2 -fxray-instrument -fxray-instruction-threshold=1 -rdynamic -o theirs "$victims/modules/xray_tool.c" -pthread -ldl
$clang22 -O2 -fPIC -shared -fxray-instrument -fxray-shared -fxray-instruction-threshold=1 -o libtheirs.so "$victims/modules/plug_in.c"
# The pass belongs to the LLVM of spoor's build; the header is always LLVM 22's.
mkdir -p include
ln -s "$header/xray" include/xray
# shellcheck disable=SC2086
traced_cc -Iinclude -rdynamic -o ours "$victims/modules/xray_tool.c" $link -pthread -ldl
library plug_in

./theirs ./libtheirs.so > theirs.out 2> theirs.err ||
	fail "the tool with XRay's runtime ended with status $?: $(cat theirs.err)"
./ours ./libplug_in.so > ours.out 2> ours.err || fail "the tool with spoor ended with status $?: $(cat ours.err)"
diff theirs.out ours.out || fail "the results of XRay (<) and spoor (>) differ (see above)"
silent ours.err
grep -q '^patched: 0\.[0-9]* entries 2000 exits 0 tails 2000$' ours.out ||
	fail "the results have no tail calls: $(cat ours.out)"
grep -q '^patched: 1\.[0-9]* entries 20 exits 20 tails 0$' ours.out ||
	fail "the results have no calls of the library: $(cat ours.out)"
grep -q '^strange 0$' ours.out || fail "the tool got unexpected events: $(grep strange ours.out)"
[ ! -e spoor.trace ] || fail "a trace was written: $(ls spoor.trace)"

./ours ./libplug_in.so spoor > more.out 2> more.err ||
	fail "the tool with more cases ended with status $?: $(cat more.err)"
silent more.err
sed -n '/^refused/,$p' more.out > more
diff - more << 'END' || fail "the cases that crash XRay or that XRay lacks have other results (see above)"
refused 0 1 0 0
closed 0 0 3 1
opened again: objects 2, plug_in_add
opened again: 1.1 entries 20 exits 20 tails 0
opened again: 1.2 entries 2 exits 2 tails 0
strange 0
END

# Preloaded together with the runtime; patched from the start on request.
XRAY_OPTIONS="verbosity=0 patch_premain=true" ./ours ./libplug_in.so > premain.out
grep -q '^dormant: ' premain.out && fail "the tool got events without a handler: $(cat premain.out)"
grep -q '^dormant still: 0\.' premain.out || fail "patch_premain=true patched no sled: $(cat premain.out)"

# A preloaded tool, which starts before the modules of the program.
cat > early.c << 'C'
#include <stdio.h>
#include <xray/xray_interface.h>
static unsigned long events;
static void handler(int32_t packed, enum XRayEntryType kind)
{
	(void)packed, (void)kind;
	__atomic_fetch_add(&events, 1, __ATOMIC_RELAXED);
}
__attribute__((constructor)) static void begin(void)
{
	fprintf(stderr, "early %d %d %zu\n", __xray_set_handler(handler), __xray_patch(), __xray_num_objects());
}
__attribute__((destructor)) static void end(void)
{
	fprintf(stderr, "events %d\n", events > 20);
}
C
# shellcheck disable=SC2086
"$CC" -O2 -fPIC -shared -Iinclude -o libearly.so early.c $link
program hello
LD_PRELOAD=$work/libearly.so ./hello 10 > /dev/null 2> early.err ||
	fail "a preloaded tool ended with status $?: $(cat early.err)"
equal "a tool that is preloaded" "$(paste -s -d ' ' early.err)" "early 1 1 1 events 1"

# The recording is empty, and the tools give the reason.
"$top_builddir/tools/spoor" record -o recorded ./ours ./libplug_in.so > /dev/null 2> record.err ||
	fail "recorded: the tool ended with status $?: $(cat record.err)"
said_once record.err "the recording is empty, although .*'spoor doctor ./ours'"
"$top_builddir/tools/spoor" doctor ./ours > doctor.out || fail "spoor doctor ended with status $?: $(cat doctor.out)"
grep -q '^note .*its events go to its own XRay tool' doctor.out ||
	fail "spoor doctor does not name the XRay tool: $(cat doctor.out)"

readelf -dW "$xray_library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort > needed
printf 'libc.so.6\nlibspoor.so.0\n' | diff - needed || fail "libspoor_xray.so needs other libraries (see above)"
nm -D --defined-only "$xray_library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | grep -v '^__xray_' && fail "libspoor_xray.so exports the names above"
# The library has every function of the header.
sed -n 's/.*\(__xray_[a-z0-9_]*\)(.*/\1/p' "$header/xray/xray_interface.h" | grep -v '^$' | sort -u > wanted
nm -D --defined-only "$xray_library" | awk '{ print $3 }' | sed 's/@.*//' | sort -u > there
[ -z "$(comm -23 wanted there)" ] || fail "these functions of XRay's interface are missing: $(comm -23 wanted there)"
[ "$(wc -l < wanted)" -gt 20 ] || fail "the header has only $(wc -l < wanted) functions"
