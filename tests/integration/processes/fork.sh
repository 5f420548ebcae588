#!/bin/sh
# SPDX-License-Identifier: MIT
# fork.sh - a forked child has its own trace under its own process ID, with its own calls and without its parent's, no
# matter which thread calls first and what the parent's threads do. The parent's trace stays complete. The same is
# true for a daemon whose parent has ended.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

# calls_of TRACE parent|child FUNCTION - prints the number of processes, entries and exits: of processes without a
# parent in the trace, or of their children.
calls_of()
{
	awk -F'\t' -v whose="$2" -v f="$3" '
		$1 == "process" { parent[$2] = $4; folder[$3] = $2; if ($2 != $3) bad = 1 }
		$1 == "function" && $4 == f { entries[$2] += $5; exits[$2] += $6 }
		END {
			for (p in parent) {
				generation = !(parent[p] in folder) ? "parent" : "child"
				if (generation == whose) { n += entries[p]; m += exits[p]; processes++ }
			}
			print bad ? "folder and process differ" : processes + 0 " " n + 0 " " m + 0
		}' "$1.facts"
}

# calls_in TRACE PROCESS - prints the entries of each function in one process.
calls_in()
{
	awk -F'\t' -v process="$2" '$1 == "function" && $2 == process { print $4, $5 }' "$1.facts" | sort | paste -s -d ' '
}

run()
{
	mode=$1
	traced "$mode" timeout 300 ./fork "$mode" > "$mode.out" 2> "$mode.err" ||
		fail "$mode: the victim ended with status $?: $(cat "$mode.err")"
	silent "$mode.err"
	facts "$mode"
	equal "$mode: lost" "$(lost "$mode")" "${2-0}"
}

program fork -I"$top_srcdir/libspoor/include"

run plain
equal "plain: parent" "$(calls_of plain parent leaf)" "1 2000 2000"
equal "plain: child" "$(calls_of plain child leaf)" "1 500 500"

run first
equal "first: parent" "$(calls_of first parent leaf)" "1 0 0"
equal "first: child" "$(calls_of first child leaf)" "1 500 500"

run nested
equal "nested: all" "$(entries nested leaf)" 500

run late
equal "late: parent" "$(calls_of late parent leaf)" "1 1000 1000"
equal "late: child" "$(calls_of late child leaf)" "1 500 500"
equal "late: child's thread" "calls $(entries late in_thread)" "$(cat late.out)"
equal "late: threads" "$(count late thread)" 4

run threads
equal "threads: children" "$(calls_of threads child leaf)" "20 2000 2000"
equal "threads: parent" "calls $(entries threads in_thread)" "$(cat threads.out)"
equal "threads: exits" "$(exits threads in_thread)" "$(entries threads in_thread)"

# The calls of the vforked child belong to no thread; its entry and exit are counted as lost.
run vfork 2
equal "vfork: calls" "$(entries vfork leaf)" 500
equal "vfork: thread" "calls $(entries vfork in_thread)" "$(cat vfork.out)"
equal "vfork: processes" "$(count vfork process)" 1

run spawn
equal "spawn: calls" "$(entries spawn leaf)" 1000
equal "spawn: processes" "$(count spawn process)" 1

# If libc's fork is not called, only the kernel distinguishes a child from its parent: it wipes a page in the child.
# Emulators claim to support this, and do not.
if [ -z "$emulated" ]; then
	run raw
	equal "raw: parent" "$(calls_of raw parent leaf)" "1 2000 2000"
	equal "raw: child" "$(calls_of raw child leaf)" "1 500 500"

	run busy
	equal "busy: children" "$(calls_of busy child marked)" "100 200 200"
fi

