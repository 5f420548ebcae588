#!/bin/sh
# SPDX-License-Identifier: MIT
# inherited_state.sh - a traced program finds each state that it inherits as it does untraced, ends with the same
# status, and all its calls are recorded. inherits.c sets the states: ignored, blocked and pending signals, closed
# descriptors, limits, timers, scheduling and more. If spoor cannot record, one message says why. The compiler drivers
# and `spoor doctor` work with the same states.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
# With sanitizers: spoor keeps the actions of these signals too.
own_signals=handle_segv=0:handle_sigbus=0:handle_sigfpe=0
export ASAN_OPTIONS="${ASAN_OPTIONS-}:$own_signals" TSAN_OPTIONS="${TSAN_OPTIONS-}:$own_signals"

program inherited
plain inherits

# run NAME COMMAND... - runs the command without a terminal as its input. Its status is in $status, what it said in
# NAME.said. The program writes to NAME.out, or to "out" if it has no arguments.
run()
{
	run_name=$1
	shift
	status=0
	timeout 120 "$@" > "$run_name.said" 2>&1 < /dev/null || status=$?
	[ ! -e out ] || mv out "$run_name.out"
}

# same NAME - fails if the run NAME differs from the run without spoor. The program's calls are in the trace NAME,
# unless a message says why not.
same()
{
	equal "$kind, $1: status ($(cat "$1.said"))" "$status" "$alone"
	cmp -s alone.out "$1.out" || fail "$kind, $1: the program found another state: $(diff alone.out "$1.out" || :)"
	case $kind in
	no_writable_code)
		[ "$(grep -c 'does not allow this process to change its text; the program runs untraced' "$1.said")" = 1 ] ||
			fail "$kind, $1: no message says why the program is not recorded: $(cat "$1.said")"
		return ;;
	esac
	! grep '^spoor: ' "$1.said" | grep -v '^spoor: record: [0-9]* events of' || fail "$kind, $1: there is a message"
	equal "$kind, $1: calls" "calls $(reported "$1" leaf)" "$(tail -n 1 alone.out)"
}

for kind in $(./inherits list); do
	# A sanitizer needs terabytes of addresses, and the thread sanitizer a stack of the usual size.
	case ${SPOOR_SANITIZERS-no}-$kind in no-*) ;; *-little_memory | *-little_data | thread-*_stack) continue ;; esac
	rm -rf alone.out plain.out plain record.out record
	run alone ./inherits "$kind" "$work/inherited" "$work/alone.out"
	alone=$status
	case $alone in
	5) ;;
	77)
		echo "inherited_state: skipped: this machine, or this user, cannot have $kind" >&2
		continue ;;
	*) fail "$kind: untraced, the program ended with status $alone: $(cat alone.said)" ;;
	esac
	# The launcher has no sleds. With an empty environment it is env that sets the variables.
	case $kind in
	no_arguments) run plain env LD_PRELOAD="$libspoor" SPOOR_RUNTIME_TRACE_PATH="$work/plain" \
		./inherits "$kind" "$work/inherited" ;;
	*) run plain ./inherits "$kind" /usr/bin/env LD_PRELOAD="$libspoor" SPOOR_RUNTIME_TRACE_PATH="$work/plain" \
		"$work/inherited" "$work/plain.out" ;;
	esac
	same plain
	# A command needs its arguments.
	[ "$kind" != no_arguments ] || continue
	run record ./inherits "$kind" "$spoor" record -o "$work/record" -- "$work/inherited" "$work/record.out"
	same record
done

# A timer that is set before the program begins ends it at its time, as in `perl -e 'alarm 1; exec @ARGV'`, and a
# signal at the parent's death ends it with spoor.
cat > loops.c << 'C'
#include <unistd.h>
#include <stdio.h>
int main(void)
{
	puts("begun");
	fflush(stdout);
	for (;;)
		pause();
}
C
traced_cc -o loops loops.c
status=0
python3 -c 'import os, signal, sys
signal.setitimer(signal.ITIMER_REAL, 2)
os.execv(sys.argv[1], sys.argv[1:])' "$spoor" record -o timed -- ./loops > timed.out 2> timed.err || status=$?
equal "an alarm: status ($(cat timed.err))" $status 142
cat > dies.py << 'P'
import ctypes, os, sys
if os.fork() == 0:
	ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
	os.execv(sys.argv[1], sys.argv[1:])
