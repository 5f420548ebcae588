#!/bin/sh
# SPDX-License-Identifier: MIT
# handler.sh - the library that `handler` names gets each event of four threads, of a library that is loaded and
# unloaded, and of signal handlers: as many calls as in mode log, names as in nm, files and lines as in gdb. The
# library may use any register or none, and may be traced itself. An unusable library gives one message, and the
# program runs untraced.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
example=$top_srcdir/doc/count_calls.c
spoor=$top_builddir/tools/spoor
include=-I$top_srcdir/libspoor/include

program handled -ldl
library plug_in
"$CC" -O2 -Wall -Wextra "$include" -fPIC -shared -ftls-model=initial-exec -o libany.so "$example"
"$CC" -O2 -Wall -Wextra "$include" -fPIC -shared -ftls-model=initial-exec -mgeneral-regs-only -o libsaving.so "$example"
traced_cc "$include" -fPIC -shared -ftls-model=initial-exec -o libtraced.so "$example"
kinds="any saving traced"
vectors=
case $SPOOR_ARCH in
x86_64)
	clobber='vpcmpeqd %%ymm0, %%ymm0, %%ymm0; vmovaps %%ymm0, %%ymm1; vmovaps %%ymm0, %%ymm7; vzeroupper'
	! grep -qw avx2 /proc/cpuinfo || vectors="-mavx2 -DCOUNT_CALLS_CLOBBERED=\"xmm0\",\"xmm1\",\"xmm7\"" ;;
aarch64)
	clobber='movi v0.16b, #255; mov v1.16b, v0.16b; mov v7.16b, v0.16b; mov v23.16b, v0.16b'
	vectors="-DCOUNT_CALLS_CLOBBERED=\"v0\",\"v1\",\"v7\",\"v23\"" ;;
esac
if [ -n "$vectors" ]; then
	# shellcheck disable=SC2086
	"$CC" -O2 -Wall -Wextra "$include" -fPIC -shared -ftls-model=initial-exec $vectors \
		-DCOUNT_CALLS_CLOBBER="\"$clobber\"" -o libvectors.so "$example"
	kinds="$kinds vectors"
fi

traced log ./handled ./libplug_in.so > log.out
facts log
equal "log: lost" "$(lost log)" 0

# calls FILE NAME - prints the calls that the library counted.
calls()
{
	awk -F'\t' -v f="$2" '$1 == "calls" && ($3 == f || $3 == f "()") { n += $2 } END { print n + 0 }' "$1"
}

# counted FILE OUT - compares the library's counts with the program's own, and with mode log for functions whose
# counts are the same in every run.
counted()
{
	read -r _ signals _ waited _ wrong < "$2"
	equal "$1: wrong sums, or errno" "$wrong" 0
	for function in add handled_tail compute load main plug_in_sum plug_in_add; do
		equal "$1: calls of $function" "$(calls "$1" $function)" "$(entries log $function)"
	done
	equal "$1: calls of leaf" "$(calls "$1" leaf)" $((80000 + waited))
	read -r _ entries exits underflows deepest unreported << END
$(grep '^end' "$1")
END
	# The library did not see events that interrupted its own functions, but knows their number.
	equal "$1: calls of in_signal" $((2 * $(calls "$1" in_signal) + unreported)) $((2 * signals))
	equal "$1: exits" "$exits" "$entries"
	equal "$1: exits without an entry" "$underflows" 0
	[ "$deepest" -ge 3 ] && [ "$deepest" -le 6 ] || fail "$1: the deepest call has depth $deepest, not 3 to 6"
	equal "$1: unloaded" "$(grep -c "^gone.*/libplug_in.so\$" "$1")" 5
}

for kind in $kinds; do
	rm -rf spoor.trace
	COUNT_CALLS_OUTPUT=$kind.calls SPOOR_RUNTIME_HANDLER=$work/lib$kind.so LD_PRELOAD=$libspoor \
		./handled ./libplug_in.so > $kind.out 2> $kind.err ||
			fail "$kind: the program ended with status $?: $(cat $kind.err)"
	silent $kind.err
	[ ! -e spoor.trace ] || fail "$kind: a trace was written in addition to the handler: $(ls spoor.trace)"
	counted $kind.calls $kind.out
	if [ $kind = saving ]; then
		equal "saving: unreported" "$(awk -F'\t' '$1 == "end" { print $6 }' saving.calls)" 0
	fi
	! grep -q 'libtraced.so$' $kind.calls ||
		fail "$kind: the library got its own events: $(grep 'libtraced.so$' $kind.calls)"
done

# Names, files and lines; without debug information no files and lines, and without symbols no names of local
# functions.
nm handled libplug_in.so | awk '$2 ~ /[tT]/ { print $3 }' > symbols
grep "^calls" any.calls | while IFS=$tab read -r _ _ name place module; do
	grep -qx "$name" symbols || fail "nm has no symbol $name"
	gdb -nx -batch -ex "info line $name" "$module" > place 2>&1 < /dev/null
	line=$(sed -n 's/^Line \([0-9]*\) of .* starts at address .*/\1/p' place)
	equal "line of $name" "${place##*:}" "$line"
	equal "file of $name" "$(readlink -f "${place%:*}")" \
		"$(readlink -f "$(victim "$(sed -n 's/^Line [0-9]* of "\(.*\)" starts .*/\1/p' place | sed 's,.*/,,')")")"
