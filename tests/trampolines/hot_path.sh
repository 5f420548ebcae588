#!/bin/bash
# SPDX-License-Identifier: MIT
# hot_path.sh - the machine code of an event is what log_x86_64.S says it is, and
# libspoor.so asks nothing of the program that it is loaded into but libc.
set -u

library=$top_builddir/libspoor/.libs/libspoor.so
source=$top_srcdir/trampolines/log_x86_64.S
slow_path=$top_builddir/libspoor/.libs/libevent_la-slow_path.o
failures=0

fail()
{
	echo "hot_path: $*" >&2
	failures=$((failures + 1))
}

case $(uname -m) in
x86_64) ;;
*)
	echo "hot_path: skipped: reads the disassembly of x86-64 alone" >&2
	exit 77 ;;
esac
for file in "$library" "$slow_path"; do
	[ -f "$file" ] || { echo "hot_path: there is no $file" >&2; exit 1; }
done

# Registers that are the program's: vector, mask and x87.
vector='%[xyz]mm[0-9]|%st|%k[0-7]|%mm[0-7]'
x87='^(f[a-z0-9]*|emms|ldmxcsr|v[a-z0-9]*)$'

# straight FILE FUNCTION - the instructions up to the first return, no jump taken:
# mnemonic and operands.
straight()
{
	objdump -d --no-show-raw-insn --disassemble="$2" "$1" |
		sed -n "s/^ *[0-9a-f]*:\t//p" | sed '/^ret/q'
}

# The event itself is the last one; "notrack" and "data16" are no instructions.
declare -A budget
budget[entry]=$(sed -n 's/.*straight path: \([0-9]*\) instructions, \([0-9]*\) stores.*/\1 \2/p' "$source")
budget[exit]=${budget[entry]}
budget[tail]=$(sed -n 's/.*at a tail call \([0-9]*\) instructions, \([0-9]*\) stores.*/\1 \2/p' "$source")
for event in entry exit tail; do
	code=$(straight "$library" "spoor_log_$event" | grep -v '^endbr64')
	count=$(wc -l <<<"$code")
	stores=$(grep -Ec '^(push|xadd)|^mov.*,[^,]*\(%[a-z0-9]*\)$' <<<"$code")
	[ -n "${budget[$event]}" ] || fail "$source does not say what an event costs at $event"
	[ "$count $stores" = "${budget[$event]}" ] ||
		fail "spoor_log_$event has $count instructions and $stores stores on its straight path," \
			"its comment says '${budget[$event]}'"
	[ "$(grep -c '^rdtsc' <<<"$code")" = 1 ] || fail "spoor_log_$event does not read the counter once"
	[ "$(grep -c '^xadd' <<<"$code")" = 1 ] || fail "spoor_log_$event does not reserve by one xadd"
	grep -E "^(call|lock|mfence|lfence|sfence|cpuid|syscall|xchg|div)|$vector" <<<"$code" &&
		fail "spoor_log_$event: that has no place on its straight path"
	# What leaves it goes forward, out of line, never around a loop.
	end=$(objdump -d --no-show-raw-insn --disassemble="spoor_log_$event" "$library" |
		sed -n 's/^ *\([0-9a-f]*\):\tret.*/\1/p' | head -n 1)
	for target in $(sed -n 's/^j[a-z]* *\([0-9a-f]*\).*/\1/p' <<<"$code"); do
		[ $((16#$target)) -gt $((16#$end)) ] || fail "spoor_log_$event jumps back to $target"
	done
done

# A count is one instruction that no signal handler can divide, and no lock is taken.
counting=$top_srcdir/trampolines/count_x86_64.S
code=$(straight "$library" spoor_count_entry | grep -v '^endbr64')
count="$(wc -l <<<"$code") $(grep -Ec '^(push|inc)' <<<"$code")"
[ "$count" = "$(sed -n 's/.*straight path: \([0-9]*\) instructions, \([0-9]*\) stores.*/\1 \2/p' "$counting")" ] ||
	fail "spoor_count_entry has $count instructions and stores, its comment says otherwise"
[ "$(grep -c '^incq.*(%rcx,%r11,8)' <<<"$code")" = 1 ] || fail "spoor_count_entry does not count by one instruction"
grep -E "^(call|lock|rdtsc|mfence|lfence|sfence|xchg)|$vector" <<<"$code" && fail "spoor_count_entry: that has no place there"
for event in exit tail; do
	[ "$(straight "$library" "spoor_count_$event" | grep -v '^endbr64')" = ret ] || fail "spoor_count_$event does more than return"
done

# All that runs before the vector state is saved.
for object in "$slow_path" "${slow_path%slow_path.o}count_slow.o" "$top_builddir/libspoor/.libs/libevent_la-aside_x86_64.o"; do
	[ -f "$object" ] || { fail "there is no $object"; continue; }
	objdump -d --no-show-raw-insn "$object" | sed -n 's/^ *[0-9a-f]*:\t//p' |
		awk -v x87="$x87" '$1 ~ x87' | grep . && fail "${object##*/} uses x87 or vector registers"
	objdump -d --no-show-raw-insn "$object" | grep -E "$vector" && fail "${object##*/} uses vector registers"
	nm -u "$object" | awk '{ print $2 }' | grep -Ev '^spoor_|^_GLOBAL_OFFSET_TABLE_$' &&
		fail "${object##*/} needs what is not in the event path"
	readelf -rW "$object" | grep -E 'R_X86_64_(PLT32|TLSGD|TLSLD)' | grep -v ' spoor_\| \.text' &&
		fail "${object##*/} calls through somebody else"
done

# What others see of the library.
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | grep -Ev '^(spoor_|_spoor_runtime_|__cyg_profile_func_(enter|exit|enter_bare)$)' &&
	fail "these are exported"
nm -D --defined-only "$library" | grep -q ' T spoor_dso_register' || fail "spoor_dso_register is not exported"
needed=$(readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
if nm -D "$library" | grep -q ' __[atu]\(san\|bsan\)_'; then
	echo "hot_path: built with sanitizers: what it needs and exports beside is theirs" >&2
else
	grep -Ev '^(libc\.so\.6|ld-linux-x86-64\.so\.2)$' <<<"$needed" && fail "these libraries are needed"
	grep -q . <<<"$needed" || fail "not even libc is needed: is $library what it was?"
	tls=$(readelf -lW "$library" | awk '$1 == "TLS" { print $6 }')
	[ $((tls)) -gt 0 ] && [ $((tls)) -le 512 ] || fail "its thread-local variables take $((tls)) bytes of 512"
fi
readelf -dW "$library" | grep -q 'FLAGS_1.*NODELETE' || fail "it can be unloaded"
readelf -dW "$library" | grep -q TEXTREL && fail "it has text relocations"
readelf -rW "$library" | grep -E 'R_X86_64_(DTPMOD64|TLSDESC)' && fail "its thread-local variables are not initial-exec"
readelf -lW "$library" | awk '$1 == "GNU_STACK" { exit $7 ~ /E/ ? 0 : 1 }' && fail "it wants an executable stack"
[ "$failures" = 0 ]
