/* SPDX-License-Identifier: MIT */
/*
 * system_calls.c - threads and children that make many system calls, and wait in several states.
 *
 * usage: system_calls ROUNDS
 *
 * Four threads and a forked child make the same calls. Other children execute /bin/true, keep their parent in
 * vfork(2), and stop until their parent continues them. The last call of the main thread is exit_group(2).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define TRACED __attribute__((noinline)) static

static int rounds;

TRACED void check(int is_good)
{
	if (!is_good)
		abort();
}

TRACED void use_file(void)
{
	char text[64] = "text", name[] = "file.XXXXXX";
	int file = mkostemp(name, O_CLOEXEC);

	check(file >= 0 && write(file, text, sizeof(text)) == sizeof(text));
	check(pread(file, text, 32, 0) == 32);
	check(close(file) == 0 && unlink(name) == 0);
	check(open("there/is/no/such/file", O_RDONLY) < 0);
}

TRACED void use_pipe(void)
{
	char byte = 0;
	int ends[2];

	check(pipe2(ends, O_CLOEXEC) == 0);
	check(write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1);
	check(close(ends[0]) == 0 && close(ends[1]) == 0);
}

TRACED void call_much(void)
{
	for (int i = 0; i < 10; i++)
		syscall(SYS_getppid);
}

TRACED void take_a_nap(void)
{
	nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
}

TRACED void *all(void *nothing)
{
	for (int i = 0; i < rounds; i++) {
		use_file();
		use_pipe();
		call_much();
		take_a_nap();
	}
	return nothing;
}

TRACED void in_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		check(pthread_create(&threads[i], NULL, all, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		check(pthread_join(threads[i], NULL) == 0);
}

TRACED void in_a_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		all(NULL);
		_exit(0);
	}
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

TRACED void execute(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

TRACED void wait_for_vfork(void)
{
	pid_t child = vfork();
	int status;

	if (child == 0) {
		syscall(SYS_nanosleep, &(struct timespec){ 0, 5000000 }, NULL);
		_exit(0);
	}
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

TRACED void stop_oneself(void)
{
	raise(SIGSTOP);
}

TRACED void stop(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		stop_oneself();
		_exit(0);
	}
	check(child > 0 && waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
	take_a_nap();
	check(kill(child, SIGCONT) == 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv)
{
	rounds = argc > 1 ? atoi(argv[1]) : 10;
	in_threads();
	in_a_child();
	execute();
	wait_for_vfork();
	stop();
	return 0;
}
