#!/bin/sh
# SPDX-License-Identifier: MIT
# choice.sh - patterns choose libraries by soname, file name or path, and functions by linkage name or demangled name,
# before and during the run. The interface returns the number of functions that changed. Functions that are not chosen
# keep the bytes of the file. A malformed list gives one message and the program runs untraced; a pattern without a
# match gives a warning.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

library loaded
traced_cxx -fPIC -shared -Wl,-soname,libnames.so.1 -o libnames.so "$victims/modules/names.cc"
ln -s libnames.so libnames.so.1
traced_cc -o choose -I"$top_srcdir/libspoor/include" "$victims/modules/choose.c" -L. -lnames -lloaded -Wl,-rpath,"$work" -rdynamic

all_names='_ZN12_GLOBAL__N_16hiddenEi _ZN4shop4Item3runEd _ZN4shop4Item3runEi _ZN4shop4ItemC2Ei
	_ZN4shop4ItemD2Ev _ZN4shop5powerILi2EEEii _ZN4shop5powerILi3EEEii
	_ZN4shop7convertIliEEiRKSt6vectorIT_SaIS2_EET0_ _ZNK4shop4ItemclEic _ZNK4shop4ItemcvbEv
	_ZNK4shop4ItemltERKS0_ _ZNSt6vectorIlSaIlEED2Ev c_function c_function_two'
all_loaded='loaded_calls loaded_value'
number=0

# traces MODULES FUNCTIONS NAME... - checks that with these patterns exactly these functions are traced, with three
# calls each, and that exactly their text differs from the file.
traces()
{
	number=$((number + 1))
	modules=$1
	functions=$2
	shift 2
	rm -rf trace
	SPOOR_RUNTIME_TRACE_PATH=trace SPOOR_RUNTIME_MODULES=$modules SPOOR_RUNTIME_FUNCTIONS=$functions \
		LD_PRELOAD=$libspoor ./choose call=3 text > trace.out 2> trace.err ||
		fail "'$modules' '$functions': the program ended with status $?: $(cat trace.err)"
	silent trace.err
	rm -f trace.facts
	[ ! -e trace ] || facts trace
	[ -e trace.facts ] || : > trace.facts
	# shellcheck disable=SC2086,SC2048
	printf '%s\n' $* | grep . | LC_ALL=C sort > trace.wanted || :
	awk -F'\t' '$1 == "function" { print $4 }' trace.facts | LC_ALL=C sort > trace.got
	cmp -s trace.wanted trace.got ||
		fail "'$modules' '$functions': wrong functions are traced: $(diff trace.wanted trace.got)"
	awk -F'\t' '$1 == "function" && ($5 != ($4 ~ /_calls$|ED2Ev$/ && $4 !~ /Item/ ? 1 : 3) || $5 != $6)' \
		trace.facts > trace.wrong
	[ ! -s trace.wrong ] || fail "'$modules' '$functions': wrong numbers of calls: $(cat trace.wrong)"
	# dladdr does not find names without a dynamic symbol.
	sed -n 's/^text [^ ]* //p' trace.out | sed 's/^?$/_ZN12_GLOBAL__N_16hiddenEi/' | LC_ALL=C sort > trace.text
	cmp -s trace.wanted trace.text ||
		fail "'$modules' '$functions': the text of wrong functions differs: $(diff trace.wanted trace.text)"
}

traces '*' '*' $all_names $all_loaded leaf
traces '-choose' '*' $all_names $all_loaded
traces 'libnames.so.1' '*' $all_names
traces 'libnames.so' '*' $all_names
traces "*/${work##*/}/libnames.so" '*' $all_names
traces 'lib*,-libl*' '*' $all_names
traces 'lib*,-libl*,libloaded.s?' '*' $all_names $all_loaded
traces '-lib[a-m]*' '*' $all_names leaf
traces '*' 'c_function' c_function
traces '*' 'c_function*,-*_two' c_function
traces '*' '-shop::*,-_Z*' $all_loaded leaf c_function c_function_two
traces '*' 'shop::Item::run' _ZN4shop4Item3runEd _ZN4shop4Item3runEi
traces '*' 'shop::Item::run(double)' _ZN4shop4Item3runEd
traces '*' 'shop::Item::run(*),-shop::Item::run(int)' _ZN4shop4Item3runEd
traces '*' '_ZN4shop4Item3runEi' _ZN4shop4Item3runEi
traces '*' 'shop::Item::operator()(int, char) const' _ZNK4shop4ItemclEic
traces '*' 'shop::Item::operator*' _ZNK4shop4ItemclEic _ZNK4shop4ItemcvbEv _ZNK4shop4ItemltERKS0_
traces '*' 'shop::Item::operator<' _ZNK4shop4ItemltERKS0_
traces '*' 'shop::Item::operator bool' _ZNK4shop4ItemcvbEv
traces '*' 'shop::Item::Item,shop::Item::~Item' _ZN4shop4ItemC2Ei _ZN4shop4ItemD2Ev
traces '*' 'int shop::power<2>(int)' _ZN4shop5powerILi2EEEii
traces '*' '*power<?>*' _ZN4shop5powerILi2EEEii _ZN4shop5powerILi3EEEii
traces '*' '*convert<long\, int>*' _ZN4shop7convertIliEEiRKSt6vectorIT_SaIS2_EET0_
traces '*' 'shop::Item::operator<,*convert<long, int>*,c_function' _ZNK4shop4ItemltERKS0_ \
	_ZN4shop7convertIliEEiRKSt6vectorIT_SaIS2_EET0_ c_function