# The program is the child of spoor, and its output goes through a pipe.
os.wait()
P
mkfifo life
python3 dies.py "$spoor" record -o died -- ./loops > life 2> died.err &
launcher=$!
{
	read -r line
	equal "a program that is to die with its parent" "$line" begun
	kill -9 "$(ps -o pid= --ppid $launcher | tr -d ' ')"
	# The pipe has no writer any more when the program has ended.
	cat > rest
} < life
wait $launcher

# A signal that the parent ignores, as nohup does for SIGHUP, ends neither the program nor the recording.
cat > leaves.c << 'C'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) void work(void)
{
	__asm__ volatile("");
}
int main(void)
{
	if (fork())
		return 0;
	work();
	signal(SIGUSR1, SIG_IGN);
	puts("left");
	fflush(stdout);
	/* Until the test ends it. */
	getchar();
	return 0;
}
C
traced_cc -o leaves leaves.c
mkfifo input
sh -c 'trap "" HUP; exec "$@"' sh "$spoor" record -o left -- ./leaves < input > left.out 2> left.err &
recorder=$!
exec 8> input
awaited "the recorder to wait" grep -q 'waiting for 1 process' left.err
kill -HUP $recorder
kill -HUP $recorder
exec 8>&-
status=0
wait $recorder || status=$?
equal "a recorder that ignores SIGHUP: status ($(cat left.err))" $status 0
equal "its processes" "$(grep -c ' of 2 processes in left' left.err)" 1

# Another user's program that cannot be read, or forbids to be looked at (PR_SET_DUMPABLE), is recorded with its
# children. A limit of processes gives one message if the program cannot start.
cat > undumpable.c << 'C'
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void work(void)
{
	__asm__ volatile("");
}
int main(int count, char **arguments)
{
	(void)arguments;
	if (count > 1)
		prctl(PR_SET_DUMPABLE, 0);
	for (int i = 0; i < 10; i++)
		work();
	if (fork() == 0) {
		work();
		exit(0);
	}
	wait(NULL);
	return 0;
}
C
traced_cc -o undumpable undumpable.c
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
	as="setpriv --reuid 65534 --regid 65534 --clear-groups"
	open=$(mktemp -d)
	trap 'rm -rf "$open"' EXIT
	chmod 777 "$open"
	cp undumpable "$open"
	cp undumpable "$open/unreadable"
	chmod 111 "$open/unreadable"
	cd "$open"
	for command in './undumpable 0' ./unreadable; do
		# shellcheck disable=SC2086
		$as "$spoor" record -q -o recorded $command > said 2>&1 || fail "$command: status $?: $(cat said)"
		[ ! -s said ] || fail "$command: there is a message: $(cat said)"
		equal "$command: calls" "$(reported recorded work)" 11
		# shellcheck disable=SC2086
		$as env SPOOR_RUNTIME_TRACE_PATH=plain LD_PRELOAD="$libspoor" $command > said 2>&1 || fail "$command: status $?: $(cat said)"
		[ ! -s said ] || fail "$command by itself: there is a message: $(cat said)"
		equal "$command by itself: calls" "$(reported plain work)" 11
		rm -rf recorded plain
	done
	status=0
	$as bash -c 'ulimit -u 2; exec "$@"' bash "$spoor" record -q -o recorded ./undumpable > said 2>&1 || status=$?
	[ $status = 0 ] || grep -q 'cannot start .*: Resource temporarily unavailable' said ||
		fail "a limit of processes: status $status: $(cat said)"
	cd "$work"
fi

# The drivers and the doctor run other programs and wait for them.
echo 'int main(void) { return 0; }' > one.c
for kind in ignored_children ignored_signals blocked_signals closed_input closed_output closed_standard_files \
	strict_umask large_stack no_locked_memory odd_environment; do
	for compiler in "$clang" "$SPOOR_DRIVERS/spoor-cc"; do
		rm -f one
		run cc ./inherits $kind /usr/bin/env PATH="$PATH" "$compiler" -o one one.c
		[ "$compiler" = "$clang" ] && alone=$status && continue
		equal "$kind, spoor-cc: status ($(cat cc.said))" "$status" "$alone"
		[ "$status" != 0 ] || [ -s one ] || fail "$kind, spoor-cc: there is no output"
	done
	# The output of spoor doctor would be lost.
	case $kind in closed_output | closed_standard_files) continue ;; esac
	run doctor ./inherits $kind "$spoor" doctor ./inherited
	equal "$kind, doctor: status ($(cat doctor.said))" "$status" 0
done
