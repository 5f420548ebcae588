#!/bin/sh
# SPDX-License-Identifier: MIT
# conditional_exits.sh - no compiler leaves an exit before a conditional jump, where a sled cannot be patched.
# At -Os and -Oz, with and without LTO, every function for which LLVM 14 alone would make such a jump has as many
# exits as entries.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

# The uninstrumented code must have a conditional jump out of a function.
for llvm in 14 19 22; do
	bin=$(llvm-config-$llvm --bindir 2> /dev/null) && [ -x "$bin/clang" ] || continue
	"$bin/clang" -Os -S -o plain-$llvm.s "$victims/calls/conditional.c"
	grep -qE 'j[a-z]+	(up|down) *# TAILCALL' plain-$llvm.s ||
		fail "LLVM $llvm makes no conditional tail calls, so the test proves nothing"
	for level in -Os -Oz -O2; do
		for lto in "" -flto=full -flto=thin; do
			name=conditional-$llvm$level$lto
			SPOOR_CC=$bin/clang "$SPOOR_DRIVERS/spoor-cc" $level $lto -fuse-ld="$bin/ld.lld" \
				-o "$name" "$victims/calls/conditional.c"
			traced "$name.trace" "./$name" > "$name.out" 2> "$name.err"
			silent "$name.err"
			facts "$name.trace"
			for function in goes_on either must one_of_many; do
				calls_are "$name.trace" $function 100
			done
			equal "exits of what they jump to" \
				"$(exits "$name.trace" up) $(exits "$name.trace" down)" \
				"$(entries "$name.trace" up) $(entries "$name.trace" down)"
			"$top_builddir/tools/spoor" info "$name.trace" > "$name.info"
			! grep 'not patched' "$name.info" || fail "$name: sleds are not patched (see above)"
		done
	done
done
