/* SPDX-License-Identifier: MIT */
/*
 * test_inject.c - another process's thread calls functions, and its program sees nothing.
 *
 * The processes are forked: functions lie where they lie here.
 */
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#define SECOND_NS 1000000000ll

static struct shared {
	sem_t semaphore;
	volatile int begun, go_on;
	volatile uint64_t calls;
	volatile uint64_t *nowhere;
} *shared;
static int pipe_fds[2], socket_fds[2], listener;

static void setup(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(shared != MAP_FAILED);
	sem_init(&shared->semaphore, 1, 0);
	ck_assert_int_eq(pipe(pipe_fds), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fds), 0);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
}

/* What is called in the process. Uses the vector registers, errno, and much stack. */
__attribute__((noinline)) static uint64_t sum(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	volatile char room[200000];

	memset((char *)(uintptr_t)room, (int)a, sizeof(room));
	errno = EXDEV;
	shared->calls++;
	__asm__ volatile("pcmpeqb %%xmm0, %%xmm0; movaps %%xmm0, %%xmm7; movaps %%xmm0, %%xmm15" : : : "xmm0", "xmm7",
			 "xmm15");
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + (uint64_t)(unsigned char)room[sizeof(room) - 1] - (a & 255);
}

/* Has the process call it, and looks at the result. */
static int call_sum(pid_t pid)
{
	const uint64_t arguments[] = { 1, 10, 100, 1000, 10000, 100000 };
	uint64_t result = 0;
	int error = inject_call(pid, (uint64_t)(uintptr_t)sum, arguments, 6, &result);

	if (error == 0)
		ck_assert_uint_eq(result, 1 + 20 + 300 + 4000 + 50000 + 600000);
	return error;
}

static char state_of(pid_t pid)
{
	return (char)target_status(pid, "State", 0);
}

static void wait_for_state(pid_t pid, char state)
{
	while (state_of(pid) != state)
		usleep(1000);
}

/* Return: exit status, or -1 where it was killed. */
static int end_of(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static pid_t start(int (*body)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(body());
	}
	return pid;
}

/* One that waits in the kernel is called into many times, then finds what it waited for. */
static void check_blocking(int (*body)(void), void (*satisfy)(void))
{
	pid_t pid = start(body);

	for (int i = 0; i < 20; i++) {
		wait_for_state(pid, 'S');
		ck_assert_int_eq(call_sum(pid), 0);
	}
	ck_assert_uint_eq(shared->calls, 20);
	wait_for_state(pid, 'S');
	if (satisfy)
		satisfy();
	ck_assert_int_eq(end_of(pid), 0);
	shared->calls = 0;
}

static int in_read(void)
{
	char byte = 0;

	errno = 42;
	return read(pipe_fds[0], &byte, 1) == 1 && byte == 'x' && errno == 42 ? 0 : 1;
}

static void write_pipe(void)
{
	ck_assert_int_eq(write(pipe_fds[1], "x", 1), 1);
}

static int in_receive(void)
{
	char byte = 0;

	return recv(socket_fds[0], &byte, 1, 0) == 1 && byte == 'y' ? 0 : 1;
}

static void send_socket(void)
{
	ck_assert_int_eq(write(socket_fds[1], "y", 1), 1);
}

static int in_poll(void)
{
	struct pollfd file = { .fd = pipe_fds[0], .events = POLLIN };

	return poll(&file, 1, 60000) == 1 && file.revents == POLLIN ? 0 : 1;
}

static int in_select(void)
{
	struct timeval limit = { .tv_sec = 60 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(pipe_fds[0], &set);
	return select(pipe_fds[0] + 1, &set, NULL, NULL, &limit) == 1 && FD_ISSET(pipe_fds[0], &set) ? 0 : 1;
}

/* With a mask of its own for as long as it waits. */
static int in_masked_poll(void)
{
	struct pollfd file = { .fd = pipe_fds[0], .events = POLLIN };
	sigset_t none, usual, after;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGUSR1);
	sigprocmask(SIG_SETMASK, &usual, NULL);
	if (ppoll(&file, 1, NULL, &none) != 1)
		return 1;
	sigprocmask(SIG_SETMASK, NULL, &after);
	return sigismember(&after, SIGUSR1) == 1 && sigismember(&after, SIGUSR2) == 0 ? 0 : 2;
}

/* This one the kernel does not restart by itself. */
static int in_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = 7 };
	int epoll = epoll_create1(0);

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_fds[0], &event) < 0)
		return 1;
	return epoll_wait(epoll, &event, 1, -1) == 1 && event.data.u32 == 7 ? 0 : errno;
}