done
equal "functions told of" "$(grep '^calls' any.calls | cut -f3 | LC_ALL=C sort | tr '\n' ' ')" \
	"add compute handled_tail in_signal leaf load main plug_in_add plug_in_sort plug_in_sum "
traced_cxx -gdwarf-4 -fPIC -shared -o libnames.so "$victims/modules/names.cc"
echo 'void names_call_all(int times); int main(void) { names_call_all(2); return 0; }' > named_things.c
traced_cc -o names named_things.c -L. -lnames -Wl,-rpath,"$work"
COUNT_CALLS_OUTPUT=names.calls SPOOR_RUNTIME_HANDLER=$work/libany.so LD_PRELOAD=$libspoor ./names > names.out
nm libnames.so names | awk '$2 ~ /[tTwW]/ { print $3 }' | c++filt | LC_ALL=C sort -u > names.wanted
grep '^calls' names.calls | cut -f3 | LC_ALL=C sort -u > names.got
[ -s names.got ] && [ -z "$(LC_ALL=C comm -23 names.got names.wanted)" ] ||
	fail "c++filt does not have these names: $(LC_ALL=C comm -23 names.got names.wanted)"
cut -f4 names.calls | grep -q '/names.cc:[1-9]' || fail "DWARF 4: functions have no lines: $(cut -f4 names.calls)"
cp handled stripped
strip stripped
COUNT_CALLS_OUTPUT=stripped.calls SPOOR_RUNTIME_HANDLER=$work/libany.so LD_PRELOAD=$libspoor \
	./stripped ./libplug_in.so > stripped.out 2> stripped.err
silent stripped.err
grep -q "^calls${tab}80000${tab}?${tab}?:0${tab}.*/stripped\$" stripped.calls ||
	fail "stripped: the function without a name is missing: $(cat stripped.calls)"

# Only chosen functions; other ways to set the handler.
COUNT_CALLS_OUTPUT=chosen.calls "$spoor" record --handler ./libany.so -f add -- ./handled ./libplug_in.so > /dev/null 2> chosen.err ||
	fail "spoor record --handler failed: $(cat chosen.err)"
silent chosen.err
[ ! -e spoor.trace ] || fail "spoor record --handler left a trace: $(ls spoor.trace)"
equal "chosen" "$(grep '^calls' chosen.calls | cut -f2,3)" "80000${tab}add"
echo 'handler = "'"$work"'/libany.so"' > handler.toml
COUNT_CALLS_OUTPUT=toml.calls SPOOR_RUNTIME_CONFIG_FILE=handler.toml LD_PRELOAD=$libspoor ./handled ./libplug_in.so > toml.out
counted toml.calls toml.out
SPOOR_RUNTIME_CONFIG_FILE=handler.toml "$spoor" config | grep -q '^handler = ".*/libany.so"  # .*handler.toml:1$' ||
	fail "spoor config does not show the handler"

# While threads enable and disable functions; in a forked child.
library loaded
program switching -I"$top_srcdir/libspoor/include" -L. -lloaded -Wl,-rpath,"$work"
COUNT_CALLS_OUTPUT=switching.calls SPOOR_RUNTIME_HANDLER=$work/libany.so LD_PRELOAD=$libspoor \
	timeout 120 ./switching 500 > switching.out 2> switching.err ||
		fail "switching: the program ended with status $?: $(cat switching.err)"
silent switching.err
equal "calls of marked" "$(calls switching.calls marked)" 4000
equal "calls of unmarked" "$(calls switching.calls unmarked)" 0
equal "functions reported twice" "$(grep '^calls' switching.calls | cut -f3,5 | sort | uniq -d)" ""
program fork -I"$top_srcdir/libspoor/include"
for mode in plain nested threads spawn; do
	COUNT_CALLS_OUTPUT=fork.calls SPOOR_RUNTIME_HANDLER=$work/libany.so LD_PRELOAD=$libspoor \
		timeout 60 ./fork $mode > fork.out 2> fork.err ||
			fail "fork $mode: the program ended with status $?: $(cat fork.err)"
	silent fork.err
	equal "fork $mode: ends" "$(grep -c '^end' fork.calls)" 1
	[ $mode != plain ] || grep -q "^calls${tab}2000${tab}" fork.calls ||
		fail "fork: the library did not count 2,000 calls: $(cat fork.calls)"
done

# The program changes the mode: off, and on again.
program steered -ldl
printf 'mode %s\n' log count off ring > orders
echo 'calls 5' >> orders
COUNT_CALLS_OUTPUT=steered.calls SPOOR_RUNTIME_HANDLER=$work/libany.so LD_PRELOAD=$libspoor ./steered orders > steered.out 2> steered.err ||
	fail "steered: the program ended with status $?: $(cat steered.err)"
