/* SPDX-License-Identifier: MIT */
/* slot_tree.c - handle calls part_read of a library, which calls read. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int part_read(int fd);

__attribute__((noinline)) int handle(int fd)
{
	int got = part_read(fd);

	__asm__ volatile("");
	return got;
}

int main(void)
{
	int fd = open("/dev/zero", O_RDONLY), sum = 0;

	for (int i = 0; i < 3; i++)
		sum += handle(fd);
	printf("%d\n", sum);
	return 0;
}
