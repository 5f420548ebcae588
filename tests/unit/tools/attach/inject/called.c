/* SPDX-License-Identifier: MIT */
/* called.c - starts processes, and makes them call functions as spoor attach does. */
#include "tests/unit/tools/attach/inject/called.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/inject/inject.h"
#include "tests/unit/support/unit.h"

struct called *called;
int called_pipe[2];

void called_setup(void)
{
	called = mmap(NULL, sizeof(*called), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(called != MAP_FAILED);
	sem_init(&called->semaphore, 1, 0);
	ck_assert_int_eq(pipe(called_pipe), 0);
}

/* The function that the process calls. It uses vector registers, errno, and much stack. */
__attribute__((noinline)) static uint64_t sum(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	volatile char room[200000];

	memset((char *)(uintptr_t)room, (int)a, sizeof(room));
	errno = EXDEV;
	called->calls++;
	called_use_vectors();
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + (uint64_t)(unsigned char)room[sizeof(room) - 1] - (a & 255);
}

int called_sum(pid_t pid)
{
	const uint64_t arguments[] = { 1, 10, 100, 1000, 10000, 100000 };
	uint64_t result = 0;
	int error = inject_call(pid, (uint64_t)(uintptr_t)sum, arguments, 6, &result);

	if (error == 0)
		ck_assert_uint_eq(result, 1 + 20 + 300 + 4000 + 50000 + 600000);
	return error;
}

char called_state(pid_t pid)
{
	return (char)target_status(pid, "State", 0);
}

void called_wait_for_state(pid_t pid, char state)
{
	for (char is; (is = called_state(pid)) != state; usleep(1000))
		ck_assert_msg(is != 'Z', "the process has ended and should be in state %c", state);
}

int called_end(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

pid_t called_start(int (*body)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(body());
	}
	return pid;
}

int called_in_read(void)
{
	char byte = 0;

	errno = 42;
	return read(called_pipe[0], &byte, 1) == 1 && byte == 'x' && errno == 42 ? 0 : 1;
}

void called_write_pipe(void)
{
	ck_assert_int_eq(write(called_pipe[1], "x", 1), 1);
}
