#!/bin/sh
# SPDX-License-Identifier: MIT
# tail_calls.sh - in functions with stack objects, indirect calls do not become tail calls, because a patched sled
# would overwrite the memory that they jump through. Direct calls, calls of other functions, and calls that the source
# demands stay tail calls. Calls whose target is checked (-fsanitize=kcfi) reach the same target.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder tail_calls

cat > tail.c << 'END'
typedef int function(int);
int direct(int x);
extern function *const known[4];

/* The arrays stay on the stack and are not visible elsewhere. */
#define FILL(table) for (int i = 0; i < 4; i++) table[i] = known[i ^ x]

/* The jump would read memory below the stack pointer. */
int stack_indirect(int x)
{
	function *volatile table[4];

	FILL(table);
	return table[x & 3](x);
}

int stack_direct(int x)
{
	function *volatile table[4];

	FILL(table);
	return direct(table[x & 3] == direct);
}

int stack_must(int x)
{
	function *volatile table[4];

	FILL(table);
	__attribute__((musttail)) return table[x & 3](x);
}

int register_indirect(function *f, int x)
{
	return f(x + 1);
}
END

# tails FILE FUNCTION - prints the number of its sleds of tail calls.
tails()
{
	"$llvm_bin/llvm-nm" "$1" | sed -n "s/^0*\([0-9a-f]*\) T $2\$/\1/p" > "$1.address"
	sleds "$1" | grep -c "^$(cat "$1.address") tail-exit" || :
}

for llvm in $(all_llvms); do
	use_llvm "$llvm"
	for level in 2 3 s; do
		file=$llvm-O$level
		"$clang" -O$level -fPIC -fpass-plugin="$plugin" -c tail.c -o "$file.o"
		"$clang" -shared -fuse-ld="$llvm_bin/ld.lld" "$file.o" -o "$file"
		for expected in stack_indirect=0 stack_direct=1 stack_must=1 register_indirect=1; do
			[ "$(tails "$file" "${expected%=*}")" = "${expected#*=}" ] ||
				fail "$file: ${expected%=*} does not have ${expected#*=} sleds of tail calls"
		done
		table_is_exact "$file" 4
	done
done

# LLVM loses the jump of a checked call with a sled.
cat > checked.c << 'END'
#include <stdio.h>
typedef long function(long);
__attribute__((noinline)) long one(long x) { __asm__ volatile(""); return x + 1; }
function *volatile chosen = one;
__attribute__((noinline)) long kept(function *f, long x) { __asm__ volatile(""); return f(x); }
__attribute__((noinline)) long left(long x) { __attribute__((musttail)) return chosen(x); }
int main(void)
{
	long sum = 0;

	for (int i = 0; i < 5; i++)
		sum += kept(one, i) + left(i);
	printf("%ld\n", sum);
	return 0;
}
END
for llvm in $(all_llvms); do
	use_llvm "$llvm"
	[ "$llvm" -ge 16 ] || continue
	for level in 0 1 2 s; do
		file=checked-$llvm-O$level
		"$clang" -O$level -fsanitize=kcfi -fpass-plugin="$plugin" -fuse-ld="$llvm_bin/ld.lld" checked.c -o "$file"
		[ "$(./"$file")" = 30 ] || fail "$file prints $(./"$file") instead of 30"
		names "$file" > "$file.names"
		grep -qx kept "$file.names" ||
			fail "$file: a function that may call has no sleds: $(cat "$file.names")"
		! grep -qx left "$file.names" ||
			fail "$file: a function that must jump has sleds: $(cat "$file.names")"
	done
done

# Without the pass the call is a tail call, so the pass makes the difference.
"$clang" -O2 -S tail.c -o plain.s
sed -n '/^stack_indirect:/,/^\.Lfunc_end/p' plain.s | grep -q 'jmpq.*\*' ||
	fail "stack_indirect has no indirect tail call without the pass, so the test proves nothing"