static int in_accept(void)
{
	return accept(listener, NULL, NULL) >= 0 ? 0 : 1;
}

static void connect_socket(void)
{
	struct sockaddr_in address;
	socklen_t size = sizeof(address);

	getsockname(listener, (struct sockaddr *)&address, &size);
	ck_assert_int_eq(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, size), 0);
}

static int in_futex(void)
{
	return sem_wait(&shared->semaphore) == 0 ? 0 : 1;
}

static int in_timed_futex(void)
{
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	return sem_timedwait(&shared->semaphore, &limit) == 0 ? 0 : 1;
}

static void post(void)
{
	sem_post(&shared->semaphore);
}

/* Sleeps for as long as it wanted, not longer for each call and not shorter. */
static int in_sleep(void)
{
	struct timespec begin, end, time = { 1, 500000000 }, rest = { 0 };
	int64_t took_ns;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (nanosleep(&time, &rest) != 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	took_ns = (end.tv_sec - begin.tv_sec) * SECOND_NS + end.tv_nsec - begin.tv_nsec;
	return took_ns < 3 * SECOND_NS / 2 ? 2 : took_ns > 4 * SECOND_NS ? 3 : 0;
}

START_TEST(a_read_that_waits_goes_on) { check_blocking(in_read, write_pipe); } END_TEST
START_TEST(a_recv_that_waits_goes_on) { check_blocking(in_receive, send_socket); } END_TEST
START_TEST(a_poll_that_waits_goes_on) { check_blocking(in_poll, write_pipe); } END_TEST
START_TEST(a_select_that_waits_goes_on) { check_blocking(in_select, write_pipe); } END_TEST
START_TEST(a_ppoll_that_waits_goes_on_with_its_mask) { check_blocking(in_masked_poll, write_pipe); } END_TEST
START_TEST(an_epoll_wait_that_waits_goes_on) { check_blocking(in_epoll, write_pipe); } END_TEST
START_TEST(an_accept_that_waits_goes_on) { check_blocking(in_accept, connect_socket); } END_TEST
START_TEST(a_futex_that_waits_goes_on) { check_blocking(in_futex, post); } END_TEST
START_TEST(a_futex_that_waits_for_a_time_goes_on) { check_blocking(in_timed_futex, post); } END_TEST
START_TEST(a_sleep_takes_its_time) { check_blocking(in_sleep, NULL); } END_TEST

/* All general registers, the vector ones, and the bytes below the stack hold what they held. */
static int in_registers(void)
{
	uint64_t wrong;

	shared->begun = 1;
	__asm__ volatile(
		"mov $0x1111111111, %%r8\n mov $0x2222222222, %%r9\n mov $0x3333333333, %%r10\n"
		"mov $0x4444444444, %%r11\n mov $0x5555555555, %%r12\n mov $0x6666666666, %%r13\n"
		"mov $0x7777777777, %%rsi\n mov $0x8888888888, %%rdi\n mov $0x9999999999, %%rcx\n"
		"movq %%r8, %%xmm0\n movq %%r9, %%xmm7\n movq %%r10, %%xmm15\n"
		"mov %%r11, -8(%%rsp)\n mov %%r12, -128(%%rsp)\n"
		"stc\n"
		"1: jnc 2f\n mov (%[go]), %%eax\n bt $0, %%eax\n cmc\n jnc 3f\n jmp 1b\n"
		"2: mov $1, %[wrong]\n jmp 4f\n"
		"3: xor %[wrong], %[wrong]\n"
		"mov $0x1111111111, %%rax\n xor %%r8, %%rax\n or %%rax, %[wrong]\n"
		"movq %%xmm0, %%rdx\n xor %%r8, %%rdx\n or %%rdx, %[wrong]\n"
		"mov $0x2222222222, %%rax\n xor %%r9, %%rax\n or %%rax, %[wrong]\n"
		"movq %%xmm7, %%rdx\n xor %%r9, %%rdx\n or %%rdx, %[wrong]\n"
		"mov $0x3333333333, %%rax\n xor %%r10, %%rax\n or %%rax, %[wrong]\n"
		"movq %%xmm15, %%rdx\n xor %%r10, %%rdx\n or %%rdx, %[wrong]\n"
		"mov $0x4444444444, %%rax\n xor %%r11, %%rax\n or %%rax, %[wrong]\n"
		"mov -8(%%rsp), %%rdx\n xor %%r11, %%rdx\n or %%rdx, %[wrong]\n"
		"mov $0x5555555555, %%rax\n xor %%r12, %%rax\n or %%rax, %[wrong]\n"
		"mov -128(%%rsp), %%rdx\n xor %%r12, %%rdx\n or %%rdx, %[wrong]\n"
		"mov $0x6666666666, %%rax\n xor %%r13, %%rax\n or %%rax, %[wrong]\n"
		"mov $0x7777777777, %%rax\n xor %%rsi, %%rax\n or %%rax, %[wrong]\n"
		"mov $0x8888888888, %%rax\n xor %%rdi, %%rax\n or %%rax, %[wrong]\n"
		"mov $0x9999999999, %%rax\n xor %%rcx, %%rax\n or %%rax, %[wrong]\n"
		"4:\n"
		: [wrong] "=&r"(wrong)
		: [go] "r"(&shared->go_on)
		: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "xmm0", "xmm7", "xmm15",
		  "memory", "cc");
	return wrong != 0;
}

START_TEST(a_thread_that_computes_has_its_registers_back)
{
	pid_t pid = start(in_registers);

	while (!shared->begun)
		usleep(100);
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(call_sum(pid), 0);
	shared->go_on = 1;
	ck_assert_int_eq(end_of(pid), 0);
	ck_assert_uint_eq(shared->calls, 100);
}
END_TEST

static volatile sig_atomic_t handled;

static void count_signal(int signal_number)
{
	(void)signal_number;
	handled++;
}

/* A slow function is called while signals come: they are handled after it, none twice. */
static int in_signals(void)
{
	sigset_t usual, after;

	signal(SIGUSR1, count_signal);
	sigemptyset(&usual);
	sigaddset(&usual, SIGUSR2);
	sigprocmask(SIG_SETMASK, &usual, NULL);
	shared->begun = 1;
	while (!shared->go_on)
		;
	sigprocmask(SIG_SETMASK, NULL, &after);
	return handled != 1 ? 1 : memcmp(&usual, &after, 8) != 0 ? 2 : 0;
}

static uint64_t takes_time(void)
{
	shared->begun = 2;
	usleep(300000);
	return (uint64_t)handled;
}

static void *send_while_called(void *pid)
{
	while (shared->begun != 2)
		usleep(1000);
	kill(*(pid_t *)pid, SIGUSR1);
	return NULL;
}

START_TEST(signals_wait_until_the_call_is_over)
{
	pid_t pid = start(in_signals);
	pthread_t thread;
	uint64_t result = 9;

	while (!shared->begun)
		usleep(100);
	pthread_create(&thread, NULL, send_while_called, &pid);
	ck_assert_int_eq(inject_call(pid, (uint64_t)(uintptr_t)takes_time, NULL, 0, &result), 0);
	ck_assert_uint_eq(result, 0);
	pthread_join(thread, NULL);
	shared->go_on = 1;
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

static uint64_t crashes(void)
{
	return **(volatile uint64_t *volatile *)&shared->nowhere;
}

START_TEST(a_crash_of_what_is_called_does_not_reach_the_program)
{
	pid_t pid;

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	return;		/* it sees that before we do, and in words */
#endif
	pid = start(in_read);
	wait_for_state(pid, 'S');
	ck_assert_int_eq(inject_call(pid, (uint64_t)(uintptr_t)crashes, NULL, 0, NULL), -EFAULT);
	ck_assert_int_eq(call_sum(pid), 0);
	write_pipe();
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

static void hangs(void)
{
	for (;;)
		pause();
}

START_TEST(what_does_not_return_is_given_up_and_the_program_goes_on)
{
	pid_t pid = start(in_read);
	struct inject *inject;
	struct target target;

	wait_for_state(pid, 'S');
	ck_assert_int_eq(target_open(&target, pid), 0);
	ck_assert_int_eq(inject_begin(&inject, &target, INJECT_PLAIN, SECOND_NS), 0);
	ck_assert_int_eq(inject_run(inject, (uint64_t)(uintptr_t)hangs, NULL, 0, SECOND_NS / 10, NULL), -ETIMEDOUT);
	inject_end(inject);
	target_close(&target);
	wait_for_state(pid, 'S');
	write_pipe();
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

static int wait_in_callback(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)info;
	(void)size;
	(void)context;
	return in_read() + 1;
}

static int in_loader(void)
{
	return dl_iterate_phdr(wait_in_callback, NULL) - 1;
}

START_TEST(a_thread_that_may_hold_the_loaders_lock_is_let_be)
{
	pid_t pid = start(in_loader);
	struct inject *inject;
	struct target target;

	wait_for_state(pid, 'S');
	ck_assert_int_eq(target_open(&target, pid), 0);
	ck_assert_int_eq(inject_begin(&inject, &target, INJECT_MAY_LOAD, SECOND_NS / 5), -EAGAIN);
	target_close(&target);
	wait_for_state(pid, 'S');
	write_pipe();
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

static void *hold_lock(void *unused)
{
	(void)unused;
	in_loader();
	return NULL;
}

/* The one thread holds the lock, the other is called: which finds out. */
static int in_other_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hold_lock, NULL);
	pthread_join(thread, NULL);
	return 0;
}

START_TEST(another_thread_of_it_is_taken)
{
	pid_t pid = start(in_other_thread);
	uint64_t library, arguments[2];
	struct inject *inject;
	struct target target;
	char path[] = "libm.so.6";

	usleep(100000);
	wait_for_state(pid, 'S');
	ck_assert_int_eq(target_open(&target, pid), 0);
	ck_assert_int_eq(inject_begin(&inject, &target, INJECT_PLAIN, SECOND_NS), 0);
	/* Loading waits for the lock, and not for ever. */
	arguments[0] = inject_room(inject);
	arguments[1] = RTLD_NOW;
	ck_assert_int_eq(inject_write(inject, arguments[0], path, sizeof(path)), 0);
	ck_assert_uint_ne(target_symbol(&target, NULL, "dlopen"), 0);
	ck_assert_int_eq(inject_run(inject, target_symbol(&target, NULL, "dlopen"), arguments, 2, SECOND_NS, &library), 0);
	ck_assert_uint_ne(library, 0);
	inject_end(inject);
	target_close(&target);
	write_pipe();
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

START_TEST(functions_are_found_where_the_loader_finds_them)
{
	static const char *const names[] = {
		"__errno_location", "dladdr", "getpid",
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
		"dlopen", "malloc", "free", "printf", "fork",	/* a sanitizer has some of its own */
#endif
	};
	pid_t pid = start(in_read);
	struct target target;

	ck_assert_int_eq(target_open(&target, pid), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ck_assert_uint_eq(target_symbol(&target, NULL, names[i]), (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, names[i]));
	ck_assert_uint_eq(target_symbol(&target, NULL, "there_is_no_such_function"), 0);
	target_close(&target);
	write_pipe();
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

START_TEST(a_process_that_is_stopped_stays_stopped)
{
	pid_t pid = start(in_read);

	wait_for_state(pid, 'S');
	kill(pid, SIGSTOP);
	wait_for_state(pid, 'T');
	ck_assert_int_eq(call_sum(pid), 0);
	wait_for_state(pid, 'T');
	write_pipe();
	usleep(50000);
	ck_assert_int_eq(state_of(pid), 'T');
	kill(pid, SIGCONT);
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

START_TEST(what_cannot_be_attached_to_says_so)
{
	struct target target;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	wait_for_state(pid, 'Z');
	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
	ck_assert_int_eq(target_open(&target, pid), -ESRCH);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(target_open(&target, pid), -ESRCH);
	ck_assert_int_eq(target_open(&target, getpid()), -EINVAL);
	pid = start(in_read);
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	ck_assert_int_eq(target_open(&target, pid), -EPERM);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_read_that_waits_goes_on, a_recv_that_waits_goes_on, a_poll_that_waits_goes_on,
		a_select_that_waits_goes_on, a_ppoll_that_waits_goes_on_with_its_mask, an_epoll_wait_that_waits_goes_on,
		an_accept_that_waits_goes_on, a_futex_that_waits_goes_on, a_futex_that_waits_for_a_time_goes_on,
		a_sleep_takes_its_time, a_thread_that_computes_has_its_registers_back,
		signals_wait_until_the_call_is_over, a_crash_of_what_is_called_does_not_reach_the_program,
		what_does_not_return_is_given_up_and_the_program_goes_on,
		a_thread_that_may_hold_the_loaders_lock_is_let_be, another_thread_of_it_is_taken,
		functions_are_found_where_the_loader_finds_them, a_process_that_is_stopped_stays_stopped,
		what_cannot_be_attached_to_says_so,
	};
	Suite *suite = suite_create("inject");
	TCase *cases = tcase_create("inject");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(cases, setup, NULL);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		tcase_add_test(cases, tests[i]);
	tcase_set_timeout(cases, 120);
	suite_add_tcase(suite, cases);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
