// SPDX-License-Identifier: MIT
// first_words.cc - all code that may run before main calls leaf(): constructors of the
// highest priority (10) and of none (200), of a global object (3000), of a thread that one
// of them starts (40000). main opens a library. As a library (LIBRARY) the same code calls
// library_leaf(). All call common() (500), of which every module uses the executable's copy,
// and with OPENED opened_common(), which is defined in the opened library.
#include <cstdio>
#include <dlfcn.h>
#include <thread>

#define TRACED __attribute__((noinline))
#define KEEP __asm__ volatile("" : : : "memory")

#ifdef LIBRARY
#define leaf library_leaf
#endif

extern "C" void library_begin();

// Each library has its own copy.
extern "C" __attribute__((visibility("hidden"))) TRACED void leaf();
extern "C" TRACED void leaf()
{
	KEEP;
}

#ifdef OPENED
#define common opened_common
#endif

// Several modules contain this function. The dynamic linker decides which copy is called.
TRACED inline void common()
{
	KEEP;
}

static void call(int times)
{
	while (times--)
		leaf();
}

__attribute__((constructor(101))) static void very_first()
{
	call(10);
}

__attribute__((constructor)) static void first()
{
	call(200);
}

namespace {
struct Global {
	Global()
	{
		call(3000);
		for (int i = 0; i < 500; i++)
			common();
		std::thread([] { call(40000); }).join();
	}
} global;
}

#ifdef LIBRARY
extern "C" void library_begin()
{
	KEEP;
}
#else
int main(int argc, char **argv)
{
	library_begin();
	for (int i = 1; i < argc; i++) {
		if (!dlopen(argv[i], RTLD_NOW)) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
	}
	return 0;
}
#endif
