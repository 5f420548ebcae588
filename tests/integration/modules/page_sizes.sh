#!/bin/sh
# SPDX-License-Identifier: MIT
# page_sizes.sh - with pages of 16 or 64 KiB, which AArch64 kernels may use, the runtime allocates memory in these
# units and loses no event. An emulator only pretends to have such pages and accepts calls that a real kernel rejects,
# so the test checks each call with an address. (The emulator loses memory that is mapped beyond the end of a file, as
# counts are.)
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ -n "$emulated" ] || skip "only an emulator can change the page size"

cat > pages.c <<'END'
#include <pthread.h>
__attribute__((noinline)) static int leaf(int x)
{
	__asm__ volatile("");
	return x + 1;
}
static void *calls(void *count)
{
	for (int i = 0; i < *(int *)count; i++)
		leaf(i);
	return NULL;
}
int main(void)
{
	int many = 50000, few = 10;
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, calls, i < 2 ? &few : &many);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
traced_cc -o pages pages.c -pthread

for bytes in 16384 65536; do
	case $bytes in
	16384) whole='[048c]000$' ;;
	65536) whole='0000$' ;;
	esac
	for mode in log ring count; do
		QEMU_PAGESIZE=$bytes QEMU_STRACE=1 SPOOR_RUNTIME_MODE=$mode traced "$mode.$bytes" ./pages 2> calls
		sed -n 's/^[0-9]* *m\(advise\|protect\)(\(0x[0-9a-f]*\),.*/\2/p' calls > addresses
		[ "$(wc -l < addresses)" -ge 10 ] ||
			fail "$mode, $bytes: only $(wc -l < addresses) calls with an address"
		grep -v "$whole" addresses > halves && fail "$mode, pages of $bytes bytes: addresses are not" \
			"multiples of a page: $(grep -F -f halves calls | head -n 3)"
		[ "$mode" = log ] || continue
		facts "$mode.$bytes"
		equal "$bytes: calls, lost" "$(entries "$mode.$bytes" leaf) $(lost "$mode.$bytes")" "100020 0"
	done
	rm -rf ./*."$bytes"
done
