/* SPDX-License-Identifier: MIT */
/* recorded.c - the program of the traces in recorded_x86_64 and recorded_aarch64; it has calls, longjmp, a thread. */
#include <pthread.h>
#include <setjmp.h>

static jmp_buf back;

__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline)) int tail(int x) { return leaf(x * 2); }
__attribute__((noinline)) void jumps(int depth) { if (depth) jumps(depth - 1); else longjmp(back, 1); __asm__ volatile(""); }
__attribute__((noinline)) void catches(void) { if (!setjmp(back)) jumps(3); leaf(0); }
void *thread(void *argument) { tail(3); return argument; }
int main(void)
{
	pthread_t other;

	for (int i = 0; i < 3; i++)
		tail(i);
	catches();
	pthread_create(&other, 0, thread, 0);
	pthread_join(other, 0);
	return leaf(1) != 2;
}
