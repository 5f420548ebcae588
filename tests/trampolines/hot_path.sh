#!/bin/bash
# SPDX-License-Identifier: MIT
# hot_path.sh - the machine code of an event costs what log_$SPOOR_ARCH.S states, and libspoor.so needs no symbol or
# library but libc.
set -u

library=$top_builddir/libspoor/.libs/libspoor.so
source=$top_srcdir/trampolines/log_$SPOOR_ARCH.S
counting=$top_srcdir/trampolines/count_$SPOOR_ARCH.S
slow_path=$top_builddir/libspoor/event/.libs/libevent_la-slow_path.o
failures=0
objdump=objdump
! command -v "$SPOOR_ARCH-linux-gnu-objdump" >/dev/null || objdump=$SPOOR_ARCH-linux-gnu-objdump

fail()
{
	echo "hot_path: $*" >&2
	failures=$((failures + 1))
}

for file in "$library" "$slow_path"; do
	[ -f "$file" ] || { echo "hot_path: $file does not exist" >&2; exit 1; }
done

# straight FILE FUNCTION - prints the instructions up to the first return, with no jump taken: mnemonics and
# operands.
straight()
{
	"$objdump" -d --no-show-raw-insn --disassemble="$2" "$1" |
		sed -n "s/^ *[0-9a-f]*:\t//p" | sed '/^ret/q'
}

# Reads the architecture's checks. They set vector, x87, calls, dynamic and loader.
. "$top_srcdir/tests/trampolines/hot_path_$SPOOR_ARCH.sh"

# Checks all code that runs before the vector state is saved.
for object in "$slow_path" "${slow_path%slow_path.o}count_slow.o" "${slow_path%slow_path.o}library_path.o" \
	"${slow_path%slow_path.o}library_words.o" "$top_builddir/libspoor/base/.libs/liblibcstack_la-libc_stack.o"; do
	[ -f "$object" ] || { fail "$object does not exist"; continue; }
	"$objdump" -d --no-show-raw-insn "$object" | sed -n 's/^ *[0-9a-f]*:\t//p' |
		awk -v x87="$x87" '$1 ~ x87' | grep . && fail "${object##*/} uses x87 or vector registers"
	"$objdump" -d --no-show-raw-insn "$object" | grep -E "$vector" && fail "${object##*/} uses vector registers"
	nm -u "$object" | awk '{ print $2 }' | grep -Ev '^spoor_|^_GLOBAL_OFFSET_TABLE_$' &&
		fail "${object##*/} needs symbols outside of the event path"
	readelf -rW "$object" | grep -E "$calls" | grep -v ' spoor_\| \.text' &&
		fail "${object##*/} calls through another module"
done

# Checks the library's interface to other modules.
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | grep -Ev '^(spoor_|_spoor_runtime_|__cyg_profile_func_(enter|exit|enter_bare)$)' &&
	fail "libspoor.so must not export these"
nm -D --defined-only "$library" | grep -q ' T spoor_dso_register' || fail "spoor_dso_register is not exported"
needed=$(readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
if nm -D "$library" | grep -q ' U __[atu]\(san\|bsan\)_'; then
	echo "hot_path: built with sanitizers: the other imports and exports belong to them" >&2
else
	grep -Ev "^(libc\.so\.6|$loader)\$" <<<"$needed" && fail "these libraries are needed"
	grep -q . <<<"$needed" || fail "$library needs no library, not even libc: was it built correctly?"
	tls=$(readelf -lW "$library" | awk '$1 == "TLS" { print $6 }')
	[ $((tls)) -gt 0 ] && [ $((tls)) -le 512 ] || fail "its thread-local variables take $((tls)) bytes of 512"
fi
readelf -dW "$library" | grep -q 'FLAGS_1.*NODELETE' || fail "it can be unloaded"
readelf -dW "$library" | grep -q TEXTREL && fail "it has text relocations"
readelf -rW "$library" | grep -E "$dynamic" && fail "its thread-local variables are not initial-exec"
readelf -lW "$library" | awk '$1 == "GNU_STACK" { exit $7 ~ /E/ ? 0 : 1 }' && fail "it wants an executable stack"
[ "$failures" = 0 ]
