#!/bin/sh
# SPDX-License-Identifier: MIT
# umask.sh - a umask that clears the owner's bits, of the program or of spoor: the calls of the program's children are
# in the trace, spoor record works, and the program keeps its umask.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

cat > masked.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x)
{
	__asm__ volatile("" : : "r"(x));
	return x + 1;
}
/* masked UMASK [again]: 1 call, 10 calls in a forked child, 11 calls in the program that another child executes. */
int main(int count, char **arguments)
{
	pid_t child;

	if (count < 3)
		printf("%03o\n", (unsigned int)umask((mode_t)strtol(arguments[1], 0, 8)));
	fflush(stdout);
	work(1);
	child = fork();
	if (!child) {
		for (int i = 0; i < 10; i++)
			work(i);
		exit(0);
	}
	waitpid(child, 0, 0);
	if (count < 3 && !(child = fork())) {
		execl("./masked", "./masked", arguments[1], "again", (char *)0);
		_exit(99);
	}
	wait(0);
	return 0;
}
C
traced_cc -o masked masked.c
# Root ignores permissions, so the test runs as another user.
as=
if [ "$(id -u)" = 0 ]; then
	command -v setpriv > /dev/null || skip "setpriv is missing, and root ignores permissions"
	as="setpriv --reuid 65534 --regid 65534 --clear-groups"
	open=$(mktemp -d)
	chmod 777 "$open"
	trap 'rm -rf "$open"' EXIT
	cp masked "$open"
	$as "$spoor" --version > said 2>&1 || skip "another user cannot run $spoor: $(cat said)"
	cd "$open"
fi

for mask in 022 0177 0377 0777; do
	for around in 022 0477 0777; do
		status=0
		# shellcheck disable=SC2086
		$as sh -c 'umask $1; shift; exec "$@"' sh $around "$spoor" record -o t -- ./masked $mask > out 2> err || status=$?
		equal "umask $mask in $around: status ($(cat err))" $status 0
		equal "umask $mask in $around: the program's own" "$(cat out)" "$(printf '%03o' 0$around)"
		equal "umask $mask in $around: calls ($(cat err))" "$(reported t work)" 22
		rm -rf t
	done
	# Without a recorder.
	# shellcheck disable=SC2086
	SPOOR_RUNTIME_TRACE_PATH=t LD_PRELOAD=$libspoor $as ./masked $mask > out 2> err
	equal "umask $mask, by itself: calls ($(cat err))" "$(reported t work)" 22
	rm -rf t
done
