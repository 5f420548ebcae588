/* SPDX-License-Identifier: MIT */
/* test_inject_waits.c - threads that wait in the kernel call functions, and then continue to wait. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/tools/attach/inject/called.h"
#include "tests/unit/support/unit.h"

static int socket_fds[2], listener;

static void setup(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	called_setup();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fds), 0);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
}

/* Makes a thread that waits in the kernel call a function many times. Then @satisfy ends the wait; if it is null,
 * the wait ends by its own time limit, and the calls must come before that. */
static void check_blocking(int (*body)(void), void (*satisfy)(void))
{
	const int calls = satisfy ? 20 : 4;
	pid_t pid = called_start(body);

	for (int i = 0; i < calls; i++) {
		called_wait_for_state(pid, 'S');
		ck_assert_int_eq(called_sum(pid), 0);
	}
	ck_assert_uint_eq(called->calls, calls);
	called_wait_for_state(pid, 'S');
	if (satisfy)
		satisfy();
	ck_assert_int_eq(called_end(pid), 0);
	called->calls = 0;
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
	struct pollfd file = { .fd = called_pipe[0], .events = POLLIN };

	return poll(&file, 1, 60000) == 1 && file.revents == POLLIN ? 0 : 1;
}

static int in_select(void)
{
	struct timeval limit = { .tv_sec = 60 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(called_pipe[0], &set);
	return select(called_pipe[0] + 1, &set, NULL, NULL, &limit) == 1 && FD_ISSET(called_pipe[0], &set) ? 0 : 1;
}

/* The signal mask is different during the wait. */
static int in_masked_poll(void)
{
	struct pollfd file = { .fd = called_pipe[0], .events = POLLIN };
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

/* The kernel does not restart epoll_wait by itself. */
static int in_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = 7 };
	int epoll = epoll_create1(0);

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, called_pipe[0], &event) < 0)
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
	return sem_wait(&called->semaphore) == 0 ? 0 : 1;
}

static int in_timed_futex(void)
{
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	return sem_timedwait(&called->semaphore, &limit) == 0 ? 0 : 1;
}

static void post(void)
{
	sem_post(&called->semaphore);
}

/* Checks that the sleep takes its full time, and not longer for each call. */
static int in_sleep(void)
{
	struct timespec begin, end, time = { 3, 0 }, rest = { 0 };
	int64_t took_ns;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (nanosleep(&time, &rest) != 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	took_ns = (end.tv_sec - begin.tv_sec) * SECOND_NS + end.tv_nsec - begin.tv_nsec;
	return took_ns < 3 * SECOND_NS ? 2 : took_ns > 9 * SECOND_NS ? 3 : 0;
}

START_TEST(a_waiting_read_continues) { check_blocking(called_in_read, called_write_pipe); } END_TEST
START_TEST(a_waiting_recv_continues) { check_blocking(in_receive, send_socket); } END_TEST
START_TEST(a_waiting_poll_continues) { check_blocking(in_poll, called_write_pipe); } END_TEST
START_TEST(a_waiting_select_continues) { check_blocking(in_select, called_write_pipe); } END_TEST
START_TEST(a_waiting_ppoll_continues_with_its_mask) { check_blocking(in_masked_poll, called_write_pipe); } END_TEST
START_TEST(a_waiting_epoll_wait_continues) { check_blocking(in_epoll, called_write_pipe); } END_TEST
START_TEST(a_waiting_accept_continues) { check_blocking(in_accept, connect_socket); } END_TEST
START_TEST(a_waiting_futex_continues) { check_blocking(in_futex, post); } END_TEST
START_TEST(a_waiting_futex_with_a_timeout_continues) { check_blocking(in_timed_futex, post); } END_TEST
START_TEST(a_sleep_takes_its_time) { check_blocking(in_sleep, NULL); } END_TEST

UNIT_MAIN_SETUP("inject waits", setup, a_waiting_read_continues, a_waiting_recv_continues,
	  a_waiting_poll_continues, a_waiting_select_continues, a_waiting_ppoll_continues_with_its_mask,
	  a_waiting_epoll_wait_continues, a_waiting_accept_continues, a_waiting_futex_continues,
	  a_waiting_futex_with_a_timeout_continues, a_sleep_takes_its_time)
