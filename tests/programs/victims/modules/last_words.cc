// SPDX-License-Identifier: MIT
// last_words.cc - all code that a program may run at its end calls leaf(). The numbers are calls:
// exit handlers (10), the destructor of a thread-local object in the main thread (200) and in
// another thread (200), and the destructor of a global object (3000). The destructor function
// of the executable makes 40000 calls, and the library's 500000, if this file is also linked
// as a library (LIBRARY).
#include <cstdlib>
#include <thread>

#define TRACED __attribute__((noinline))
#define KEEP __asm__ volatile("" : : : "memory")

#ifdef LIBRARY
#define leaf library_leaf
#endif

extern "C" void leaf();
extern "C" void library_begin();

extern "C" TRACED void leaf()
{
	KEEP;
}

static void call(int times)
{
	while (times--)
		leaf();
}

#ifdef LIBRARY
extern "C" void library_begin()
{
	KEEP;
}

__attribute__((destructor)) static void library_ends()
{
	call(500000);
}
#else
struct Global {
	~Global()
	{
		call(3000);
	}
} global;

struct Local {
	int value = 1;
	~Local()
	{
		call(200);
	}
};

static thread_local Local local;

__attribute__((destructor)) static void program_ends()
{
	call(40000);
}

int main(int argc, char **)
{
	library_begin();
	atexit([] { call(10); });
	local.value = argc;
	std::thread([argc] { local.value = argc; }).join();
	return 0;
}
#endif
