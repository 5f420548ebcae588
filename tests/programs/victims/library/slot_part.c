/* SPDX-License-Identifier: MIT */
/* slot_part.c - a library between a traced program and libc: part_read calls read, by the way that its build chooses. */
#include <unistd.h>

int part_read(int fd);
int part_read(int fd)
{
	char bytes[16];
	long got = read(fd, bytes, sizeof(bytes));

	/* Not a tail call. */
	return got < 0 ? -1 : (int)got + 1;
}
