/* SPDX-License-Identifier: MIT */
/* test_inject.c - a thread of another process calls functions, and its program does not notice. */
#include "attach/inject/inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/tools/attach/inject/called.h"
#include "tests/unit/support/unit.h"

START_TEST(a_computing_thread_gets_its_registers_back)
{
	pid_t pid = called_start(called_in_registers);

	while (!called->begun)
		usleep(100);
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(called_sum(pid), 0);
	called->go_on = 1;
	ck_assert_int_eq(called_end(pid), 0);
	ck_assert_uint_eq(called->calls, 100);
}
END_TEST

static volatile sig_atomic_t handled;

static void count_signal(int signal_number)
{
	(void)signal_number;
	handled++;
}

/* Signals arrive while a slow function is called. Each is handled after the call, and once. */
static int in_signals(void)
{
	sigset_t usual, after;

	signal(SIGUSR1, count_signal);
	sigemptyset(&usual);
	sigaddset(&usual, SIGUSR2);
	sigprocmask(SIG_SETMASK, &usual, NULL);
	called->begun = 1;
	while (!called->go_on)
		;
	sigprocmask(SIG_SETMASK, NULL, &after);
	return handled != 1 ? 1 : memcmp(&usual, &after, 8) != 0 ? 2 : 0;
}

static uint64_t takes_time(void)
{
	called->begun = 2;
	usleep(300000);
	return (uint64_t)handled;
}

static void *send_while_called(void *pid)
{
	while (called->begun != 2)
		usleep(1000);
	kill(*(pid_t *)pid, SIGUSR1);
	return NULL;
}

START_TEST(signals_are_handled_after_the_call)
{
	pid_t pid = called_start(in_signals);
	pthread_t thread;
	uint64_t result = 9;

	while (!called->begun)
		usleep(100);
	pthread_create(&thread, NULL, send_while_called, &pid);
	ck_assert_int_eq(inject_call(pid, (uint64_t)(uintptr_t)takes_time, NULL, 0, &result), 0);
	ck_assert_uint_eq(result, 0);
	pthread_join(thread, NULL);
	called->go_on = 1;
	ck_assert_int_eq(called_end(pid), 0);
}
END_TEST

static uint64_t crashes(void)
{
	return **(volatile uint64_t *volatile *)&called->nowhere;
}

START_TEST(a_crash_in_the_called_function_does_not_reach_the_program)
{
	pid_t pid;

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	return;		/* the sanitizer reports the crash first, and changes it */
#endif
	pid = called_start(called_in_read);
	called_wait_for_state(pid, 'S');
	ck_assert_int_eq(inject_call(pid, (uint64_t)(uintptr_t)crashes, NULL, 0, NULL), -EFAULT);
	ck_assert_int_eq(called_sum(pid), 0);
	called_write_pipe();
	ck_assert_int_eq(called_end(pid), 0);
}
END_TEST

static void ends(void)
{
	_exit(5);
}

START_TEST(the_end_of_a_child_is_left_to_its_parent)
{
	pid_t pid = called_start(called_in_read);
	int status;

	called_wait_for_state(pid, 'S');
	ck_assert_int_eq(inject_call(pid, (uint64_t)(uintptr_t)ends, NULL, 0, NULL), -ESRCH);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}
END_TEST

static void sleeps_for_a_lock(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
}

static void spins_for_a_lock(void)
{
	volatile char lock = 1;

	while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
		;
}

/* If a call with INJECT_PROBE waits for a lock, it is abandoned and the program continues. */
static void check_given_up(void (*waits)(void))
{
	pid_t pid = called_start(called_in_read);
	struct inject *inject;
	struct target target;

	called_wait_for_state(pid, 'S');
	ck_assert_int_eq(target_open(&target, pid), 0);
	ck_assert_int_eq(inject_begin(&inject, &target, INJECT_PLAIN, 60 * SECOND_NS), 0);
	ck_assert_int_eq(inject_probe(inject, (uint64_t)(uintptr_t)waits, NULL, 0, NULL), -ETIMEDOUT);
	inject_end(inject);
	target_close(&target);
	called_wait_for_state(pid, 'S');
	called_write_pipe();
	ck_assert_int_eq(called_end(pid), 0);
}

START_TEST(a_sleeping_probe_is_abandoned_and_the_program_continues) { check_given_up(sleeps_for_a_lock); } END_TEST
START_TEST(a_spinning_probe_is_abandoned_and_the_program_continues) { check_given_up(spins_for_a_lock); } END_TEST

static uint64_t waits_for_us(void)
{
	called->begun = 3;
	sem_wait(&called->semaphore);
	return 7;
}

static void *post_late(void *unused)
{
	(void)unused;
	while (called->begun != 3)
		usleep(1000);
	usleep(1500000);
	sem_post(&called->semaphore);
	return NULL;
}

/* Such a call may hold a lock while it waits for another lock. */
START_TEST(a_call_that_is_no_probe_is_never_abandoned)
{
	pid_t pid = called_start(called_in_read);
	pthread_t thread;
	uint64_t result = 0;

	called_wait_for_state(pid, 'S');
	pthread_create(&thread, NULL, post_late, NULL);
	ck_assert_int_eq(inject_call(pid, (uint64_t)(uintptr_t)waits_for_us, NULL, 0, &result), 0);
	ck_assert_uint_eq(result, 7);
	pthread_join(thread, NULL);
	called_write_pipe();
	ck_assert_int_eq(called_end(pid), 0);
}
END_TEST

