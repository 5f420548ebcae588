# SPDX-License-Identifier: MIT
# hot_path_x86_64.sh - checks the code of an event on x86-64; hot_path.sh sources this file.
calls='R_X86_64_(PLT32|TLSGD|TLSLD)'
dynamic='R_X86_64_(DTPMOD64|TLSDESC)'
loader='ld-linux-x86-64\.so\.2'

# Registers that belong to the program: vector, mask and x87.
vector='%[xyz]mm[0-9]|%st|%k[0-7]|%mm[0-7]'
x87='^(f[a-z0-9]*|emms|ldmxcsr|v[a-z0-9]*)$'

# The last store is the event itself. "notrack" and "data16" are prefixes, not instructions.
declare -A budget
budget[entry]=$(sed -n 's/.*straight path: \([0-9]*\) instructions, \([0-9]*\) stores.*/\1 \2/p' "$source")
budget[exit]=${budget[entry]}
budget[tail]=$(sed -n 's/.*takes \([0-9]*\) instructions and \([0-9]*\) stores.*/\1 \2/p' "$source")
for event in entry exit tail; do
	code=$(straight "$library" "spoor_log_$event" | grep -v '^endbr64')
	count=$(wc -l <<<"$code")
	stores=$(grep -Ec '^(push|xadd)|^mov.*,[^,]*\(%[a-z0-9]*\)$' <<<"$code")
	[ -n "${budget[$event]}" ] || fail "$source does not state the cost of $event"
	[ "$count $stores" = "${budget[$event]}" ] ||
		fail "spoor_log_$event has $count instructions and $stores stores on its straight path," \
			"its comment says '${budget[$event]}'"
	[ "$(grep -c '^rdtsc' <<<"$code")" = 1 ] || fail "spoor_log_$event does not read the counter once"
	[ "$(grep -c '^xadd' <<<"$code")" = 1 ] || fail "spoor_log_$event does not reserve by one xadd"
	grep -E "^(call|lock|mfence|lfence|sfence|cpuid|syscall|xchg|div)|$vector" <<<"$code" &&
		fail "spoor_log_$event: the straight path must not have these instructions"
	# Jumps off the straight path must go forward, never back.
	end=$("$objdump" -d --no-show-raw-insn --disassemble="spoor_log_$event" "$library" |
		sed -n 's/^ *\([0-9a-f]*\):\tret.*/\1/p' | head -n 1)
	for target in $(sed -n 's/^j[a-z]* *\([0-9a-f]*\).*/\1/p' <<<"$code"); do
		[ $((16#$target)) -gt $((16#$end)) ] || fail "spoor_log_$event jumps back to $target"
	done
done

# A count is one instruction, which no signal handler can interrupt in the middle, and takes no lock.
code=$(straight "$library" spoor_count_entry | grep -v '^endbr64')
count="$(wc -l <<<"$code") $(grep -Ec '^(push|inc)' <<<"$code")"
[ "$count" = "$(sed -n 's/.*straight path: \([0-9]*\) instructions, \([0-9]*\) stores.*/\1 \2/p' "$counting")" ] ||
	fail "spoor_count_entry has $count instructions and stores, its comment states others"
[ "$(grep -c '^incq.*(%rcx,%r11,8)' <<<"$code")" = 1 ] || fail "spoor_count_entry does not count by one instruction"
grep -E "^(call|lock|rdtsc|mfence|lfence|sfence|xchg)|$vector" <<<"$code" && fail "spoor_count_entry must not have these instructions"
for event in exit tail; do
	[ "$(straight "$library" "spoor_count_$event" | grep -v '^endbr64')" = ret ] || fail "spoor_count_$event does more than return"
done
