#!/bin/sh
# SPDX-License-Identifier: MIT
# order_in_gcc.sh - with GCC and -fspoor-mode=order, functions are noted in the order in which the program itself
# reports them, at each level, with link-time optimisation and with each linker. Code that GCC's other options change
# computes the same. An ifunc resolver, and what it calls, is left out.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
order_functions=450
. "$top_srcdir/tests/integration/support/order_runs.sh"
. "$top_srcdir/tests/integration/support/gcc.sh"
use_newest_gcc
# The functions of order_runs.sh build with these.
traced_cc()
{
	"$spoor_gcc" -O2 -g -Wall -Wextra "$machine_header" "$@"
}

order=-fspoor-mode=order
built -O0
built -O2 -fuse-ld=gold -Wl,--gc-sections
built -O2 -no-pie
built -O2 -flto -flto-partition=none
case $SPOOR_ARCH in
x86_64) built -O1 -fcf-protection=full ;;
aarch64) built -O1 -mbranch-protection=standard ;;
esac
shuffled -O1 $order
orders_agree
once_each $order
equal "kinds of instrumentation in program" "$(readelf -SW program | grep -c 'xray_instr_map')" 0

# What a function uses when it begins: variable arguments, registers that its callers rely on, static chains.
for flags in -O0 -O2 '-O3 -fcf-protection=full' '-O2 -pg'; do
	[ "$SPOOR_ARCH" = x86_64 ] || flags=${flags%-fcf*}
	# shellcheck disable=SC2086
	"$gcc" $flags -w -z execstack -o rules.plain "$gcc_programs/rules.c" -lm
	# shellcheck disable=SC2086
	"$spoor_gcc" $order $flags -w -z execstack -o rules.order "$gcc_programs/rules.c" -lm
	./rules.plain > plain.out
	./rules.order > order.out
	cmp plain.out order.out
	noted rules ./rules.order > order.out
	cmp plain.out order.out
	"$spoor" order rules | grep -qx main || fail "$flags: main is not noted: $("$spoor" order rules)"
done

cat > resolved.c << 'END'
__attribute__((noinline)) static int count_processors(void) { __asm__ volatile(""); return 1; }
static int one(void) { return 1; }
static int (*choose(void))(void) { return count_processors() ? one : 0; }
int chosen(void) __attribute__((ifunc("choose")));
int main(void) { return chosen() - 1; }
END
for flags in '-fPIE -pie -Wl,-z,now' '-fPIE -pie -Wl,-z,lazy'; do
	# shellcheck disable=SC2086
	traced_cc $order $flags -o resolved resolved.c
	./resolved
	noted resolved.trace ./resolved
	equal "$flags" "$("$spoor" order resolved.trace | tr '\n' ' ')" "main one "
done
"$spoor" symbols resolved | grep 'count_processors' | grep -q 'a function that resolves an ifunc calls it' ||
	fail "the symbols do not say why count_processors is left out: $("$spoor" symbols resolved)"
