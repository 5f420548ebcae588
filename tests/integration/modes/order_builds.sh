#!/bin/sh
# SPDX-License-Identifier: MIT
# order_builds.sh - the order of one build lays out other builds: with GNU ld's script, as Mach-O, from a newer
# source, with a profile, and with and without link-time optimisation, which renames functions that were local.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
. "$top_srcdir/tests/integration/support/order_runs.sh"
shuffled -O1
noted one ./program 2> said

# laid FILE [UNDERSCORE] - checks that the functions of the order have addresses in this order.
laid()
{
	"$LLVM_BINDIR/llvm-nm" -n "$1" | sed -n "s/.* [tT] ${2-}\(f[0-9]*\)\$/\1/p" > all.laid
	grep -xF -f all.laid wanted > wanted.laid || fail "$1: no function of the order is in the file"
	grep -xF -f wanted all.laid > got.laid
	cmp wanted.laid got.laid ||
		fail "$1: the functions are in another order: $(diff wanted.laid got.laid | head -n 4)"
	# The functions are adjacent, before the other functions, or after them with gold.
	${end-head} -n "$(wc -l < wanted.laid)" all.laid | cmp - wanted.laid ||
		fail "$1: other functions are between the functions of the order (see above)"
	[ "$(wc -l < wanted.laid)" -ge "${least-190}" ] ||
		fail "$1: only $(wc -l < wanted.laid) functions of the order are in the file"
}
"$spoor" order --library program -o program.order one
grep -v '^main$' program.order > wanted
flags="-O1 -ffunction-sections -w -L. -lpart -Wl,-rpath,$work -rdynamic"

# GNU ld with its own script, which includes the fragment.
"$spoor" order --library program --format bfd -o program.bfd one
ld.bfd --verbose | awk '/^=====/ { on = !on; next } on { print } on && /^  \.text  / { getline; print; print "INCLUDE program.bfd" }' > script
grep -q '^INCLUDE' script ||
	fail "GNU ld's default script has no line to insert the fragment: $(ld.bfd --verbose | grep -c '^  \.text  ')"
# shellcheck disable=SC2086
"$clang" program.c $flags -fuse-ld=bfd -Wl,-T,script -o laid.bfd
laid laid.bfd
./laid.bfd 2> said.bfd
cmp said said.bfd

# LLVM has a linker for Mach-O.
if [ -x "$LLVM_BINDIR/ld64.lld" ] && [ "$LLVM_MAJOR" -ge 19 ]; then
	"$spoor" order --library program --format ld64 -o program.ld64 one
	for i in $(seq 0 899); do
		[ $((i % 3)) = 0 ] || echo "__attribute__((noinline)) void f$i(void) { __asm__ volatile(\"nop\"); }"
	done > mach.c
	"$clang" --target=x86_64-apple-macos13 -O1 -c mach.c
	"$LLVM_BINDIR/ld64.lld" -arch x86_64 -platform_version macos 13 13 -dylib -order_file program.ld64 -o laid.dylib mach.o
	laid laid.dylib _
fi

# A newer source: every seventh function was removed, others were added, and the rest is longer.
grep -v '^__attribute__.* f[0-9]*[07](void)' program.c | sed 's/^\t*f[0-9]*[07]();$//
	s/^__attribute__((noinline)) void f\([0-9]*\)(void) {/__attribute__((noinline)) void new\1(void) { TELL(\1); }\n&/' > newer.c
# shellcheck disable=SC2086
"$clang" newer.c $flags -fuse-ld=lld -Wl,--symbol-ordering-file=program.order,--no-warn-symbol-ordering -o laid.newer
least=100
laid laid.newer
"$spoor" order --library program --for laid.newer -o /dev/null one 2> newer.err
grep -q 'functions of the order are missing' newer.err ||
	fail "spoor order does not report the removed functions: $(cat newer.err)"
unset least

# With a profile the compiler sorts functions itself.
# shellcheck disable=SC2086
"$clang" program.c $flags -fuse-ld=lld -fprofile-generate -o profiled
LLVM_PROFILE_FILE=one.profraw ./profiled 2> said.profiled
"$LLVM_BINDIR/llvm-profdata" merge -o one.profdata one.profraw
# shellcheck disable=SC2086
"$clang" program.c $flags -fuse-ld=lld -fprofile-use=one.profdata \
	-Wl,--symbol-ordering-file=program.order,--no-warn-symbol-ordering -o laid.profile
# The compiler separates functions that never run.
laid laid.profile
"$spoor" order --library program --for laid.profile -o /dev/null one 2> profile.err
grep -q 'all 193 functions of the order are there' profile.err ||
	fail "spoor order does not find all 193 functions: $(cat profile.err)"
# An order of sections must name the sections of a profile too: .text.hot.f1, .text.unlikely.f2.
"$spoor" order --library program --format gold -o program.gold one
# shellcheck disable=SC2086
"$clang" program.c $flags -fuse-ld=bfd -fprofile-use=one.profdata -Wl,-T,script -o laid.profile
laid laid.profile
# shellcheck disable=SC2086
"$clang" program.c $flags -fuse-ld=gold -fprofile-use=one.profdata -Wl,--section-ordering-file=program.gold -o laid.profile
end=tail
laid laid.profile
unset end

# ThinLTO imports small functions into other units, and renames the local functions that they call.
cat > local.c <<'END_OF_C'
static __attribute__((noinline)) int local(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
int taken(int x) { return local(x); }
END_OF_C
cat > user.c <<'END_OF_C'
int taken(int x);
__attribute__((noinline, used)) int unused(int x) { __asm__ volatile("" : "+r"(x)); return x; }
__attribute__((noinline)) int used(int x) { __asm__ volatile("" : "+r"(x)); return x; }
int main(int count, char **words) { (void)words; return (taken(count) + used(count)) & 0; }
END_OF_C
for unique in '' -funique-internal-linkage-names; do
	thin="-O2 -flto=thin -fuse-ld=lld -ffunction-sections $unique"
	# shellcheck disable=SC2086
	traced_cc $thin -o thin local.c user.c
	noted thin.trace ./thin
	"$spoor" order -o thin.order thin.trace
	case $unique in
	'') name=local ;;
	*) name='_ZL5locali\.__uniq\.[0-9]*' ;;
	esac
	equal "names of local functions $unique" "$(grep -c "^$name\.llvm\.[0-9]*\$" thin.order) $(grep -c "^$name\$" thin.order)" "1 1"
	# shellcheck disable=SC2086
	traced_cc $thin -Wl,--symbol-ordering-file=thin.order,--no-warn-symbol-ordering -o laid.thin local.c user.c
	"$clang" -O2 -fno-inline -ffunction-sections $unique -fuse-ld=lld \
		-Wl,--symbol-ordering-file=thin.order,--no-warn-symbol-ordering -o laid.plain local.c user.c
	for laid in laid.thin laid.plain; do
		equal "$laid $unique" "$("$LLVM_BINDIR/llvm-nm" -n $laid | sed -n 's/.* [tT] //p' | grep -E '^(main|_?Z?L?5?local.*|used|unused)$' |
			sed 's/\.llvm.*//; s/^_ZL5locali.*/local/' | tr '\n' ' ')" "main local used unused "
	done
done
