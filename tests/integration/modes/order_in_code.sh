#!/bin/sh
# SPDX-License-Identifier: MIT
# order_in_code.sh - with -fspoor-mode=order, functions are noted as with sleds, in the order in which the program
# itself reports them: at each level, with and without link-time optimisation, with each linker. Each function costs
# one byte of data and at most 16 bytes of text, and nothing in the unwind table. Registers are preserved. Without
# libspoor.so the code does nothing.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
order_functions=450
. "$top_srcdir/tests/integration/support/order_runs.sh"

order=-fspoor-mode=order
built -O0
built -O2 -fuse-ld=gold -Wl,--gc-sections
built -O2 -fuse-ld=lld -Wl,--gc-sections,--icf=all -no-pie
# Segments with gaps between them.
built -O1 -fuse-ld=lld -Wl,-z,max-page-size=0x200000
built -Os -flto -fuse-ld=lld
built -O2 -flto=thin -fuse-ld=lld
case $SPOOR_ARCH in
x86_64) built -O1 -fcf-protection=full ;;
aarch64) built -O1 -mbranch-protection=standard ;;
esac
shuffled -O1 $order
orders_agree
once_each $order

# bytes FILE SECTION - prints the size of the section.
bytes()
{
	size -A "$1" | awk -v section="$2" '$1 == section { print $2 }'
}

# Each function has at most 16 more bytes of text (36 on AArch64), one byte of data, and an unchanged unwind table.
case $SPOOR_ARCH in
x86_64) most=16 ;;
aarch64) most=36 ;;
esac
for option in $order -fno-spoor; do
	traced_cc -O1 -ffunction-sections "$option" -c -o "one$option.o" program.c
	[ "$SPOOR_ARCH" != x86_64 ] || traced_cc -O1 -ffunction-sections -fcf-protection=full "$option" -c -o "guarded$option.o" program.c
done
functions=$(bytes one$order.o spoor_seen)
[ "$functions" -gt 200 ] || functions=$(size -A one$order.o | awk '$1 == "spoor_seen" { n += $2 } END { print n }')
equal "bytes of data" "$functions" 301
text()
{
	size -A "$1" | awk '$1 ~ /^\.text/ { n += $2 } END { print n }'
}
grown=$((($(text one$order.o) - $(text one-fno-spoor.o)) / functions))
[ "$grown" -gt 0 ] && [ "$grown" -le $most ] || fail "a function grows by $grown bytes of text, and $most are allowed"
if [ "$SPOOR_ARCH" = x86_64 ]; then
	# With protected branches there is one landing pad, not two.
	grown=$((($(text guarded$order.o) - $(text guarded-fno-spoor.o)) / functions))
	[ $grown -le $most ] ||
		fail "a function with protected branches grows by $grown bytes of text, and $most are allowed"
fi
equal "unwind table" "$(bytes one$order.o .eh_frame)" "$(bytes one-fno-spoor.o .eh_frame)"
# No dynamic relocation for the functions; the stub has some.
[ "$(bytes program .rela.dyn)" -lt 1000 ] ||
	fail "the program has $(bytes program .rela.dyn) bytes of dynamic relocations"

# If the linker drops a function, it drops the function's byte too; gold keeps the byte.
cat > dropped.c <<'END'
__attribute__((noinline)) int kept(int x) { __asm__ volatile(""); return x; }
int dropped(int x) { __asm__ volatile(""); return x + 1; }
int main(int count, char **words) { (void)words; return kept(count - 1); }
END
for linker in lld bfd gold; do
	traced_cc -O1 $order -ffunction-sections -Wl,--gc-sections -fuse-ld=$linker -o dropped dropped.c
	./dropped
	[ $linker = gold ] || equal "$linker: bytes" "$(bytes dropped spoor_seen)" 2
	noted drop ./dropped
	equal "$linker: order" "$("$reader" order drop | tr '\n' ' ')" "main kept "
done

# Changes to other modes and back: functions are noted once, and no function is missed.
noted changes ./fork_order modes || fail "fork_order modes failed: a mode cannot be changed (status $?)"
equal "order after a change" "$("$reader" order changes | tr '\n' ' ')" "main before in_child "

