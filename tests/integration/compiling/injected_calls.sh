#!/bin/sh
# SPDX-License-Identifier: MIT
# injected_calls.sh - in call mode every entry and exit of a function has its call of the runtime. For each installed
# LLVM the code is valid afterwards, and can be optimised and compiled. Tail calls stay tail calls, coroutines are
# split, and main starts and ends the runtime on request.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
corpus=$top_srcdir/tests/programs/instrumentation/calls.ll
coroutines=$top_srcdir/tests/programs/victims/threads/coroutines.cc
work_folder injected_calls
unset $(env | sed -n 's/^\(SPOOR_INSTRUMENTATION_[A-Z_]*\)=.*/\1/p')
SPOOR_INSTRUMENTATION_MODE=call
export SPOOR_INSTRUMENTATION_MODE

# calls_in FILE - prints a line "NAME ENTRIES EXITS" for each function in the file.
calls_in()
{
	awk '
		/^define/ { name = $0; sub(/^[^@]*@/, "", name); sub(/\(.*/, "", name); entries = exits = 0; inside = 1 }
		inside && /call void .*@_spoor_runtime_LogFunctionEntry\(/ { entries++ }
		inside && /call void .*@_spoor_runtime_LogFunctionExit\(/ { exits++ }
		/^}/ { if (inside) print name, entries, exits; inside = 0 }' "$1" | sort
}

# body FILE FUNCTION - prints the instructions of the function, without value numbers.
body()
{
	awk -v name="@$2(" 'index($0, name) && /^define/ { inside = 1 } inside { print } /^}/ { inside = 0 }' "$1" |
		sed 's/^ *//; s/, !dbg.*//; s/ #[0-9]*$//'
}

# ordered WHAT FILE FUNCTION EXPRESSION... - checks that lines of the body match the expressions in this order.
ordered()
{
	what=$1 file=$2 function=$3
	shift 3
	body "$file" "$function" > body
	at=0
	for expression in "$@"; do
		next=$(sed "1,${at}d" body | grep -n -m 1 -- "$expression" | cut -d: -f1)
		[ -n "$next" ] || fail "$what: no line after line $at matches $expression: $(cat body)"
		at=$((at + next))
	done
}

for llvm in $(all_llvms); do
	use_llvm "$llvm"
	# LLVM 14 has typed pointers, casts them, and numbers the operands of callbr differently.
	if [ "$llvm" -lt 15 ]; then
		sed 's/PERSONALITY(\([^)]*\))/i8* bitcast (i32 (...)* @\1 to i8*)/; s/i64ptr/i64*/; s/\bptr\b/i8*/g
			s/callbr void asm sideeffect "# $0", "!i"()/callbr void asm sideeffect "# $0", "X"(i8* blockaddress(@asm_jumps, %b))/
			s/llvm.eh.typeid.for(.*)/llvm.eh.typeid.for(i8*)/' "$corpus" > corpus.ll
	else
		sed 's/PERSONALITY(\([^)]*\))/ptr @\1/; s/i64ptr/ptr/; /llvm.eh.typeid/d' "$corpus" > corpus.ll
	fi
	# The corpus has every terminator instruction of LLVM.
	sed -n 's/^HANDLE_TERM_INST *( *[0-9]*, *\([A-Za-z]*\).*/\1/p' "$("$llvm_bin/llvm-config" --includedir)/llvm/IR/Instruction.def" |
		tr A-Z a-z | sed 's/^uncondbr$\|^condbr$/br/' > ends
	[ "$(wc -l < ends)" -ge 11 ] ||
		fail "LLVM $llvm: Instruction.def lists fewer than 11 terminators: $(cat ends)"
	while read -r end; do
		grep -q "^  \(%[^ ]* = \)\{0,1\}$end " corpus.ll || grep -q "^  $end\$" corpus.ll ||
			fail "LLVM $llvm: the corpus has no $end"
	done < ends
	SPOOR_INSTRUMENTATION_MODE=sled "$spoor_opt" --output_language=ir corpus.ll | "$opt" -passes=verify -o sleds.bc ||
		fail "LLVM $llvm: the corpus is invalid with sleds"
	sed -n 's/^; calls //p' "$corpus" | sort > wanted
	"$spoor_opt" --output_language=ir corpus.ll > out.ll ||
		fail "LLVM $llvm: spoor_opt cannot instrument the corpus"
	calls_in out.ll | diff wanted - || fail "LLVM $llvm: the injected calls differ (wanted <, got >) (see above)"
	"$spoor_opt" --output_language=ir out.ll | calls_in /dev/stdin | diff wanted - ||
		fail "LLVM $llvm: a second run changes the injected calls (see above)"
	"$opt" -load-pass-plugin="$plugin" -passes=inject-spoor-instrumentation,verify -S corpus.ll -o plugin.ll
	calls_in plugin.ll | diff wanted - || fail "LLVM $llvm: the plugin injects other calls (see above)"

	ordered "a must-tail call" out.ll must_tail 'LogFunctionEntry' 'LogFunctionExit' 'musttail call' '^ret'
	ordered "a tail call" out.ll may_tail 'LogFunctionEntry' 'LogFunctionExit' 'tail call i64 @value' '^ret'
	ordered "no tail call" out.ll no_tail 'LogFunctionEntry' 'i64 @value' '^%.* = add' 'LogFunctionExit' '^ret' \
		'cleanup' 'LogFunctionExit' 'resume'
	ordered "returns that meet" out.ll meet 'LogFunctionEntry' 'LogFunctionExit' 'tail call i64 @value' '^ret' \
		'LogFunctionExit' 'tail call i64 @meet' '^ret' 'LogFunctionExit' '^ret i64'
	ordered main out.ll main Initialize Enable LogFunctionEntry LogFunctionExit Deinitialize 'ret i32 0' \
		LogFunctionExit Deinitialize musttail
	[ "$(grep -c 'call void .*@_spoor_runtime_\(Initialize\|Enable\)' out.ll)" = 2 ] ||
		fail "main does not initialise and enable the runtime once each"

	# Each of the three calls can be omitted; the call that ends the runtime depends on the one that starts it.
	"$spoor_opt" --noenable_runtime --output_language=ir corpus.ll > some.ll
	grep -q 'call void .*@_spoor_runtime_Enable' some.ll && fail "--noenable_runtime enables the runtime"
	grep -q 'call void .*@_spoor_runtime_Deinitialize' some.ll ||
		fail "--noenable_runtime does not end the runtime"
	"$spoor_opt" --noinitialize_runtime --output_language=ir corpus.ll > some.ll
	grep -q 'call void .*@_spoor_runtime_\(Initialize\|Deinitialize\)' some.ll && fail "--noinitialize_runtime" \
		"initialises or ends the runtime"
	grep -q 'call void .*@_spoor_runtime_Enable' some.ll ||
		fail "--noinitialize_runtime does not enable the runtime"

	# Later passes accept the code. Functions for other systems are removed, because they cannot be compiled here.
	"$llvm_bin/llvm-extract" --delete --func=funclet_cleans_up --func=funclet_catches -o code.bc corpus.ll
	for level in 0 2; do
		"$spoor_opt" code.bc | "$opt" -O$level -o optimised.bc
		"$llvm_bin/llc" -O$level -relocation-model=pic -filetype=obj optimised.bc -o optimised.o ||
			fail "LLVM $llvm: llc cannot compile the code at level $level"
	done
	# Coroutines are split first; each part then has its own calls.
	"$clangxx" -std=c++20 -O2 -Xclang -disable-llvm-passes -c -emit-llvm -o whole.bc "$coroutines"
	"$spoor_opt" --output_language=ir whole.bc > split.ll || fail "LLVM $llvm: spoor_opt cannot split coroutines"
	calls_in split.ll | grep '\.resume' > parts || fail "LLVM $llvm: no coroutine was split"
	! grep ' 0 \| 1 0$' parts || fail "LLVM $llvm: parts of coroutines have no calls (see above)"
	# A musttail call is a jump, and the exit comes before it.
	"$spoor_opt" code.bc | "$llvm_bin/llc" -O0 -relocation-model=pic -o - |
		awk '/^must_tail:/ { on = 1 } on && /value/ { print; exit }' | grep -q jmp ||
			fail "LLVM $llvm: the musttail call is not a jump"
done