static int wait_in_callback(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)info;
	(void)size;
	(void)context;
	return called_in_read() + 1;
}

static int in_loader(void)
{
	return dl_iterate_phdr(wait_in_callback, NULL) - 1;
}

START_TEST(a_thread_that_may_hold_the_loaders_lock_is_not_used)
{
	pid_t pid = called_start(in_loader);
	struct inject *inject;
	struct target target;

	called_wait_for_state(pid, 'S');
	ck_assert_int_eq(target_open(&target, pid), 0);
	ck_assert_int_eq(inject_begin(&inject, &target, INJECT_MAY_LOAD, SECOND_NS / 5), -EAGAIN);
	target_close(&target);
	called_wait_for_state(pid, 'S');
	called_write_pipe();
	ck_assert_int_eq(called_end(pid), 0);
}
END_TEST

static void *hold_lock(void *unused)
{
	(void)unused;
	in_loader();
	return NULL;
}

/* One thread holds the lock. The call is made in the other thread, and reports which thread it runs in. */
static int in_other_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hold_lock, NULL);
	pthread_join(thread, NULL);
	return 0;
}

START_TEST(another_thread_of_the_process_is_used)
{
	pid_t pid = called_start(in_other_thread);
	uint64_t library, arguments[2];
	struct inject *inject;
	struct target target;
	char path[] = "libm.so.6";

	usleep(100000);
	called_wait_for_state(pid, 'S');
	ck_assert_int_eq(target_open(&target, pid), 0);
	ck_assert_int_eq(inject_begin(&inject, &target, INJECT_PLAIN, 60 * SECOND_NS), 0);
	/* Loading waits for the lock, but not forever. */
	arguments[0] = inject_room(inject);
	arguments[1] = RTLD_NOW;
	ck_assert_int_eq(inject_write(inject, arguments[0], path, sizeof(path)), 0);
	ck_assert_uint_ne(target_symbol(&target, NULL, "dlopen"), 0);
	ck_assert_int_eq(inject_run(inject, target_symbol(&target, NULL, "dlopen"), arguments, 2, &library), 0);
	ck_assert_uint_ne(library, 0);
	inject_end(inject);
	target_close(&target);
	called_write_pipe();
	ck_assert_int_eq(called_end(pid), 0);
}
END_TEST

START_TEST(functions_have_the_addresses_that_the_loader_finds)
{
	static const char *const names[] = {
		"__errno_location", "dladdr", "getpid",
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
		"dlopen", "malloc", "free", "printf", "fork",	/* a sanitizer replaces some of these */
#endif
	};
	pid_t pid = called_start(called_in_read);
	struct target target;

	ck_assert_int_eq(target_open(&target, pid), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ck_assert_uint_eq(target_symbol(&target, NULL, names[i]), (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, names[i]));
	ck_assert_uint_eq(target_symbol(&target, NULL, "there_is_no_such_function"), 0);
	target_close(&target);
	called_write_pipe();
	ck_assert_int_eq(called_end(pid), 0);
}
END_TEST

START_TEST(a_stopped_process_stays_stopped)
{
	pid_t pid = called_start(called_in_read);

	called_wait_for_state(pid, 'S');
	kill(pid, SIGSTOP);
	called_wait_for_state(pid, 'T');
	ck_assert_int_eq(called_sum(pid), 0);
	called_wait_for_state(pid, 'T');
	called_write_pipe();
	usleep(50000);
	ck_assert_int_eq(called_state(pid), 'T');
	kill(pid, SIGCONT);
	ck_assert_int_eq(called_end(pid), 0);
}
END_TEST

START_TEST(attaching_to_an_unsuitable_process_is_an_error)
{
	struct target target;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	called_wait_for_state(pid, 'Z');
	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
	ck_assert_int_eq(target_open(&target, pid), -ESRCH);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(target_open(&target, pid), -ESRCH);
	ck_assert_int_eq(target_open(&target, getpid()), -EINVAL);
	pid = called_start(called_in_read);
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	ck_assert_int_eq(target_open(&target, pid), -EPERM);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
}
END_TEST

#ifdef __SANITIZE_THREAD__
/* A process inside the sanitizer's own code cannot call functions that the sanitizer instruments. */
int main(void)
{
	return 77;
}
#else
UNIT_MAIN_SETUP("inject", called_setup, a_computing_thread_gets_its_registers_back,
	  signals_are_handled_after_the_call, a_crash_in_the_called_function_does_not_reach_the_program,
	  the_end_of_a_child_is_left_to_its_parent, a_sleeping_probe_is_abandoned_and_the_program_continues,
	  a_spinning_probe_is_abandoned_and_the_program_continues,
	  a_call_that_is_no_probe_is_never_abandoned, a_thread_that_may_hold_the_loaders_lock_is_not_used,
	  another_thread_of_the_process_is_used, functions_have_the_addresses_that_the_loader_finds,
	  a_stopped_process_stays_stopped, attaching_to_an_unsuitable_process_is_an_error)
#endif
