#!/bin/sh
# SPDX-License-Identifier: MIT
# filters_command.sh - spoor filters predicts exactly what the pass does with the rules, and shows the events of the
# trace. Suggested rules remove the functions that they name.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
llvm_bin=$LLVM_BINDIR

cat > program.cc <<'END_OF_SOURCE'
#include "spoor_attributes.h"
volatile long sink;
namespace n {
__attribute__((noinline)) static int tiny(int x) { sink = x; return x; }
__attribute__((noinline)) int loop(int x) { for (int i = 0; i < x; i++) sink = sink + i; return x; }
__attribute__((noinline)) int large(int x)
{
	for (int i = 0; i < 20000; i++)
		sink = sink + i * x;
	for (int i = 0; i < x; i++)
		tiny(i);
	return (int)sink;
}
SPOOR_ALWAYS int always(int x) { sink = x; return x; }
SPOOR_NEVER __attribute__((noinline)) int never(int x) { sink = x; return x; }
}
int main()
{
	for (int i = 0; i < 40; i++)
		n::large(100);
	return n::loop(3) + n::always(1) + n::never(1) == 0;
}
END_OF_SOURCE
build() { traced_cxx -O1 -I"$top_srcdir/libspoor/include" program.cc -o "$1"; }
build program
"$spoor" record -q ./program

cat > rules <<'END_OF_RULES'
[[block]]
rule_name = "small"
function_ir_instruction_count_lt = 8
function_has_loop = false
[[block]]
function_demangled_name = 'n::l.*'
[[allow]]
rule_name = "but that"
function_linkage_name_glob = '*large*'
END_OF_RULES

# The command decides as the pass does.
"$spoor" filters --explain rules --format=csv --trace spoor.trace program > explained 2> err
[ ! -s err ] || fail "spoor filters --explain printed messages: $(cat err)"
SPOOR_INSTRUMENTATION_FILTERS_FILE=rules build by_rules
names by_rules > traced
sed -n 's/^traced,\("[^"]*"\|[^,]*\),\([^,]*\),.*/\2/p' explained | sort > said
diff traced said || fail "the functions with sleds (<) and the functions explained as traced (>) differ (see above)"
grep -q '^blocked,"\{0,1\}n::loop(int).*,2,5,,$' explained ||
	fail "the explanation of n::loop differs: $(cat explained)"
grep -q '^blocked,"\{0,1\}n::tiny(int).*,8000,1,small,$' explained ||
	fail "the explanation of n::tiny differs: $(cat explained)"
grep -q '^traced,"\{0,1\}n::large(int).*,80,7,but that,$' explained ||
	fail "the explanation of n::large differs: $(cat explained)"
grep -q '^never,"\{0,1\}n::never(int).*,0,,,an attribute excludes the function$' explained ||
	fail "the explanation of n::never differs: $(cat explained)"
grep -q '^traced,"\{0,1\}n::always(int).*,2,,,' explained ||
	fail "the explanation of n::always differs: $(cat explained)"

# As text: each function, each rule with the events that it removes, and the distribution of sizes.
"$spoor" filters --explain rules --trace spoor.trace program > text
grep -q "^blocked  *[0-9]*  *8,000  *9[0-9]\.[0-9]%  n::tiny(int)  program.cc:4  (block, line 1, 'small')$" text ||
	fail "the text does not explain n::tiny: $(cat text)"
grep -q "^ *[0-9]*  *8,00[0-9]  *9[0-9]\.[0-9]%  block, line 1, 'small'$" text ||
	fail "the text does not show the events of the rule: $(cat text)"
grep -q '^ *100%  *[0-9]*  *8,0[0-9]* 100.0%$' text || fail "the text does not show the percentiles: $(cat text)"
grep -q '^ *99.9%  ' text && grep -q '^ *99.99%  ' text || fail "the text ends at the 99th percentile: $(cat text)"
"$spoor" filters --explain rules program > text
grep -q 'EVENTS' text && fail "the text shows events without a trace: $(cat text)"
grep -q "^blocked  *[0-9]*  n::tiny(int)  program.cc:4  (block, line 1, 'small')$" text ||
	fail "the text does not explain n::tiny: $(cat text)"

