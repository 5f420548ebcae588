// SPDX-License-Identifier: MIT
// paths.cc - two threads make known numbers of calls on known call paths; one name needs escapes in XML.
#include <cstdlib>
#include <pthread.h>
#include <time.h>

struct Price {
	long cents;
	__attribute__((noinline)) bool operator<(const Price &other) const;
};

bool Price::operator<(const Price &other) const { return cents < other.cents; }

extern "C" __attribute__((noinline)) void doze(long ms)
{
	struct timespec time = { 0, ms * 1000000 };

	nanosleep(&time, nullptr);
	__asm__ volatile("");
}

extern "C" __attribute__((noinline)) int compare(int n)
{
	int smaller = 0;

	for (int i = 0; i < n; i++)
		smaller += Price{ i } < Price{ 3 };
	__asm__ volatile("" : "+r"(smaller));
	return smaller;
}

extern "C" __attribute__((noinline)) int recurse(int n)
{
	int result = n ? recurse(n - 1) : compare(2);

	__asm__ volatile("" : "+r"(result));
	return result;
}

extern "C" __attribute__((noinline)) void *work(void *ms)
{
	doze(*static_cast<long *>(ms));
	compare(7);
	recurse(3);
	return nullptr;
}

int main(int count, char **arguments)
{
	long ms = count > 1 ? atol(arguments[1]) : 20;
	pthread_t thread;

	pthread_create(&thread, nullptr, work, &ms);
	pthread_join(thread, nullptr);
	work(&ms);
	return 0;
}