# A thread of the parent holds a lock of the dynamic linker, which stays locked in the child. The child's calls and
# its exit do not need the lock.
cat > locked.c << 'C'
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
long spoor_disable(void) __attribute__((weak));
long spoor_enable(void) __attribute__((weak));
static pthread_barrier_t barrier;
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
static int inside(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)object, (void)size, (void)unused;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return 1;
}
static void *iterates(void *unused)
{
	dl_iterate_phdr(inside, NULL);
	return unused;
}
int main(void)
{
	pthread_t thread;
	int status;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, iterates, NULL);
	pthread_barrier_wait(&barrier);
	if (fork() == 0) {
		leaf();
		if (spoor_disable) {
			spoor_disable();
			spoor_enable();
		}
		leaf();
		exit(3);
	}
	wait(&status);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	return WEXITSTATUS(status) + 2;
}
C
traced_cc -o locked locked.c -pthread
status=0
traced locked.trace timeout 60 ./locked > locked.out 2> locked.err || status=$?
equal "status of a child that was forked under a lock ($(cat locked.err))" $status 5
silent locked.err
facts locked.trace
equal "calls of a child that was forked under a lock" "$(calls_of locked.trace child leaf)" "1 2 2"

# Children that cannot create a trace, as in a server that has dropped its rights: one child prints a message for all.
cat > refused.c << 'C'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void leaf(void) { __asm__ volatile(""); }
int main(int count, char **words)
{
	FILE *file;

	leaf();
	if (count < 3 || rename(words[1], words[2]) || !(file = fopen(words[1], "w")) || fclose(file))
		return 1;
	for (int i = 0; i < 10; i++) {
		if (fork() == 0) {
			leaf();
			if (fork() == 0)
				leaf();
			_exit(0);
		}
		wait(NULL);
	}
	return unlink(words[1]) || rename(words[2], words[1]);
}
C
traced_cc -o refused refused.c
traced refused.trace timeout 60 ./refused "$work/refused.trace" "$work/moved" > refused.out 2> refused.err ||
	fail "refused: the victim ended with status $?: $(cat refused.err)"
# A recorder keeps the folder open, so the new name does not matter.
[ -n "${LIFE_RECORD-}" ] || said_once refused.err 'cannot create the trace folder .*'

# Daemons, which have no parent that waits. Their calls count from the start of the daemon.
program daemon
ways="libc twice twice twice"
for more in ${SPOOR_LONG:+1 2 3 4 5 6 7 8 9 10}; do
	ways="$ways libc twice twice"
done
for way in $ways; do
	rm -f $way.told
	traced $way timeout 300 ./daemon $way "$work/$way.told" > $way.out 2> $way.err ||
		fail "$way: the victim ended with status $?: $(cat $way.err)"
	silent $way.err
	waited=0
	while [ ! -e $way.told ] && [ $waited -lt 600 ]; do
		sleep 0.1
		waited=$((waited + 1))
	done
	read -r leaves in_thread process < $way.told || fail "$way: the daemon did not write its counts within 60 s"
	while kill -0 "$process" 2> /dev/null; do sleep 0.01; done
	facts $way
	equal "$way: processes" "$(count $way process)" 2
	equal "$way: calls of the daemon" "$(calls_in $way "$process")" "in_thread $in_thread leaf $leaves"
	equal "$way: calls" "$(entries $way leaf) $(exits $way leaf)" "$((leaves + 1000)) $((leaves + 1000))"
	equal "$way: lost" "$(lost $way)" 0
done

# A child with the same process ID as its parent, in another name space.
if [ -z "$emulated${LIFE_RECORD-}" ] && unshare --pid --fork true 2> unshare.err; then
	program fork_same_id
	traced same unshare --pid --fork ./fork_same_id > same.out 2> same.err ||
		fail "the child with the same process ID failed: status $?: $(cat same.err)"
	silent same.err
	facts same
	equal "same: calls" "$(entries same leaf) $(entries same other)" "201 100"
	equal "same: threads" "$(count same thread)" 3
	equal "same: lost" "$(lost same)" 0
fi

# The same with a recorder.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
