#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_choice.sh - with GCC's plugin, filters files, XRay's lists and attributes in the source choose the functions with
# sleds. The symbols name each function with its place, size and reason. Settings in the environment apply, and errors
# stop the build.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
work_folder gcc_choice
use_newest_gcc

cat > part.cc <<'END'
#include "spoor_attributes.h"
volatile int sink;
namespace n {
__attribute__((noinline)) int small(int x) { return x + 1; }
__attribute__((noinline)) int loops(int x) { for (int i = 0; i < x; i++) sink = sink + i; return x; }
__attribute__((noinline, cold)) int cold(int x) { sink = x; return x * 3; }
__attribute__((noinline)) int large(int x)
{
	sink = x; sink = x + 1; sink = x + 2; sink = x + 3; sink = x + 4; sink = x + 5; sink = x + 6; sink = x + 7;
	return sink;
}
SPOOR_ALWAYS int always(int x) { sink = x; return x; }
SPOOR_NEVER __attribute__((noinline)) int never(int x) { sink = x; return x; }
__attribute__((xray_never_instrument, noinline)) int never_by_xray(int x) { sink = x; return x; }
}
END

# with_sleds FLAG... - prints the short names of the functions with sleds in one line.
with_sleds()
{
	"$spoor_gxx" -O1 -fPIC -Wall -Werror "$@" -shared part.cc -o part.so
	names part.so | sed 's/^_ZN1n[0-9]*\([a-z]*\)Ei$/\1/' | sort | tr '\n' ' '
}

# chosen WANTED RULES [FLAG...] - checks that these rules select exactly the WANTED functions.
chosen()
{
	wanted=$1
	printf "$2" > rules
	shift 2
	got=$(SPOOR_INSTRUMENTATION_FILTERS_FILE=rules with_sleds "$@")
	[ "$got" = "$wanted" ] || fail "functions with sleds: $got instead of $wanted, with the rules $(cat rules)"
}

all='always cold large loops small '
for lto in "" -flto; do
	chosen "$all" '' $lto
	chosen 'always ' '[[block]]\n' $lto
done
chosen 'always cold large small ' '[[block]]\nfunction_has_loop = true\n'
chosen 'always loops ' '[[block]]\nfunction_has_loop = false\n'
chosen 'always large loops small ' '[[block]]\nfunction_attribute = "cold"\n'
chosen 'always large loops ' '[[block]]\nfunction_ir_instruction_count_lt = 6\n'
chosen 'always cold small ' '[[block]]\nfunction_ir_instruction_count_gt = 5\n'
chosen 'always cold large loops ' "[[block]]\\nfunction_demangled_name = 'n::sma.*\\(int\\)'\\n"
chosen 'always small ' "[[block]]\\n[[allow]]\\nfunction_linkage_name = '_ZN1n5small.*'\\n"
chosen 'always ' "[[block]]\\nsource_file_path = '.*/part\\.cc'\\n"
chosen 'always loops ' '[never]\nfun:*\n[always]\nfun:*loops*\n'
export SPOOR_INSTRUMENTATION_MODULE_ID=mine
chosen 'always ' '[[block]]\nmodule = "mine"\n[[allow]]\nmodule = "other"\n'
unset SPOOR_INSTRUMENTATION_MODULE_ID
[ -z "$(SPOOR_INSTRUMENTATION_INJECT_INSTRUMENTATION=false with_sleds)" ] || fail "inject_instrumentation has no effect"

# Each function is described, with the rule or the reason. The explanation names the same.
printf "[[block]]\nrule_name = 'no small ones'\nfunction_linkage_name_glob = '*small*'\n" > rules
SPOOR_INSTRUMENTATION_OUTPUT_SYMBOLS_FILE=symbols SPOOR_INSTRUMENTATION_FILTERS_FILE=rules with_sleds > out
"$spoor" symbols part.so > listed
"$spoor" symbols symbols > listed_in_file
cmp listed listed_in_file || fail "the symbols in the library and in the symbols file differ (see above)"
for line in 'yes *n::loops(int) *part.cc:5' 'no *n::small(int) *part.cc:4 *(no small ones)' \
	'no *n::never(int) *part.cc:[0-9]* *(an attribute excludes it)' \
	'no *n::never_by_xray(int) *part.cc:[0-9]* *(an attribute excludes it)'; do
	grep -q "$line" listed || fail "the symbols have no line '$line': $(cat listed)"
done
"$spoor" filters --explain rules part.so > explained
grep 'small' explained | grep -q 'no small ones' || fail "--explain does not name the rule: $(cat explained)"

# The same source gives the same bytes; another source has another ID.
"$spoor_gxx" -O1 -c part.cc -o one.o
"$spoor_gxx" -O1 -c part.cc -o two.o
cmp one.o two.o || fail "two compilations give different files (see above)"
id=$("$spoor" symbols one.o | sed -n '2s/:.*//p')
sed 's/x + 7/x + 8/' part.cc > changed.cc
"$spoor_gxx" -O1 -c changed.cc -o changed.o
[ "$("$spoor" symbols changed.o | sed -n '2s/:.*//p')" != "$id" ] || fail "a changed unit keeps its ID $id"

# A program that starts untraced.
echo 'int main(void) { return 0; }' > main.c
SPOOR_INSTRUMENTATION_ENABLE_RUNTIME=false "$spoor_gcc" main.c -o asleep
readelf -n asleep | grep -q 'description data: 02 00 00 00' || fail "there is no note that the program starts untraced: $(readelf -n asleep)"
SPOOR_RUNTIME_TRACE_PATH=asleep.trace LD_PRELOAD=$libspoor ./asleep
[ ! -e asleep.trace ] || fail "a program that starts untraced was traced: $("$spoor" report asleep.trace)"

# Errors stop the build.
stops()
{
	"$spoor_gcc" -c main.c -o main.o 2> err && fail "the build does not stop: $1"
	grep -q "error: spoor: .*$1" err || fail "the message does not say '$1': $(cat err)"
}
printf '[[block]]\n\nfunction_linkage_nam = "x"\n' > rules
export SPOOR_INSTRUMENTATION_FILTERS_FILE=rules
stops "rules:3: unknown condition 'function_linkage_nam'"
rm rules
stops 'SPOOR_INSTRUMENTATION_FILTERS_FILE: .*rules: No such file'
unset SPOOR_INSTRUMENTATION_FILTERS_FILE
export SPOOR_INSTRUMENTATION_MODE=call
stops 'mode: .*no mode call.*-finstrument-functions'
unset SPOOR_INSTRUMENTATION_MODE
export SOURCE_DATE_EPOCH=soon
stops 'SOURCE_DATE_EPOCH is not a number'
