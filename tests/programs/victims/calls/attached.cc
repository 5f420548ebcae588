/* SPDX-License-Identifier: MIT */
/*
 * attached.cc - threads that wait in system calls, one in each kind, and obey lines of stdin:
 *
 *   open PATH   loads a library, which makes 3 calls
 *   close       calls it again and closes it
 *   quiet       ends with status 5
 *   other       every thread but the sleeping one calls branch once, which calls leaf 10 times
 *
 * Each line is answered. If a system call fails with EINTR, the program ends.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

std::atomic<unsigned long> sum;

__attribute__((noinline)) void leaf(int i)
{
	sum += static_cast<unsigned long>(i);
}

__attribute__((noinline)) void branch(int leaves)
{
	for (int i = 0; i < leaves; i++)
		leaf(i);
	sum += 1;
}

/* Never destroyed, because threads wait for it until the end. */
static std::mutex &mutex = *new std::mutex;
static std::condition_variable &condition = *new std::condition_variable;
static int pipe_fds[2], watched[2], sockets[2], generation;
static std::atomic<int> done;

static void expect(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	_exit(9);
}

static void *reads(void *)
{
	for (char byte;; done++) {
		expect(read(pipe_fds[0], &byte, 1) == 1, "read");
		branch(byte);
	}
}

static void waits()
{
	for (int seen = 0;; done++) {
		std::unique_lock<std::mutex> lock(mutex);
		condition.wait(lock, [&] { return generation != seen; });
		seen = generation;
		lock.unlock();
		branch(10);
	}
}

static void watches()
{
	struct epoll_event event = {};
	int epoll = epoll_create1(0);

	event.events = EPOLLIN;
	expect(epoll_ctl(epoll, EPOLL_CTL_ADD, watched[0], &event) == 0, "epoll_ctl");
	for (char byte;; done++) {
		expect(epoll_wait(epoll, &event, 1, -1) == 1, "epoll_wait");
		expect(read(watched[0], &byte, 1) == 1, "read");
		branch(byte);
	}
}

static void receives()
{
	for (char byte;; done++) {
		expect(recv(sockets[0], &byte, 1, 0) == 1, "recv");
		branch(byte);
	}
}

static void sleeps()
{
	for (;;) {
		struct timespec time = { 3600, 0 };

		expect(nanosleep(&time, nullptr) == 0, "nanosleep");
	}
}

static void have_all_call()
{
	const char leaves = 10;

	done = 0;
	expect(write(pipe_fds[1], &leaves, 1) == 1 && write(watched[1], &leaves, 1) == 1 &&
	       write(sockets[1], &leaves, 1) == 1, "write");
	{
		std::lock_guard<std::mutex> lock(mutex);
		generation++;
	}
	condition.notify_all();
	branch(leaves);
	while (done != 4)
		usleep(100);
}

int main()
{
	void *library = nullptr;
	pthread_t thread;
	char line[4096];

	signal(SIGUSR2, SIG_IGN);
	setvbuf(stdout, nullptr, _IOLBF, 0);
	expect(pipe(pipe_fds) == 0 && pipe(watched) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "pipe");
	pthread_create(&thread, nullptr, reads, nullptr);
	std::thread(waits).detach();
	std::thread(watches).detach();
	std::thread(receives).detach();
	std::thread(sleeps).detach();
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(line, "quiet") == 0)
			break;
		if (strncmp(line, "open ", 5) == 0) {
			library = dlopen(line + 5, RTLD_NOW);
			expect(library, "dlopen");
			expect(reinterpret_cast<int (*)(int)>(dlsym(library, "loaded_calls"))(3) == 3, "loaded_calls");
		} else if (strcmp(line, "close") == 0) {
			expect(dlclose(library) == 0, "dlclose");
		} else {
			have_all_call();
		}
		printf("did %s\n", line);
	}
	printf("end %lu\n", sum.load());
	return 5;
}
