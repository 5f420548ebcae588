// SPDX-License-Identifier: MIT
// unwinding.cc - frames that never return: exceptions through and past traced
// functions, longjmp, cancellation, pthread_exit, exit within calls. Takes backtraces
// and checks errno in between.
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <string>

#define TRACED __attribute__((noinline))
#define KEEP __asm__ volatile("" : : : "memory")

static int destroyed;
static jmp_buf jump;

struct Counted {
	TRACED ~Counted()
	{
		destroyed++;
	}
};

TRACED int throws(int depth)
{
	Counted counted;

	KEEP;
	if (depth == 0)
		throw std::runtime_error("thrown");
	return throws(depth - 1) + 1;
}

TRACED int catches(int depth)
{
	try {
		return throws(depth);
	} catch (const std::runtime_error &error) {
		return static_cast<int>(strlen(error.what()));
	}
}

TRACED int catches_deep(int times)
{
	int sum = 0;

	for (int i = 0; i < times; i++) {
		try {
			sum += catches(i % 20);
			throw i;
		} catch (int value) {
			sum += value;
		}
	}
	return sum;
}

TRACED int rethrows(int times)
{
	int sum = 0;

	for (int i = 0; i < times; i++) {
		try {
			try {
				throws(3);
			} catch (...) {
				throw;
			}
		} catch (const std::exception &) {
			sum++;
		}
	}
	return sum;
}

TRACED void jumps(int depth)
{
	KEEP;
	if (depth == 0)
		longjmp(jump, 1);
	jumps(depth - 1);
	KEEP;
}

TRACED int returns_twice(int times)
{
	volatile int sum = 0;

	for (volatile int i = 0; i < times; i = i + 1) {
		if (setjmp(jump) == 0)
			jumps(i % 10);
		else
			sum = sum + 1;
	}
	return sum;
}

TRACED int frames(int depth)
{
	void *addresses[100];

	if (depth > 0) {
		int count = frames(depth - 1);

		KEEP;
		return count;
	}
	return backtrace(addresses, 100);
}

TRACED int keeps_errno(int value)
{
	KEEP;
	errno = value;
	return value;
}

TRACED static void *leaves(void *deep)
{
	Counted counted;

	if (deep)
		leaves(nullptr);
	pthread_exit(nullptr);
}

TRACED static void *is_cancelled(void *deep)
{
	Counted counted;

	if (deep)
		is_cancelled(nullptr);
	for (;;)
		pthread_testcancel();
}

TRACED int last()
{
	KEEP;
	return 7;
}

int main()
{
	pthread_t thread;
	int wrong = 0;

	printf("%d\n", catches_deep(1000));
	printf("%d\n", rethrows(1000));
	printf("%d\n", returns_twice(1000));
	printf("%d\n", frames(10));
	for (int i = 0; i < 20000; i++) {
		keeps_errno(i % 100);
		wrong += errno != i % 100;
	}
	printf("errno changed %d times\n", wrong);
	for (int i = 0; i < 50; i++) {
		pthread_create(&thread, nullptr, leaves, &thread);
		pthread_join(thread, nullptr);
		pthread_create(&thread, nullptr, is_cancelled, &thread);
		pthread_cancel(thread);
		pthread_join(thread, nullptr);
	}
	printf("%d\n", destroyed);
	try {
		throws(5);
	} catch (...) {
		exit(last());
	}
}
