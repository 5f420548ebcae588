#!/bin/sh
# SPDX-License-Identifier: MIT
# threads.sh - the trace has exactly the calls of each of 128 threads, and their names. Of thousands of short threads
# none is missing, and their memory is freed. An idle thread costs little memory.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

short=2000
[ -z "${SPOOR_LONG-}" ] || short=10000
program threads

traced many timeout 120 ./threads many 128 20000 2> many.err
silent many.err
facts many
equal "many: threads" "$(count many thread)" 128
equal "many: threads with their calls" \
	"$(awk -F'\t' '$1 == "thread" && $5 == 20000 && $6 == 20000 && $7 == 0' many.facts | wc -l)" 128
equal "many: names" "$(awk -F'\t' '$1 == "thread" && $8 ~ /^worker-[0-9]+$/ { print $8 }' many.facts | sort -u | wc -l)" 128
equal "many: lost" "$(lost many)" 0
equal "many: the report" "$(reported many leaf)" 2560000

traced short timeout 120 ./threads short $short > short.out 2> short.err
silent short.err
facts short
equal "short: threads" "$(count short thread)" $short
equal "short: threads with their calls" \
	"$(awk -F'\t' '$1 == "thread" && $5 == 5 && $6 == 5 && $7 == 0' short.facts | wc -l)" $short
calls_are short leaf $((4 * short))
equal "short: lost" "$(lost short)" 0
grew=$(sed 's/grew //' short.out)
[ "$grew" -lt 2000 ] || [ -n "$emulated" ] || fail "short: memory grew by $grew KiB"

# An idle thread costs a page for its slice more than untraced.
./threads idle 500 > idle.untraced
traced idle timeout 60 ./threads idle 500 > idle.traced
facts idle
equal "idle: threads" "$(count idle thread)" 501
calls_are idle leaf 501
more=$(($(sed 's/each //' idle.traced) - $(sed 's/each //' idle.untraced)))
[ "$more" -le 8 ] || [ -n "$emulated" ] || fail "idle: a thread costs $more KiB"

# The part of the pool that a crowd of threads holds: 40 MiB for 10,000 threads, which would not fit if each used a
# whole slice.
if [ -z "${LIFE_RECORD-}" ]; then
	crowd=2000 most=$((8192 + 512))
	[ -z "${SPOOR_LONG-}" ] || { crowd=10000; most=40960; }
	traced crowd timeout 120 ./threads idle $crowd > crowd.out 2> crowd.err ||
		fail "crowd: the program ended with status $?: $(cat crowd.err)"
	silent crowd.err
	held=$(du -k crowd/*/pool.spoor | cut -f 1)
	[ "$held" -le $most ] || fail "crowd: $crowd idle threads hold $held KiB of the pool, and $most are allowed"
	facts crowd
	equal "crowd: threads" "$(count crowd thread)" $((crowd + 1))
	equal "crowd: lost" "$(lost crowd)" 0
fi

# The same with a recorder.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
