#!/bin/sh
# SPDX-License-Identifier: MIT
# attach_places.sh - spoor record --pid where a process is not as its files say: started by the dynamic loader
# that was called by name, its libc or its executable replaced since, its text moved elsewhere or kept writable.
# Each is recorded, with the calls that are open, and goes on.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

[ -z "$emulated" ] || skip "no thread can be attached to under an emulator"
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
/* As one does that wants its text in huge pages. */
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

# attached NAME - to $process, twice; it goes on.
attached()
{
	awaited "$1" state_is $process S
	for time in first second; do
		rm -rf trace
		timeout -s KILL 100 "$spoor" record -q -o trace --pid $process --duration=200ms > said 2>&1 ||
			fail "$1, $time: status $?: $(cat said)"
		silent said
		[ "$(reported trace leaf)" -gt 1 ] || fail "$1, $time: no calls are recorded"
		"$spoor" replay --no-pager trace > tree
		grep -q 'main() goes {' tree && grep -q '  outer() goes {' tree || fail "$1, $time: no open calls: $(head -n 8 tree)"
	done
	sleep 0.1
	kill $process || fail "$1: has ended"
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