# In another mode, or without chosen functions, no function is noted.
rm -rf logged
traced logged ./fork_order > out 2> err
silent err
[ ! -e logged ] || fail "a program without sleds left a trace in mode log: $(ls logged)"
SPOOR_RUNTIME_FUNCTIONS='after,main'
export SPOOR_RUNTIME_FUNCTIONS
noted chosen ./fork_order
unset SPOOR_RUNTIME_FUNCTIONS
equal "chosen" "$("$reader" order chosen | tr '\n' ' ')" "main after "

# With units that have sleds.
cat > mixed.c <<'END'
int kept(int x);
__attribute__((noinline)) int sled(int x) { __asm__ volatile(""); return kept(x); }
int main(int count, char **words) { (void)words; return sled(count - 1) + sled(count - 1); }
END
sed '/main/d' dropped.c > part.c
traced_cc -O1 $order -c part.c
traced_cc -O1 -o mixed mixed.c part.o
noted mixed.trace ./mixed
equal "mixed" "$("$reader" order mixed.trace | tr '\n' ' ')" "main sled kept "
traced logged ./mixed
calls_of() { "$reader" report --format=csv logged | awk -F, -v f="$1" '$1 == f { print $3 }'; }
equal "mixed, logged" "$(calls_of sled) $(calls_of main) $(calls_of kept)" "2 1 "

# A library that is loaded repeatedly is noted once; exceptions pass through; the registers of every calling
# convention are preserved.
traced_cc -O1 $order -fPIC -shared -o plug_in.so part.c
cat > loads.c <<'END'
#include <dlfcn.h>
int main(int count, char **words)
{
	for (int i = 0; i < 50; i++) {
		void *library = dlopen(words[count - 1], RTLD_NOW);
		int (*kept)(int) = (int (*)(int))dlsym(library, "kept");

		if (kept(i) != i || dlclose(library) != 0)
			return 1;
	}
	return 0;
}
END
traced_cc -O1 $order -o loads loads.c -ldl
noted loaded ./loads ./plug_in.so
equal "loaded" "$("$reader" order --library 'plug_in.so' loaded | sort | tr '\n' ' ')" "kept "
traced_cxx $order -o throws "$victims/calls/throws.cc"
./throws > untraced.out
noted thrown ./throws > out
cmp untraced.out out
here=$top_srcdir/tests/trampolines
"$LLVM_BINDIR/clang" -c "$here/clobber_$SPOOR_ARCH.S" -o clobber.o
for level in -O0 -O2; do
	traced_cc $level $order -I"$top_srcdir/libspoor/include" -I"$here" -Wno-psabi -DCLOBBER_HEADER="\"clobber_$SPOOR_ARCH.h\"" \
		-DCONVENTIONS_HEADER="\"conventions_$SPOOR_ARCH.h\"" "$here/conventions.c" clobber.o -o conventions
	noted convened ./conventions log || fail "$level: registers are not preserved (status $?)"
	"$reader" order convened | grep -qx nine_words ||
		fail "$level: nine_words was not noted: $("$reader" order convened)"
done
rm -rf built convened

# More than 65,536 functions, beyond which LLVM's own order file lost functions, take a minute to compile.
[ -n "${SPOOR_LONG-}" ] || exit 0
awk 'BEGIN {
	for (i = 0; i < 70000; i++)
		printf "__attribute__((noinline)) void f%d(void) { __asm__ volatile(\"\"); }\n", i
	printf "int main(void) {"
	for (i = 0; i < 70000; i++)
		printf " f%d();", i
	print " return 0; }"
}' > lots.c
for option in $order -fspoor-mode=sled; do
	traced_cc -O1 $option -o lots lots.c
	noted lots.trace ./lots
	{
		echo main
		seq -f 'f%.0f' 0 69999
	} > lots.wanted
	"$reader" order lots.trace | cmp - lots.wanted ||
		fail "$option: the order does not have the 70,000 functions as they ran"
done
rm -rf lots*
