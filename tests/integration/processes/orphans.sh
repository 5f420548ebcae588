#!/bin/sh
# SPDX-License-Identifier: MIT
# orphans.sh - spoor record reaps orphans as the first process of a container, as a subreaper, and if the process that
# executed it had children. It waits for traced orphans and records them, waits for no other, returns the program's
# status, and passes signals on.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ -z "$emulated" ] || skip "spoor record does not run programs for another machine"
spoor=$top_builddir/tools/spoor

cat > orphans.c <<'C'
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int x)
{
	__asm__ volatile("" : : "r"(x));
	return x + 1;
}

/*
 * Counts the other processes whose parent is spoor, but for its witness of signals. In any
 * state: an orphan that still runs is not a zombie, but it has to be reaped too.
 */
static int count(void)
{
	DIR *processes = opendir("/proc");
	struct dirent *item;
	int number = 0;

	while ((item = readdir(processes))) {
		char path[300], text[512] = "";
		int parent;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/stat", item->d_name);
		file = item->d_name[0] >= '1' && item->d_name[0] <= '9' ? fopen(path, "r") : NULL;
		if (!file)
			continue;
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
		if (strrchr(text, ')') && sscanf(strrchr(text, ')'), ") %*c %d", &parent) == 1)
			number += parent == getppid() && atoi(item->d_name) != getpid() &&
				  !strstr(text, "(spoor-witness)");
	}
	closedir(processes);
	return number;
}

static void wait_for_signal(int signal)
{
	(void)signal;
	_exit(5);
}

/* orphans ORPHANS WAY: makes so many orphans, and waits until all are reaped. Ways: "" ends with status 3; "daemon"
 * leaves a process that makes 7 calls, most of them a second later; "plain" leaves an untraced process; "signal" waits for one. */
int main(int argc, char **argv)
{
	int orphans = atoi(argv[1]), tries = 0;
	const char *way = argc > 2 ? argv[2] : "";

	for (int i = 0; i < orphans; i++) {
		if (fork() == 0) {
			if (fork() == 0)
				_exit(work(i) & 1);
			_exit(0);
		}
		wait(NULL);
	}
	while (count() > 0 && tries++ < 500)
		usleep(10000);
	printf("%d left\n", count());
	fflush(stdout);
	if (strcmp(way, "daemon") == 0 && fork() == 0) {
		work(0);
		sleep(1);
		for (int i = 0; i < 6; i++)
			work(i);
		_exit(0);
	}
	if (strcmp(way, "plain") == 0 && fork() == 0) {
		unsetenv("LD_PRELOAD");
		clearenv();
		execl("/bin/sleep", "sleep", "30", (char *)NULL);
	}
	if (strcmp(way, "signal") == 0) {
		signal(SIGTERM, wait_for_signal);
		kill(getppid(), SIGTERM);
		pause();
	}
	return 3;
}
C
traced_cc -o orphans orphans.c

# executes N COMMAND... - executes the command, as a subreaper if N < 0, else with N children, which end.
cat > executes.c <<'C'
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int children = atoi(argv[1]);

	(void)argc;
	if (children < 0)
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (int i = 0; i < children; i++) {
		if (fork() == 0) {
			usleep(i % 2 ? 200000 : 0);
			_exit(0);
		}
	}
	execvp(argv[2], argv + 2);
	return 99;
}
C
gcc -O2 -Wall -Wextra -o executes executes.c

first="unshare -p -f --mount-proc --kill-child"
[ "$(id -u)" = 0 ] || first="unshare -r -p -f --mount-proc --kill-child"
$first true 2> /dev/null || first=

# recorded WANTED BEFORE WORD... - runs spoor record after the words in BEFORE, with the program's words, and compares
# the status of both.
recorded()
{
	wanted=$1
	before=$2
	shift 2
	rm -rf t
	status=0
	timeout 60 $before "$spoor" record -o t -- ./orphans "$@" > out 2> err || status=$?
	equal "$before, $*: status" "$status" "$wanted"
	equal "$before, $*: orphans" "$(cat out)" "0 left"
	grep -q ', 0 lost$' err || fail "$before, $*: the summary is missing: $(cat err)"
}

for before in "$first" "./executes -1"; do
	[ "$before" ] || continue
	recorded 3 "$before" 20
	equal "$before: calls" "$(reported t work)" 20
	! grep -q waiting err || fail "$before: the recorder waits for a process that has ended: $(cat err)"
	recorded 3 "$before" 3 daemon
	equal "$before: calls with a daemon" "$(reported t work)" 10
	recorded 5 "$before" 3 signal
	began=$(date +%s)
	recorded 3 "$before" 3 plain
	[ $(($(date +%s) - began)) -lt 25 ] || fail "$before: the recorder waits for an untraced process: $(cat err)"
done
recorded 3 "./executes 6" 0
[ "$first" ] || skip "this user cannot make a name space of processes; the other ways passed"
