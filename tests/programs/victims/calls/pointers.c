/* SPDX-License-Identifier: MIT */
/*
 * pointers.c - passes texts and pointers that lead nowhere to a function, while another thread maps and unmaps. With an
 * argument, a seccomp filter of its own first makes process_vm_readv end the process.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int goes_on = 1;
static char *volatile shared;

__attribute__((noinline)) const char *show(const char *text, int number)
{
	__asm__ volatile("" : : "r"(text), "r"(number) : "memory");
	return text;
}

static void *unmap(void *page)
{
	while (goes_on) {
		mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		munmap(page, 4096);
	}
	return NULL;
}

static int forbid_reading(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0;
}

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = pages + 2 * page, here[] = "on the stack", *heap = strdup("on the heap");
	pthread_t thread;

	(void)argv;
	if (argc > 1 && forbid_reading())
		return 77;
	munmap(end, page);
	show("in the program", 1);
	show(here, 2);
	show(heap, 3);
	show(NULL, 4);
	show((char *)16, 5);
	show((char *)0x1234567890abcdef, 6);
	show((char *)-1, 7);
	memcpy(end - 5, "whole", 5);
	show(end - 5, 8);			/* no NUL before memory that does not exist */
	memcpy(end - 5, "null", 5);
	show(end - 5, 9);
	show(end, 10);
	show("", 11);
	show("a\"b\\c\n\001\xc3\xa9", 12);
	memset(pages, 'x', 65);
	pages[64] = '\0';
	show(pages, 13);			/* as long as text may be */
	pages[64] = 'x';
	pages[65] = '\0';
	show(pages, 14);			/* one byte longer */
	printf("end %p\n", (void *)end);
	fflush(stdout);
	shared = end;
	pthread_create(&thread, NULL, unmap, end);
	for (int i = 0; i < 20000; i++)
		show(end - 3, 100);
	goes_on = 0;
	pthread_join(thread, NULL);
	free(heap);
	puts("survived");
	return 0;
}
