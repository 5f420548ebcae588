#!/bin/sh
# SPDX-License-Identifier: MIT
# text_system_calls.sh - without transactions of the processor, a text on the heap takes one system call, and each record of
# such texts one more; with them, few texts need the kernel. The texts come from the process that calls: in the child of a
# fork, of a vfork, and of a clone that shares the memory, and in a thread after the main thread has ended.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ -z "$emulated" ] || skip "the emulator makes system calls of its own"

cat > reads.c << 'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define FAR __attribute__((noinline))
static char *heap, *other;
FAR void one(const char *text) { __asm__ volatile("" : : "r"(text) : "memory"); }
FAR void two(const char *text, const char *second) { __asm__ volatile("" : : "r"(text), "r"(second) : "memory"); }
static int child(void *text)
{
	strcpy(heap, text);
	one(heap);
	_exit(0);
}
static void *last(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	child("after the main thread");
	return NULL;
}
int main(int argc, char **argv)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	static pthread_t self;
	pthread_t thread;
	int count = argc > 1 ? atoi(argv[1]) : 0;

	heap = strdup("in the process, before");
	other = strdup("another text");
	for (int i = 0; i < count; i++)
		one(heap);
	for (int i = 0; i < count; i++)
		two(heap, other);
	if (count)
		return 0;
	one(heap);
	if (fork() == 0)
		child("in a fork");
	wait(NULL);
	/* The C library does not see this fork. */
	if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
		child("in an unseen fork");
	wait(NULL);
	one(heap);
	if (vfork() == 0)
		child("in a vfork");
	wait(NULL);
	clone(child, stack + sizeof(stack), CLONE_VM | SIGCHLD, "in a clone");
	wait(NULL);
	one(heap);
	self = pthread_self();
	pthread_create(&thread, NULL, last, &self);
	pthread_exit(NULL);
}
END
traced_cc -o reads reads.c -pthread

LC_ALL=C sort > expected << 'END'
"in the process, before"
"in a fork"
"in an unseen fork"
"in the process, before"
"in a vfork"
"in a clone"
"in a clone"
"after the main thread"
END
for tunables in glibc.cpu.hwcaps=-RTM ''; do
	rm -rf reads.trace
	SPOOR_RUNTIME_ARGS='one,two' GLIBC_TUNABLES=$tunables traced reads.trace ./reads 2> err || fail "status $?: $(cat err)"
	silent err
	"$top_builddir/tools/spoor" replay --no-pager reads.trace | sed -n 's/.* one(text=\(.*\)) reads;$/\1/p' | LC_ALL=C sort > shown
	cmp -s expected shown || fail "'$tunables': the texts differ: $(diff expected shown)"
done

strace -o calls true 2> /dev/null || skip "system calls are not counted: strace cannot trace here, or is missing: apt-get install strace"
# calls NAME COUNT TUNABLES - prints how many system calls of this name the main thread makes with COUNT calls of each
# function.
calls()
{
	rm -rf reads.trace
	SPOOR_RUNTIME_ARGS='one,two' SPOOR_RUNTIME_TRACE_PATH=$work/reads.trace \
		strace -q -E LD_PRELOAD="$libspoor" -E GLIBC_TUNABLES="$3" -o calls \
		-e trace=prctl,getpid,gettid,process_vm_readv ./reads "$2"
	grep -c "^$1(" calls || :
}
for expected_calls in process_vm_readv=300 prctl=200 getpid=0 gettid=0; do
	name=${expected_calls%=*}
	equal "$name for 100 more calls of each" \
		"$(($(calls "$name" 200 glibc.cpu.hwcaps=-RTM) - $(calls "$name" 100 glibc.cpu.hwcaps=-RTM)))" "${expected_calls#*=}"
done

# An interrupt ends a transaction.
if grep -qw rtm /proc/cpuinfo; then
	needed=$(calls process_vm_readv 2000 '')
	[ "$needed" -lt 3000 ] || fail "with transactions, $needed of 6000 texts needed the kernel"
fi
