#!/bin/sh
# SPDX-License-Identifier: MIT
# attach_places.sh - spoor record --pid works on processes whose memory differs from their files: processes that the
# dynamic loader started when called by name, whose libc or executable was replaced since, or whose text was moved or
# stays writable. Each is recorded, with its open calls, and continues.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

[ -z "$emulated" ] || skip "spoor cannot attach to threads under an emulator"
cat > goes.c <<'C'
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define QUIET __attribute__((no_instrument_function))
static uintptr_t low, high;
static volatile uint8_t *byte;
__attribute__((noinline)) void leaf(void) { usleep(1000); if (byte) *byte = *byte; }
__attribute__((noinline)) void outer(void) { for (;;) leaf(); }
QUIET static int find(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size, (void)unused;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_X) {
			low = (object->dlpi_addr + object->dlpi_phdr[i].p_vaddr) & -4096ul;
			high = (object->dlpi_addr + object->dlpi_phdr[i].p_vaddr + object->dlpi_phdr[i].p_memsz + 4095) & -4096ul;
		}
	return 1;
}
/* Moves the text, as programs do that want it in huge pages. */
QUIET static void move(void)
{
	void *copy = mmap(0, high - low, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(copy, (void *)low, high - low);
	mprotect(copy, high - low, PROT_READ | PROT_EXEC);
	mremap(copy, high - low, high - low, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)low);
}
int main(int count, char **arguments)
{
	dl_iterate_phdr(find, 0);
	if (count > 1 && strcmp(arguments[1], "moved") == 0)
		move();
	if (count > 1 && strcmp(arguments[1], "writes") == 0) {
		mprotect((void *)low, high - low, PROT_READ | PROT_WRITE | PROT_EXEC);
		byte = (uint8_t *)(high - 1);
	}
	outer();
}
C
traced_cc -O1 -fno-inline -o goes goes.c

# attached NAME - attaches to $process twice, and checks that the process continues.
attached()
{
	awaited "$1" state_is $process S
	for time in first second; do
		rm -rf trace
		timeout -s KILL 100 "$spoor" record -q -o trace --pid $process --duration=200ms > said 2>&1 ||
			fail "$1, $time attachment: spoor record failed with status $?: $(cat said)"
		silent said
		[ "$(reported trace leaf)" -gt 1 ] ||
			fail "$1, $time attachment: the trace has no calls of leaf: $(ls trace)"
		"$spoor" replay --no-pager trace > tree
		grep -q 'main() goes {' tree && grep -q '  outer() goes {' tree ||
			fail "$1, $time attachment: the tree has no open calls of main and outer: $(head -n 8 tree)"
	done
	sleep 0.1
	kill $process || fail "$1: the process has ended"
	wait $process 2> /dev/null || status=$?
	equal "$1: status" $status 143
}

loader=$(readelf -lW goes | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
"$loader" ./goes & process=$!
attached "by the loader"

libc=$(ldd goes | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')
mkdir libs
cp "$libc" libs/libc.so.6
LD_LIBRARY_PATH=libs ./goes & process=$!
awaited "libc" grep -q libs/libc /proc/$process/maps
cp "$libc" libs/new
mv libs/new libs/libc.so.6
attached "libc replaced"

cp goes kept
./goes & process=$!
awaited "the executable" state_is $process S
cp kept new
mv new goes
attached "executable replaced"

./goes moved & process=$!
attached "text moved"
./goes writes & process=$!
attached "text writable"
