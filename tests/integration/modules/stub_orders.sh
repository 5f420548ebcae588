#!/bin/sh
# SPDX-License-Identifier: MIT
# stub_orders.sh - a module and libspoor.so find each other in any order, whether libspoor.so is preloaded, linked or
# opened, and separate safely. Copies of one library stay distinct. Modules with another version of the stub, without
# a stub or in another name space stay unchanged.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

nm "$stub" > stub.symbols
awk 'NF == 3 && $2 ~ /[A-Z]/ && $2 != "U" && $3 !~ /^spoor_dso_/' stub.symbols > stub.foreign
[ ! -s stub.foreign ] || fail "the stub defines names without the prefix spoor_dso_: $(cat stub.foreign)"
equal "undefined symbols of the stub that are no one's but libspoor's and the linker's" \
	"$(awk '$1 ~ /^[UwV]$/ { print $2 }' stub.symbols |
		grep -v '^__st[artop]*_\|^__ehdr_start$\|^_GLOBAL_OFFSET_TABLE_$\|^spoor_dso_' || :)" ""

library loaded
traced_cc -o copies "$victims/modules/copies.c"
traced_cc -fspoor-runtime -o copies-linked "$victims/modules/copies.c"
equal "what a library shows of its stub" "$(nm -D --defined-only libloaded.so | grep -c spoor_dso || :)" 0

run()
{
	what=$1
	shift
	rm -rf "$what"
	env SPOOR_RUNTIME_TRACE_PATH="$what" "$@" > "$what.out" 2> "$what.err" ||
		fail "$what: the program ended with status $?: $(cat "$what.err")"
	silent "$what.err"
	rm -f "$what.facts"
	[ ! -e "$what" ] || facts "$what"
}

run preloaded LD_PRELOAD="$libspoor" ./copies ./libloaded.so ./libloaded.so
calls_are preloaded loaded_value 3
calls_are preloaded leaf 2
run backwards LD_PRELOAD="$libspoor" ./copies -b ./libloaded.so ./libloaded.so
calls_are backwards loaded_value 5
run linked LD_LIBRARY_PATH="${libspoor%/*}" ./copies-linked ./libloaded.so
calls_are linked loaded_value 1
calls_are linked leaf 1
run twice LD_LIBRARY_PATH="${libspoor%/*}" LD_PRELOAD="$libspoor" ./copies-linked ./libloaded.so
calls_are twice loaded_value 1
calls_are twice leaf 1
# The library is preloaded too, before or after libspoor.so: it registers before or after libspoor's own constructor.
for order in "$libspoor:$work/libloaded.so" "$work/libloaded.so:$libspoor"; do
	run order LD_PRELOAD="$order" ./copies ./libloaded.so
	calls_are order loaded_value 1
	calls_are order leaf 1
