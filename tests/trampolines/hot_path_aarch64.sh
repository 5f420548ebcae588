# SPDX-License-Identifier: MIT
# hot_path_aarch64.sh - checks the code of an event on AArch64; hot_path.sh sources this file.
calls='R_AARCH64_(CALL26|JUMP26|TLSGD.*|TLSDESC.*)'
dynamic='R_AARCH64_(TLS_DTPMOD64|TLSDESC)'
loader='ld-linux-aarch64\.so\.1'
# Vector registers belong to the program.
vector='[[:space:],{][vqdszp]([0-9]|[12][0-9]|3[01])([].,}/]|$)'
x87='^(f(add|sub|mul|div|mov|cvt|cmp)[a-z]*)$'

# The last store is the event itself.
numbers=$(sed -n 's/.*straight path: \([0-9]*\) instructions, \([0-9]*\) stores.*/\1 \2/p' "$source")
exclusive=$(sed -n 's/.*with exclusives \([0-9]*\) and \([0-9]*\)\..*/\1 \2/p' "$source")
tail=$(sed -n 's/.*takes \([0-9]*\) instructions and \([0-9]*\) store more.*/\1 \2/p' "$source")
[ -n "$numbers" ] && [ -n "$exclusive" ] && [ -n "$tail" ] || fail "$source does not state the cost of an event"
for event in lse_entry lse_exit lse_tail entry exit tail; do
	code=$(straight "$library" "spoor_log_$event")
	count=$(wc -l <<<"$code")
	stores=$(grep -Ec '^(str|stp|stxr)[[:space:]]' <<<"$code")
	wanted=$exclusive
	[ "$event" = "${event#lse_}" ] || wanted=$numbers
	[ "$event" = "${event%tail}" ] || wanted="$((${wanted% *} + ${tail% *})) $((${wanted#* } + ${tail#* }))"
	[ "$count $stores" = "$wanted" ] ||
		fail "spoor_log_$event has $count instructions and $stores stores on its straight path," \
			"its comment says '$wanted'"
	[ "$(grep -c 'cntvct_el0' <<<"$code")" = 1 ] || fail "spoor_log_$event does not read the counter once"
	[ "$(grep -Ec '^(ldadd|stxr)[[:space:]]' <<<"$code")" = 1 ] || fail "spoor_log_$event does not reserve by one addition"
	# An exception is d31, in which a tail call's sled stores the return address.
	[ "$event" = "${event%tail}" ] || code=$(grep -v '^fmov.*d31' <<<"$code")
	grep -E "^(bl|blr|svc|dmb|dsb|isb|ldadda|ldaddal|ldaxr|stlxr|cas|swp)[[:space:]]|nzcv|$vector" <<<"$code" &&
		fail "spoor_log_$event: the straight path must not have these instructions"
	# Checks that no instruction changes the flags.
	grep -E '^(adds|subs|ands|bics|cmp|cmn|tst|ccmp|ccmn)[[:space:]]' <<<"$code" && fail "spoor_log_$event changes flags"
	grep -Eq '^bti' <<<"$code" || fail "spoor_log_$event has no landing pad"
done

for function in count_entry count_lse_entry; do
	code=$(straight "$library" "spoor_$function")
	[ "$(grep -Ec '^(stadd|stxr)[[:space:]]' <<<"$code")" = 1 ] || fail "spoor_$function does not count by one addition"
	grep -E "^(bl|svc|dmb|dsb|isb|mrs.*cntvct)|$vector" <<<"$(sed '/^ret/q' <<<"$code")" && fail "spoor_$function must not have these instructions"
done
[ "$(straight "$library" spoor_count_lse_entry | wc -l)" = "$(sed -n 's/.*straight path: \([0-9]*\) instructions.*/\1/p' "$counting")" ] ||
	fail "the comment in $counting states another length"
for event in exit tail; do
	code=$(straight "$library" "spoor_count_$event" |
		grep -Ev '^bti|^ldp.*sp|^mov.x(16|17|30|0), x(30|17|0|1)$|^stp.x16, x17|^fmov|^ldr.*x30|^ubfx|^bfi')
	[ "$code" = 'ret	x16' ] || fail "spoor_count_$event does more than return: $code"
done
