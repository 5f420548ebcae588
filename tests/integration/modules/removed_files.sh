#!/bin/sh
# SPDX-License-Identifier: MIT
# removed_files.sh - a library whose file is removed or replaced while it is loaded keeps its names in the trace. The
# cases are a plug-in that the program removes after dlopen, a library that is built again and reloaded, a library in memory, and a
# program that is removed or replaced itself. Under spoor record, in each mode, in a forked child, and from an attached
# process. Files that stay at their path are not copied.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ -z "$emulated" ] || skip "spoor record does not run programs for another machine"
spoor=$top_builddir/tools/spoor

cat > plug.c <<'C'
__attribute__((noinline)) int NAME(int x)
{
	__asm__ volatile("" : : "r"(x));
	return x + 1;
}
int plug(int calls)
{
	for (int i = 0; i < calls; i++)
		NAME(i);
	return calls;
}
C
for name in first second; do
	traced_cc -fPIC -shared -DNAME=$name -o kept_$name.so plug.c
done
cat > loads.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void copy(const char *from, int to)
{
	char bytes[4096];
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)got) != got)
			exit(90);
	close(fd);
}

static void load(const char *path, int calls, int closes)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		exit(91);
	((int (*)(int))dlsym(library, "plug"))(calls);
	if (closes)
		dlclose(library);
}

/* Copies a file to @path, in place of another file that may be there. */
static void place(const char *from, const char *path)
{
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	copy(from, fd);
	close(fd);
}

/* loads [awaited] WAY... - makes 3 calls of first, and 5 of second. */
int main(int argc, char **argv)
{
	int at = 1;
	char byte;

	if (strcmp(argv[at], "awaited") == 0) {
		at++;
		puts("ready");
		fflush(stdout);
		if (read(0, &byte, 1) != 1)
			return 92;
	}
	for (; at < argc; at++) {
		const char *way = argv[at];

		if (strcmp(way, "removed") == 0) {
			place("kept_first.so", "plug_a.so");
			place("kept_second.so", "plug_b.so");
			load("./plug_a.so", 3, 0);
			unlink("plug_a.so");
			load("./plug_b.so", 5, 1);
			unlink("plug_b.so");
		} else if (strcmp(way, "reloaded") == 0) {
			place("kept_first.so", "plug.so");
			load("./plug.so", 3, 1);
			place("kept_second.so", "plug.so");
			load("./plug.so", 5, 1);
			place("loads.c", "plug.so");
		} else if (strcmp(way, "memory") == 0) {
			/* The linker takes libraries with the same path for one. */
			int fds[2] = { memfd_create("plug", MFD_CLOEXEC), memfd_create("plug", MFD_CLOEXEC) };

			for (int i = 0; i < 2; i++) {
				char path[32];

				copy(i ? "kept_second.so" : "kept_first.so", fds[i]);
				snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[i]);
				load(path, i ? 5 : 3, 0);
				close(fds[i]);
			}
		} else if (strcmp(way, "forked") == 0) {
			if (fork() != 0) {
				wait(NULL);
				return 0;
			}
		} else if (strcmp(way, "stays") == 0) {
			load("./kept_first.so", 3, 0);
			load("./kept_second.so", 5, 0);
		} else if (strcmp(way, "itself") == 0) {
			unlink("loads");
		}
	}
	return 0;
}
C
traced_cc -o loads_kept loads.c

# counted NAME WAY... - checks the calls in the trace t, and whether it has packed names.
counted()
{
	counted_as=$1
	"$spoor" report --format csv t > table.csv 2> report.err || fail "$counted_as: report failed: $(cat report.err)"
	equal "$counted_as: calls of first and second" \
		"$(awk -F, '$1 ~ /^(first|second)/ { sub(/\(.*/, "", $1); n[$1] += $3 } END { print n["first"] + 0, n["second"] + 0 }' table.csv)" \
		"3 5"
	silent report.err
}
recorded()
{
	rm -rf t
	cp loads_kept loads
	"$spoor" record -q -o t $options -- ./loads "$@" > out 2> err || fail "$*: status $?: $(cat err)"
	silent err
}

for options in "" "--mode count" "--mode ring"; do
	for way in removed reloaded memory "forked removed" "forked memory" "itself reloaded"; do
		recorded $way
		counted "$options, $way"
	done
done
options=
recorded stays
counted stays
[ "$(ls t/symbols | wc -l)" = 3 ] || fail "names of the program and its libraries are not in the trace: $(ls t/symbols)"

# A process that spoor attaches to.
for way in removed memory; do
	cp loads_kept loads
	rm -rf t fifo out
	mkfifo fifo
	./loads awaited $way < fifo > out &
	victim=$!
	exec 9> fifo
	awaited "the victim" grep -q ready out
	"$spoor" record -q -o t --pid $victim > said 2> err &
	recorder=$!
	awaited "the attachment" sh -c "[ -e t/*/process.spoor ] && \"$spoor\" ctl $victim status > status 2>&1"
	printf x >&9
	exec 9>&-
	wait $victim || fail "attached, $way: the victim ended with status $?"
	wait $recorder || fail "attached, $way: the recorder ended with status $?: $(cat err)"
	counted "attached, $way"
done