done
# Started by the loader directly.
loader=$(readelf -lW ./copies | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
run loader "$loader" --preload "$libspoor" ./copies ./libloaded.so
calls_are loader loaded_value 1
calls_are loader leaf 1 copies

# libspoor.so is loaded later: modules that are loaded after it register, and earlier modules stay dormant until the
# program enables tracing.
run later ./copies ./libloaded.so "global:$libspoor" ./libloaded.so
[ ! -e later ] || fail "a module that was loaded before libspoor.so was traced: $(ls later)"
cp libloaded.so libother.so
run later ./copies ./libloaded.so "global:$libspoor" ./libother.so
calls_are later loaded_value 3 libother.so
calls_are later loaded_value 0 libloaded.so
run later-backwards ./copies -b ./libloaded.so "global:$libspoor" ./libother.so
calls_are later-backwards loaded_value 4 libother.so
run enabled ./copies ./libloaded.so "global:$libspoor" enable: ./libloaded.so ./libother.so
calls_are enabled loaded_value 4 libloaded.so
calls_are enabled loaded_value 5 libother.so
calls_are enabled leaf 2
run enabled-twice LD_PRELOAD="$libspoor" ./copies ./libloaded.so enable: ./libloaded.so enable:
calls_are enabled-twice loaded_value 4
calls_are enabled-twice leaf 2
# libspoor.so was opened with local symbols, so modules do not find it.
run local ./copies "$libspoor" ./libloaded.so
[ ! -e local ] || fail "modules found libspoor.so although it was opened locally: $(ls local)"

# Two copies have the same build-id; both are traced, and their paths distinguish them.
mkdir copy
cp libloaded.so copy/
run twins LD_PRELOAD="$libspoor" ./copies ./libloaded.so copy/libloaded.so ./libloaded.so
equal "twins: modules" "$(awk -F'\t' '$1 == "module" { print $3 }' twins.facts | sort | tr '\n' ' ')" \
	"$work/copies $work/copy/libloaded.so $work/libloaded.so "
calls_are twins loaded_value 6
equal "twins: calls of each" \
	"$(awk -F'\t' '$1 == "function" && $4 == "loaded_value" { print $5 }' twins.facts | sort | tr '\n' ' ')" "2 4 "
for id in none 0x1234; do
	traced_cc -fPIC -shared -Wl,--build-id=$id -o libone.so "$victims/modules/loaded.c"
	traced_cc -O1 -fPIC -shared -Wl,--build-id=$id -o libtwo.so "$victims/modules/loaded.c"
	run "same-$id" LD_PRELOAD="$libspoor" ./copies ./libone.so ./libtwo.so
	calls_are "same-$id" loaded_value 1 libone.so
	calls_are "same-$id" loaded_value 2 libtwo.so
done

# A separate name space has no libspoor.so.
run namespace LD_PRELOAD="$libspoor" ./copies new:./libloaded.so ./libloaded.so
calls_are namespace loaded_value 2
equal "closed modules are not named" "$(count namespace foreign)" 0
# The trace names modules of other name spaces that are loaded at the end, and no closed modules.
run namespaces LD_PRELOAD="$libspoor" ./copies stays:./libloaded.so ./libloaded.so stays:./libother.so
calls_are namespaces loaded_value 2
equal "modules of other name spaces" \
	"$(awk -F'\t' '$1 == "foreign" { sub(/.*\//, "", $3); print $3, $4, $5 }' namespaces.facts | sort | tr '\n' ' ')" \
	"libloaded.so 4 name-space libother.so 4 name-space "
equal "what spoor info says of them" \
	"$("$top_builddir/tools/spoor" info namespaces | grep -c '4 sleds not patched: opened in another link-map namespace')" 2

# Sleds without a stub; sleds that belong to no function.
"$LLVM_BINDIR/clang" -O2 -fPIC -shared -fxray-instrument -fxray-instruction-threshold=1 -fno-xray-link-deps \
	-o libforeign.so "$victims/modules/loaded.c"
run foreign LD_PRELOAD="$libspoor" ./copies ./libforeign.so
equal "foreign: functions" "$(entries foreign loaded_value)" 0
equal "foreign: modules" "$(count foreign module)" 1
"$LLVM_BINDIR/clang" -O2 -fPIC -shared -fxray-instrument -fxray-instruction-threshold=1 -fno-xray-link-deps \
	-Wl,-soname,libforeign.so -o libforeign.so "$victims/modules/loaded.c"
"$SPOOR_DRIVERS/spoor-cc" -O2 -o copies-foreign "$victims/modules/copies.c" -Wl,--no-as-needed -L. -lforeign -Wl,-rpath,"$work"
run foreign LD_PRELOAD="$libspoor" ./copies-foreign ./libforeign.so
equal "foreign: sleds" "$(awk -F'\t' '$1 == "foreign" { sub(/.*\//, "", $3); print $3, $4, $5 }' foreign.facts)" "libforeign.so 4 stub"
"$top_builddir/tools/spoor" info foreign | grep -q '4 sleds not patched: linked without' ||
	fail "spoor info does not report sleds without a stub: $("$top_builddir/tools/spoor" info foreign)"

traced_cc -fPIC -shared -fxray-instrument -fxray-instruction-threshold=1 -o libevents.so "$victims/modules/xray_events.c"
run events LD_PRELOAD="$libspoor" ./copies ./libevents.so
calls_are events loaded_calls 1
equal "events: skipped sleds" "$(awk -F'\t' '$1 == "alone" { print $4, $5, $6, $7, $8, $9 }' events.facts)" "2 0 0 0 0 0"
"$top_builddir/tools/spoor" info events | grep -q '2 .*XRay' ||
	fail "spoor info does not report XRay's event sleds: $("$top_builddir/tools/spoor" info events)"

# The trace reports the sleds once, no matter how often the function is enabled and disabled.
program toggles -I"$top_srcdir/libspoor/include" -L. -levents -Wl,-rpath,"$work"
traced toggled ./toggles
facts toggled
calls_are toggled loaded_calls 1
[ "$(cat toggled/*/process.spoor | wc -c)" -lt 10000 ] ||
	fail "the process file grows as functions are enabled and disabled: $(cat toggled/*/process.spoor | wc -c)" \
		"bytes"

# A stub of another version, or a truncated one: one message each, and the module is not traced.
for flags in -DVERSION=99 '-DVERSION=0 -DSIZE=64' '-DVERSION=1 -DSIZE=8' -DSIZE=0; do
	# shellcheck disable=SC2086
	traced_cc -fno-spoor -fPIC -shared $flags -I"$top_srcdir/libspoor" -o libversion.so "$victims/modules/other_version.c"
	rm -rf version
	SPOOR_RUNTIME_TRACE_PATH=version LD_PRELOAD=$libspoor ./copies ./libversion.so ./libloaded.so \
		2> version.err || fail "$flags: the program ended with status $?: $(cat version.err)"
	said_once version.err 'libversion.so stays untraced: it was linked with another version of spoor (.* version .* bytes.*link it again'
	facts version
	calls_are version loaded_value 2
done

# If there is no memory for the list of sleds, the module is not traced either.
traced_cc -fno-spoor -fPIC -shared -I"$top_srcdir/libspoor" -o libno_room.so "$victims/modules/no_room.c"
traced no_room ./copies ./libno_room.so ./libloaded.so 2> no_room.err ||
	fail "no room: the program ended with status $?: $(cat no_room.err)"
said_once no_room.err 'libno_room.so with 1000000 sleds stays untraced.*: Cannot allocate memory'
facts no_room
calls_are no_room loaded_value 2