traces '*' '(anonymous namespace)::hidden' _ZN12_GLOBAL__N_16hiddenEi
traces 'libloaded.so' '*_value' loaded_value

# During the run: the values that the interface returns, and the functions that are traced after each call.
traced run ./choose state call=1 off state call=1 on state call=1 'off=:c_f*' call=10 on=:c_function \
	on=:c_function on=:c_function_two off=libnames*:shop::Item::run 'off=libnames*:shop::*' off=zork: off=:zork \
	'on=libnames*:shop::Item::*,-*operator*' call=100 off=: call=1000 on=libloaded.so: 'off=:[' 'on=,:x' \
	call=10000 off on=:leaf call=1 on call=100000 > run.out 2> run.err
silent run.err
equal "what the interface returned" "$(tr '\n' ' ' < run.out)" \
	"state 1 off 17 state 0 on 17 state 1 off 2 on 1 on 0 on 1 off 2 off 8 off 0 off 0 on 4 off 11 on 2 off -22 on -22 off 2 on 0 on 3 "
facts run
calls_are run leaf 100112
calls_are run c_function 102
calls_are run loaded_value 110112
calls_are run _ZN4shop4Item3runEi 112
calls_are run _ZN4shop4ItemC2Ei 112
calls_are run _ZNK4shop4ItemclEic 12
calls_are run _ZN12_GLOBAL__N_16hiddenEi 112

# Copies and parts of a function are also chosen by its name with parameters, which the compiler's suffix follows.
cat > copies.cc <<'SOURCE'
__attribute__((noinline)) int copied(int i) __asm__("_Z6copiedi.part.0");
int copied(int i)
{
	__asm__ volatile("");
	return i - 1;
}
int main(void)
{
	for (int i = 0; i < 10; i++)
		copied(i);
	return 0;
}
SOURCE
traced_cxx -o copies copies.cc
for pattern in copied 'copied(int)' 'copied(i*)' _Z6copiedi.part.0; do
	SPOOR_RUNTIME_FUNCTIONS=$pattern traced copies.trace ./copies 2> copies.err
	silent copies.err
	facts copies.trace
	calls_are copies.trace _Z6copiedi.part.0 10
	calls_are copies.trace main 0
	"$top_builddir/tools/spoor" replay --full-names --function "$pattern" copies.trace > copies.replay
	equal "calls of $pattern" "$(grep -c '  *copied(int) ' copies.replay)" 10
done

# A library that is loaded later follows the earlier choice.
traced_cc -fPIC -shared -DNAME=late -o liblate.so "$victims/modules/loaded.c"
traced late ./choose off=: on=liblate.so:late_value state open=./liblate.so state call=5 > late.out 2> late.err
silent late.err
equal "a library that comes later" "$(tr '\n' ' ' < late.out)" "off 17 on 0 state 0 state 1 "

# A module whose names are gone can be chosen only as a whole, and a message says so.
cat > unnamed.c <<'SOURCE'
#include <stdio.h>
#include <unistd.h>
#include "spoor.h"
#pragma weak spoor_functions_disable
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
int main(int count, char **words)
{
	leaf();
	if (count != 1 || unlink(words[0]) < 0 || !spoor_functions_disable)
		return 1;
	printf("%ld %ld ", spoor_functions_disable("*", "leaf"), spoor_functions_disable("*", "main"));
	leaf();
	printf("%ld\n", spoor_functions_disable("*", "*"));
	leaf();
	return 0;
}
SOURCE
traced_cc -I"$top_srcdir/libspoor/include" -o unnamed unnamed.c
cp unnamed unnamed.kept
traced unnamed.trace ./unnamed > unnamed.out 2> unnamed.err ||
	fail "unnamed: the program ended with status $?: $(cat unnamed.err)"
said_once unnamed.err "cannot read the function names of .*unnamed: No such file or directory; patterns select none of its functions"
equal "how many were chosen without names" "$(cat unnamed.out)" "0 0 2"
mv unnamed.kept unnamed
facts unnamed.trace
calls_are unnamed.trace leaf 2

