/* SPDX-License-Identifier: MIT */
/* main_thread.c - detects that only spoor's own thread keeps a program running. */
#define _GNU_SOURCE
#include "base/main_thread.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system.h"

#define RUNNING_ON_VALGRIND 0x1001	/* valgrind.h */

const uint32_t *spoor_main_thread_word(void)
{
	static const uint32_t *word;
	static pid_t process_id;	/* the process to which the word belongs */
	volatile uint64_t request[6] = { RUNNING_ON_VALGRIND };
	uint32_t *found = NULL;

	if (process_id == getpid())
		return word;
	word = NULL;
	/* Valgrind prints a warning about system calls that it does not know. Waiting for the word uses one of
	 * them. */
	if (gettid() != getpid() || spoor_valgrind(request))
		return NULL;
	process_id = getpid();
	if (prctl(PR_GET_TID_ADDRESS, &found) == 0 && found && *found == (uint32_t)process_id)
		word = found;
	return word;
}

void spoor_main_thread_pass_on(const uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

int spoor_main_thread_company(int *status)
{
	struct stat tasks;
	char line[1024], *state, *last;
	ssize_t length;
	int fd;

	if (stat("/proc/self/task", &tasks) < 0)
		return -1;
	/* A folder has two links without any subfolder. */
	if (tasks.st_nlink > 2 + 2)
		return (int)tasks.st_nlink - (2 + 2);
	fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	length = read(fd, line, sizeof(line) - 1);
	close(fd);
	line[length > 0 ? length : 0] = '\0';
	state = strrchr(line, ')');
	if (!state || strncmp(state, ") Z", 3) != 0)
		return -1;
	/* exit_code is the last field of the line (proc(5)). */
	last = strrchr(state, ' ');
	*status = (int)strtol(last, NULL, 10);
	return 0;
}