silent steered.err
equal "steered" "$(grep -v done steered.out | tr '\n' ' ')" "log: -16, log count: -16, log off: 0, off ring: -16, off "
equal "steered: calls" "$(calls steered.calls step)" 0
[ ! -e spoor.trace ] || fail "steered: a trace was started: $(ls spoor.trace)"

# spoor ctl reports why it cannot change the mode.
if [ -z "$emulated" ]; then
	program paced
	: > go
	COUNT_CALLS_OUTPUT=paced.calls SPOOR_RUNTIME_HANDLER=$work/libany.so LD_PRELOAD=$libspoor ./paced 100000 go > paced.out &
	paced=$!
	awaited "the first period" test -s go
	status=0
	"$spoor" ctl $paced mode count 2> ctl.err || status=$?
	equal "status of spoor ctl where a handler has the events" $status 1
	said_once ctl.err "passes its events to a handler"
	"$spoor" ctl $paced mode off
	"$spoor" ctl $paced mode handler
	rm go
	wait $paced || fail "paced: the program ended with status $?"
fi

# The runtime loads the library only into programs with sleds.
COUNT_CALLS_OUTPUT=without.calls SPOOR_RUNTIME_HANDLER=$work/libany.so LD_PRELOAD=$libspoor true
[ ! -e without.calls ] || fail "the library was loaded into a program without sleds: $(cat without.calls)"

# Unusable libraries.
echo 'int nothing;' > placeholder.c
"$CC" -shared -fPIC -o libnothing.so placeholder.c
sed 's/^\(.*\.version = \).*/\1 2,/' "$example" > other.c
"$CC" "$include" -shared -fPIC -o libother.so other.c
# refused LIBRARY TEXT [OUTPUT] - checks that the program runs untraced, with one message that contains TEXT.
refused()
{
	rm -rf spoor.trace
	COUNT_CALLS_OUTPUT=${3-refused.calls} SPOOR_RUNTIME_HANDLER=$1 LD_PRELOAD=$libspoor ./handled ./libplug_in.so \
		> refused.out 2> refused.err || fail "$1: the program ended with status $?: $(cat refused.err)"
	grep -q 'wrong 0' refused.out || fail "$1: the program behaves differently: $(cat refused.out)"
	said_once refused.err "$2"
	[ ! -e spoor.trace ] || fail "$1: the program was traced: $(ls spoor.trace)"
}
refused "$work/libmissing.so" 'libmissing.so: cannot open shared object file'
refused "$work/libnothing.so" 'does not define spoor_handler_library()'
refused "$work/libother.so" 'another version of spoor_handler.h'
refused "$work/libany.so" 'begin() failed' "$work/missing/folder"
status=0
"$spoor" record -o unwritten --handler ./libany.so -- ./handled ./libplug_in.so 2> unwritten.err || status=$?
equal "a place for a trace that there will not be ($(cat unwritten.err))" $status 2
status=0
"$spoor" record --handler ./libmissing.so -- ./handled ./libplug_in.so 2> refused.err || status=$?
equal "record: status" $status 2
said_once refused.err 'libmissing.so: No such file'

# A library in C++: its static objects exist from begin to end.
cat > static.cc << 'C'
#include "spoor_handler.h"
#include <cstdio>
#include <map>
static struct objects {
	std::map<uint64_t, unsigned long> calls;
	bool alive = true;
	~objects() { alive = false; }
} objects;
static void event(uint64_t function_id, int event)
{
	if (objects.alive && event == SPOOR_HANDLER_ENTRY)
		objects.calls[function_id]++;
}
static void end(uint64_t)
{
	std::fprintf(stderr, "alive %d functions %zu\n", objects.alive, objects.calls.size());
}
extern "C" const struct spoor_handler_library *spoor_handler_library(uint32_t)
{
	static struct spoor_handler_library library = {};

	library.size = sizeof(library);
	library.version = SPOOR_HANDLER_LIBRARY_VERSION;
	library.event = event;
	library.end = end;
	return &library;
}
C
"$clang++" -O2 -Wall "$include" -fPIC -shared -o libstatic.so static.cc
program hello
SPOOR_RUNTIME_HANDLER=$work/libstatic.so LD_PRELOAD=$libspoor ./hello 10 > /dev/null 2> static.err ||
	fail "static: the program ended with status $?: $(cat static.err)"
equal "a library in C++" "$(cat static.err)" "alive 1 functions 2"

# A library that registers before libspoor.so starts.
traced_cc -o early -DEARLY "$victims/threads/handled.c" -pthread -ldl -Wl,--no-as-needed -L. -lplug_in -Wl,-rpath,"$work"
COUNT_CALLS_OUTPUT=early.calls SPOOR_RUNTIME_HANDLER=$work/libany.so LD_PRELOAD=$libspoor ./early ./libplug_in.so > early.out
equal "early: calls" "$(calls early.calls plug_in_add)" 500
