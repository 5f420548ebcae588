#!/bin/sh
# SPDX-License-Identifier: MIT
# processor_modes.sh - a program may call functions while the processor checks alignment, goes downwards in strings,
# rounds upwards or traps floating-point exceptions. The runtime's C code runs in usual modes, and the program finds its
# own ones unchanged, in each mode of the runtime.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program processor_modes -fno-optimize-sibling-calls -lm
printf 'kept\nkept\nkept\n' > wanted
for what in flags floats; do
	# Untraced, the program does as it says.
	./processor_modes $what > alone || fail "$what: untraced, the program ended with status $?"
	for how in log ring count order log,SPOOR_RUNTIME_ARGS=leaf log,SPOOR_RUNTIME_RETVAL=leaf \
		'log,SPOOR_RUNTIME_TRIGGER=leaf>1000s'; do
		mode=${how%%,*} variable=UNUSED=
		[ "$how" = "$mode" ] || variable=${how#*,}
		name=$what-$(echo "$how" | tr -c 'a-z\n' -)
		env "SPOOR_RUNTIME_MODE=$mode" "$variable" SPOOR_RUNTIME_TRACE_PATH="$name" LD_PRELOAD="$libspoor" \
			./processor_modes $what > out 2> err || fail "$what, $how: status $?: $(cat err)"
		silent err
		cmp alone out && [ "$(sed 's/.*: //' out | sort | uniq -c | awk '{ print $1, $2 }')" = "3 kept" ] ||
			fail "$what, $how: $(cat out)"
		case $mode in
		log | count) equal "$what, $how: calls" "$(reported "$name" leaf)" 60000 ;;
		esac
		rm -rf "$name"
	done
	"$top_builddir/tools/spoor" record -q -o recorded ./processor_modes $what > out 2> err || fail "$what, record: status $?: $(cat err)"
	cmp alone out || fail "$what, record: $(cat out)"
	equal "$what, record: calls" "$(reported recorded leaf)" 60000
	rm -rf recorded
done
