#!/bin/sh
# SPDX-License-Identifier: MIT
# deinitialise.sh - the program may end and start the runtime repeatedly, in mode log and ring: while threads log,
# after they have ended, before they start, in forked children, with flushes and clears. The runtime neither hangs nor
# ends the program, and each accepted event is in the trace or counted as lost.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

times=100
[ -z "${SPOOR_LONG-}" ] || times=2000
build_once "$clang" -O2 -g -Wall -Wextra -I"$top_srcdir/libspoor/include" -o deinitialise "$victims/threads/deinitialise.c" -pthread \
	-L"${libspoor%/*}" -lspoor -Wl,-rpath,"${libspoor%/*}"

# With the thread sanitizer a recorder takes longer for a pool than an ending runtime waits.
if [ "${SPOOR_SANITIZERS-}" = thread ]; then
	SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=4000000
	export SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY
fi

# run MODE WHAT [TIMES] - runs the program in this mode.
run()
{
	name=$1-$2
	SPOOR_RUNTIME_MODE=$1 traced "$name" timeout 120 ./deinitialise "$2" "${3-$times}" > "$name.out" 2> "$name.err" ||
		fail "$name: the program ended with status $?: $(cat "$name.err")"
	silent "$name.err"
	facts -n "$name"
}

run log busy
taken=$(sed 's/taken //' log-busy.out)
[ "$taken" -gt $((100 * times)) ] || fail "log-busy: only $taken events were accepted"
[ "$(lost log-busy cleared)" -gt 0 ] || fail "log-busy: no event was cleared: $(grep lost log-busy.facts)"
# The mark of a thread's end may be cleared or lost.
more=$(($(count log-busy user) + $(lost log-busy) - taken))
[ $more -ge 0 ] && [ $more -le $(($(count log-busy thread) + $(count log-busy loser))) ] ||
	fail "log-busy: stored and lost events exceed the accepted ones by $more"
run ring busy

for mode in log ring; do
	# Events are kept this long if the runtime is not ended.
	SPOOR_RUNTIME_EVENT_BUFFER_RETENTION_DURATION_NANOSECONDS=3600000000000 run $mode left
	equal "$name: events" "$(count "$name" user)" $((1000 * times))
	equal "$name: threads" "$(awk -F'\t' '$1 == "thread"' "$name.facts" | wc -l)" $((20 * times))
	equal "$name: lost" "$(lost "$name")" 0
	run $mode left
	equal "$name: events" "$(count "$name" user)" $((1000 * times))
	equal "$name: lost" "$(lost "$name")" 0
	run $mode stays
	equal "$name: events" "$(count "$name" user)" $((50 * times))
	equal "$name: lost" "$(lost "$name")" 0
	run $mode fork 10
	equal "$name: events" "$(count "$name" user)" 1050
	equal "$name: processes" "$(count "$name" process)" 11
	equal "$name: lost" "$(lost "$name")" 0
done

# The same with a recorder.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