# Many repeated choices, and many different ones.
again=20000
# An emulator's memory grows.
[ -z "$emulated" ] || [ -n "${SPOOR_LONG-}" ] || again=2000
traced again ./choose again=$again > again.out 2> again.err
silent again.err
[ "$(sed 's/grew //' again.out)" -lt 100 ] || [ -n "$emulated" ] ||
	fail "repeated choices grow memory: $(cat again.out) KiB"
traced many ./choose many=1000 off=: on=:leaf call=5 > many.out 2> many.err
said_once many.err "too many changes of the chosen functions"
equal "after many choices" "$(tr '\n' ' ' < many.out)" "off 17 on 1 "
facts many
calls_are many leaf 5

# Mode off from the start; the program enables tracing.
SPOOR_RUNTIME_MODE=off SPOOR_RUNTIME_TRACE_PATH=mode LD_PRELOAD=$libspoor ./choose text call=10 on call=1 \
	> mode.out 2> mode.err
silent mode.err
equal "mode off" "$(cat mode.out)" "on 17"
facts mode
calls_are mode leaf 1

# says NAME VALUE TEXT - checks that the setting gives one message with TEXT, and that the program runs.
says()
{
	rm -rf wrong
	env SPOOR_RUNTIME_TRACE_PATH=wrong "SPOOR_RUNTIME_$1=$2" LD_PRELOAD="$libspoor" ./choose call=3 text \
		> wrong.out 2> wrong.err || fail "$1=$2: the program ended with status $?: $(cat wrong.err)"
	said_once wrong.err "$3"
}

for list in '' , 'a,' ',a' 'a,,b' '-' 'a,-' '[' 'a[b' '[!' '[]' '*['; do
	for key in MODULES FUNCTIONS; do
		says $key "$list" 'is not a list of patterns such as'
		[ ! -e wrong ] && [ ! -s wrong.out ] || fail "$key=$list: functions were traced: $(cat wrong.out)"
	done
done
says FUNCTION leaf 'SPOOR_RUNTIME_FUNCTION is not a key of this version: .*; the program runs untraced'
says trace_path x 'SPOOR_RUNTIME_trace_path is not a key of this version: .*; the program runs untraced'
says "$(printf '%100s' | tr ' ' X)" 1 'is not a key of this version: .*; the program runs untraced'
says MODE loud "MODE=loud is unknown: use 'log', 'ring', 'count', 'order' or 'off'; the program runs untraced"
says SESSION_ID -1 'SESSION_ID=-1 is not a whole number from'
says SESSION_ID 1x 'SESSION_ID=1x is not a whole number from'
says DYNAMIC_EVENT_POOL_CAPACITY 1 'DYNAMIC_EVENT_POOL_CAPACITY=1 is not a whole number from'
[ ! -e wrong ] || fail "functions were traced with a wrong setting: $(ls wrong)"

# The other patterns of a list are used even if one matches nothing.
says MODULES 'libzork*,choose' "SPOOR_RUNTIME_MODULES: no library with sleds matches 'libzork\\*'"
facts wrong
equal "beside a pattern that matches nothing" "$(count wrong function) $(entries wrong leaf)" "1 3"
says MODULES 'libzork.so' "no library with sleds matches 'libzork.so'"
[ ! -e wrong ] || fail "functions were traced although no library matches: $(ls wrong)"
says FUNCTIONS 'c_function*,-zork,c_function,plugh(int, char)' "no traced function matches 'zork', 'plugh(int, char)'"
facts wrong
equal "beside patterns that match nothing" "$(count wrong function)" 2
# Each process names itself in its message.
LD_PRELOAD=$libspoor SPOOR_RUNTIME_TRACE_PATH=two SPOOR_RUNTIME_FUNCTIONS=leaf,zork \
	sh -c './choose call=1 text & ./choose call=1 text; wait' > two.out 2> two.err ||
		fail "two processes: status $?: $(cat two.err)"
equal "processes that say so" "$(sed -n "s/.*no traced function matches 'zork' in choose (process \([0-9]*\))$/\1/p" two.err | sort)" \
	"$(ls two | grep -v symbols | sed 's/[^0-9].*//' | sort)"
# A process without sleds prints no message.
SPOOR_RUNTIME_MODULES=libzork.so LD_PRELOAD=$libspoor sh -c : 2> none.err
silent none.err

# Functions that a linker folded into one are traced under each of their names.
for linker in gold lld; do
	program twins -ffunction-sections -fuse-ld=$linker -Wl,--icf=all
	equal "$linker: twins" "$(nm twins | awk '/ twin_/ { print $1 }' | sort -u | wc -l)" 1
	for name in '*' twin_one twin_two twin_three; do
		SPOOR_RUNTIME_FUNCTIONS=$name traced folded ./twins > folded.out 2> folded.err
		silent folded.err
		equal "$linker: calls, chosen as $name" "$("$top_builddir/tools/spoor" report --format=csv folded |
			awk -F, '/^twin_/ { n += $3 } END { print n + 0 }')" 3
	done
done
