#!/bin/sh
# SPDX-License-Identifier: MIT
# filters.sh - a filters file, with its own rules or as an XRay list, selects the functions that the plugin and
# spoor_opt instrument, with and without debug information. Attributes in the source take precedence. An error in the
# file stops the build.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder filters
unset $(env | sed -n 's/^\(SPOOR_INSTRUMENTATION_[A-Z_]*\)=.*/\1/p')

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
}
END

# compile_part FLAG... - compiles part.cc.
compile_part()
{
	"$clangxx" -O1 -fPIC -D__SPOOR__=1 -I"$top_srcdir/libspoor/include" -fpass-plugin="$plugin" "$@" -c part.cc -o part.o
}

# with_sleds FLAG... - prints the short names of the functions with sleds in one line.
with_sleds()
{
	compile_part "$@"
	"$clangxx" -shared -fuse-ld="$llvm_bin/ld.lld" part.o -o part.so
	names part.so | sed 's/^_ZN1n[0-9]*\([a-z]*\)Ei$/\1/' | sort | tr '\n' ' '
}

# chosen WANTED RULES [FLAG...] - checks that these rules select exactly the WANTED functions.
chosen()
{
	wanted=$1
	printf "$2" > rules
	shift 2
	got=$(SPOOR_INSTRUMENTATION_FILTERS_FILE=rules with_sleds "$@")
	[ "$got" = "$wanted" ] ||
		fail "LLVM $llvm: functions with sleds: $got instead of $wanted, with the rules $(cat rules)"
}

llvms=$LLVM_MAJOR
[ -z "${SPOOR_LONG-}" ] || llvms=$(all_llvms)
for llvm in $llvms; do
	use_llvm "$llvm" || fail "there is no plugin for LLVM $llvm"
	all='always cold large loops small '
	chosen "$all" ''
	chosen 'always ' '[[block]]\n'
	chosen 'always cold large small ' '[[block]]\nfunction_has_loop = true\n'
	chosen 'always loops ' '[[block]]\nfunction_has_loop = false\n'
	chosen 'always large loops small ' '[[block]]\nfunction_attribute = "cold"\n'
	chosen 'always large loops ' '[[block]]\nfunction_ir_instruction_count_lt = 6\n'
	chosen 'always cold small ' '[[block]]\nfunction_ir_instruction_count_gt = 5\n'
	chosen 'always cold large loops ' "[[block]]\\nfunction_demangled_name = 'n::sma.*\\(int\\)'\\n"
	chosen 'always small ' "[[block]]\\n[[allow]]\\nfunction_linkage_name = '_ZN1n5small.*'\\n"
	chosen 'always ' "[[block]]\\nsource_file_path = '.*/part\\.cc'\\n" -g
	chosen 'always ' "[[block]]\\nsource_file_path_glob = 'part.cc'\\n"
	chosen "$all" "[[block]]\\nsource_file_path = 'part'\\n" -g
	chosen 'always loops ' '[never]\nfun:*\n[always]\nfun:*loops*\n'
	export SPOOR_INSTRUMENTATION_MODULE_ID=mine
	chosen 'always ' '[[block]]\nmodule = "mine"\n[[allow]]\nmodule = "other"\n'
	chosen "$all" '[[block]]\nmodule = "min"\n'
	unset SPOOR_INSTRUMENTATION_MODULE_ID
done
use_llvm "$LLVM_MAJOR"

# Call mode selects the same functions; a blocked main still starts and ends the runtime.
printf "[[block]]\nrule_name = 'all but one'\n[[allow]]\nfunction_linkage_name_glob = 'one'\n" > rules
cat > two.c <<'END'
int one(int x) { return x; }
int main(void) { return 0; }
END
"$clang" -O1 -c -emit-llvm two.c -o two.bc
"$spoor_opt" --mode=call --filters_file=rules --output_language=ir --output_symbols_file=symbols two.bc > two.ll
[ "$(grep -c 'call void.*LogFunctionEntry' two.ll)" = 1 ] ||
	fail "call mode: not exactly one function has an entry call: $(cat two.ll)"
grep -q 'call void.*_Initialize' two.ll && grep -q 'call void.*_Deinitialize' two.ll ||
	fail "a blocked main does not start and end the runtime: $(cat two.ll)"
grep -q 'all but one' symbols || fail "the symbols file does not name the rule that blocks main"

# spoor_config.toml next to the file may name the filters file. An error in it stops the build.
mkdir configured
cp part.cc configured
cd configured
echo 'filters_file = "rules"' > spoor_config.toml
printf '[[block]]\n' > rules
[ "$(with_sleds)" = 'always ' ] || fail "the filters file of spoor_config.toml is not used: $(with_sleds)"
printf '[[block]]\n\nfunction_linkage_nam = "x"\n' > rules
compile_part > out 2> err && fail "an unknown condition does not stop the build"
grep -q 'error: spoor: .*/configured/rules:3: unknown condition '\''function_linkage_nam' err ||
	fail "the message does not name the unknown condition: $(cat err)"
rm rules
compile_part > out 2> err && fail "a missing filters file does not stop the build"
grep -q 'spoor_config.toml:1: filters_file: cannot read the filters file .*configured/rules: No such file' err ||
	fail "the message does not name the missing file: $(cat err)"
cd ..
status=0
printf '[[block]]\nmodule = "("\n' > rules
"$spoor_opt" --filters_file=rules two.bc > out 2> err || status=$?
[ "$status" = 1 ] && [ ! -s out ] && grep -q 'rules:2: module: "(" is not a valid regular expression' err ||
	fail "a wrong regular expression does not stop spoor_opt: status $status: $(cat err)"
