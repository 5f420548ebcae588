#!/bin/sh
# SPDX-License-Identifier: MIT
# limits.sh - a program under tight limits works as untraced: few descriptors, small files (SIGXFSZ does not end the
# program), little address space, no new threads. spoor traces as far as possible and counts losses.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program hello
# The caller of the tests may have more descriptors.
exec 3>&- 4>&- 5>&- 6>&- 7>&-

# run NAME COMMAND... - runs hello, which must have its usual output and status.
run()
{
	limited=$1
	shift
	SPOOR_RUNTIME_TRACE_PATH=$work/$limited timeout 60 "$@" > "$limited.out" 2> "$limited.err" ||
		fail "$limited: the command ended with status $?: $(cat "$limited.err")"
	equal "$limited: output" "$(cat "$limited.out")" hello
}

# recorded TRACE CALLS - checks that stored and lost events add up to the events of the calls.
recorded()
{
	facts -n "$1"
	equal "$1: events and losses" \
		"$(($(entries "$1" leaf) + $(exits "$1" leaf) + $(entries "$1" main) + $(exits "$1" main) + $(lost "$1")))" \
		"$((2 * $2 + 2))"
}

# The loader needs one more descriptor than the three standard ones. spoor traces only if at least eight descriptors
# are available.
for descriptors in 4 5 6 8; do
	run "descriptors-$descriptors" sh -c "ulimit -n $descriptors; LD_PRELOAD=$libspoor exec ./hello 100000"
	if [ "$descriptors" -lt 8 ]; then
		said_once "descriptors-$descriptors.err" "Too many open files"
	else
		recorded "descriptors-$descriptors" 100000
	fi
done
silent descriptors-8.err

# Only the standard descriptors are available: the loader reuses a closed one, or the limit is set after the loader
# has finished, before or after libspoor.so starts. The runtime cannot write a trace and prints one message.
run three sh -c "exec <&-; ulimit -n 3; LD_PRELOAD=$libspoor exec ./hello 100000"
# The recorder also works with a stack of 64 KiB, unless a sanitizer needs more.
if ! nm "$libspoor" | grep -q " __[at]san_init"; then
	(ulimit -s 64 && "$top_builddir/tools/spoor" record -q -o stack ./hello 1000) > stack.out 2> stack.err ||
		fail "spoor record with a stack of 64 KiB failed: status $?: $(cat stack.err)"
	silent stack.err
fi

said_once three.err "Too many open files; the program runs untraced"
build_once "$clang" -O2 -fPIC -shared -o libthree.so "$victims/processes/three_descriptors.c"
for mode in log ring count; do
	rm -rf three
	SPOOR_RUNTIME_MODE=$mode run three env LD_PRELOAD="$libspoor:$work/libthree.so" ./hello 100000
	said_once three.err "Too many open files; the program runs untraced"
	[ ! -e three ] || fail "three: an empty trace was left: $(ls three)"
	# The limit is set after libspoor.so has started: libraries that are preloaded later initialise first.
	SPOOR_RUNTIME_MODE=$mode run three env LD_PRELOAD="$work/libthree.so:$libspoor" ./hello 100000
	silent three.err
	[ $mode = ring ] || equal "three, $mode" "$(reported three leaf)" 100000
done

# Sizes in kilobytes: nothing, less than a pool, a pool and few events, more than enough. The output goes into a pipe,
# which has no limit.
for kilobytes in 0 1 1000 9000 12000 40000; do
	rm -rf spoor.trace
	# shellcheck disable=SC2016
	run "file-size-$kilobytes" bash -c '
		set -o pipefail
		(ulimit -f "$1"; LD_PRELOAD=$2 exec ./hello 10000000) 2> >(cat > "$3") | cat' \
		bash "$kilobytes" "$libspoor" "file-size-$kilobytes.said"
done
for kilobytes in 0 1 1000; do
	said_once "file-size-$kilobytes.said" "File too large; the program runs untraced"
	[ ! -e "file-size-$kilobytes" ] || fail "file-size-$kilobytes: an empty trace was left"
done
said_once file-size-9000.said "File too large; the program continues, and lost events are counted"
recorded file-size-9000 10000000
[ "$(lost file-size-9000)" -gt 0 ] || fail "file-size-9000: no event was lost although the file was too small"
silent file-size-40000.said
recorded file-size-40000 10000000

# The same in mode count, where each thread requests its part of a file: all calls are counted, or none and the
# runtime prints a message. A limit is an option of ulimit and a number.
program count -ldl
for limit in 'n 4' 'n 5' 'n 6' 'n 8' 'f 1000' 'f 30000' 'f 66000' 'f 200000' 'f 2500000' \
	'v 32000' 'v 50000' 'v 100000' 'v 1000000' 'v 3000000'; do
	name=count-${limit#* }${limit% *}
	rm -f own.*
	# shellcheck disable=SC2016
	SPOOR_RUNTIME_MODE=count SPOOR_RUNTIME_TRACE_PATH=$work/$name timeout 60 bash -c '
		ulimit "-${1% *}" "${1#* }"; LD_PRELOAD=$2 exec ./count threads 8' bash "$limit" "$libspoor" \
		> "$name.out" 2> "$name.err" || fail "$name: the program ended with status $?: $(cat "$name.err")"
	if [ -e "$name" ]; then
		silent "$name.err"
		counts_agree "$name"
	else
		said_once "$name.err" "the program runs untraced"
	fi
done
for name in count-8n count-200000f count-3000000v; do
	[ -e "$name" ] || fail "$name: there is no trace although the limit leaves room: $(cat "$name.err")"
done

# The program gets most of a limited address space.
cat > takes.c << 'C'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	int count = 0;

	while (malloc(1 << 20))
		count++;
	printf("%d\n", count);
	return 0;
}
C
traced_cc -fno-builtin -o takes takes.c
for megabytes in 200 1000 3000; do
	alone=$(ulimit -v $((megabytes * 1024)); ./takes)
	for mode in log ring count; do
		taken=$(ulimit -v $((megabytes * 1024)); SPOOR_RUNTIME_MODE=$mode SPOOR_RUNTIME_TRACE_PATH=taken LD_PRELOAD=$libspoor ./takes 2> err)
		[ "$taken" -ge $((alone * 3 / 5)) ] ||
			fail "$mode: of $megabytes MiB the program gets $taken MiB, and $alone MiB without spoor"
	done
done

# With little address space the runtime uses a smaller pool, or none.
for megabytes in 30 50 100 1000; do
	run "space-$megabytes" sh -c "ulimit -v $((megabytes * 1024)); LD_PRELOAD=$libspoor exec ./hello 100000"
	if [ -s "space-$megabytes.err" ]; then
		said_once "space-$megabytes.err" "Cannot allocate memory"
	else
		recorded "space-$megabytes" 100000
	fi
done
silent space-1000.err

# With a limit of data, a forked child gets the same memory as without spoor: the inherited pool does not count.
cat > forks.c << 'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	fflush(stdout);
	if (fork() == 0)
		_exit(malloc(64 << 20) ? 0 : 1);
	int status = 1;
	wait(&status);
	printf("%d\n", status);
	return 0;
}
C
traced_cc -fno-builtin -o forks forks.c
for mode in log ring count; do
	forked=$(ulimit -d 200000; SPOOR_RUNTIME_MODE=$mode SPOOR_RUNTIME_TRACE_PATH=forked LD_PRELOAD=$libspoor ./forks 2> err)
	equal "$mode: a child that allocates a third of the limit ($(cat err))" "$forked" 0
done