# undisturbed TRACE FUNCTION PROGRAM - records again until no call of FUNCTION took 0.2 ms. A call that the kernel
# interrupts for longer raises the average time of 4,000 calls so much that no rule is suggested.
undisturbed()
{
	for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		rm -rf "$1"
		"$spoor" record -q -o "$1" "$3"
		longest=$("$spoor" report --format=csv --no-demangle "$1" |
			awk -F, -v name="$2" '$1 == name && $3 == 4000 { print $8 }')
		[ -n "$longest" ] || fail "$1: the report has no function $2 with 4000 calls"
		[ "$longest" -ge 200000 ] || return 0
	done
	fail "twenty recordings have a call of $2 that took longer than 0.2 ms: the last took $longest ns"
}

# The suggestion is a filters file; with it the other functions are traced as before.
undisturbed spoor.trace _ZN1nL4tinyEi ./program
"$spoor" filters --suggest -o suggested
grep -q '^# n::tiny(int), program$' suggested && grep -q '^# 4,000 calls, 9[0-9]\.[0-9] % of all; average self time [0-9]* ns' suggested ||
	fail "n::tiny is not suggested: $(cat suggested)"
grep -q 'large\|main' suggested && fail "a large function is suggested: $(cat suggested)"
SPOOR_INSTRUMENTATION_FILTERS_FILE=suggested build by_suggestion
rm -rf spoor.trace
"$spoor" record -q ./by_suggestion
"$spoor" report --format=csv --no-demangle | cut -d, -f1,3 | sed 1d | sort > calls
printf '%s\n' _ZN1n4loopEi,1 _ZN1n5largeEi,40 _ZN1n6alwaysEi,1 main,1 | diff - calls ||
	fail "the calls of other functions differ with the suggested rules (see above)"
"$spoor" filters --suggest -n 0 | grep -q '^\[\[block' && fail "--suggest -n 0 suggests rules"

# Of two functions with the same name, the rule removes the intended one.
cat > hot.c <<'END_OF_SOURCE'
__attribute__((noinline)) static int work(int x) { __asm__ volatile(""); return x; }
int slow(int x);
int main(void) { for (int i = 0; i < 4000; i++) work(i); return slow(0); }
END_OF_SOURCE
cat > slow.c <<'END_OF_SOURCE'
__attribute__((noinline)) static int work(int x) { for (int i = 0; i < 100000; i++) __asm__ volatile(""); return x; }
int slow(int x) { for (int i = 0; i < 8; i++) x += work(0); return x; }
END_OF_SOURCE
traced_cc hot.c slow.c -o twice
undisturbed twice.trace work ./twice
"$spoor" filters --suggest -o suggested twice.trace
SPOOR_INSTRUMENTATION_FILTERS_FILE=suggested traced_cc hot.c slow.c -o once
rm -rf twice.trace
"$spoor" record -q -o twice.trace ./once
"$spoor" report --format=csv twice.trace | cut -d, -f1,3 | grep work > calls ||
	fail "the suggested rules remove both functions: $(cat suggested)"
[ "$(cat calls)" = work,8 ] || fail "the suggested rules remove the wrong function: $(cat calls suggested)"

# Errors.
# refused STATUS TEXT ARGUMENT... - checks that spoor filters fails with STATUS and a message that contains TEXT.
refused()
{
	refused_status=$1 refused_text=$2
	shift 2
	status=0
	"$spoor" filters "$@" > out 2> err || status=$?
	[ "$status" = "$refused_status" ] ||
		fail "spoor filters $*: status $status instead of $refused_status: $(cat err)"
	grep -q -- "$refused_text" err || fail "spoor filters $*: no '$refused_text' in: $(cat err)"
}
refused 2 'either --explain RULES or --suggest'
refused 2 'either --explain RULES or --suggest' --explain rules --suggest program
refused 2 'no symbols: name' --explain rules
refused 2 'require --explain' --suggest --format=csv
refused 2 'not a number of rules' --suggest -n x
refused 1 'no such trace' --suggest no_such_trace
refused 1 'cannot read the filters file no_such' --explain no_such program
refused 1 'program.cc: is neither a symbols file nor' --explain rules program.cc
printf '[[block]]\nno_such = 1\n' > wrong
refused 1 "wrong:2: unknown condition 'no_such'" --explain wrong program
printf '[[block]]\nfunction_attribute = "cold"\n' > attribute
"$spoor" filters --explain attribute program > out 2> err
grep -q 'have no attributes of functions' err || fail "the message does not name attributes: $(cat err)"
