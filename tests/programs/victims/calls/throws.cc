// SPDX-License-Identifier: MIT
// throws.cc - exceptions that are caught by type, by catch-all, rethrown, and not caught here.
#include <cstdio>
#include <stdexcept>
#include <string>

#define TRACED __attribute__((noinline))
#define KEEP __asm__ volatile("" : : : "memory")

struct Held {
	int number;
	TRACED ~Held()
	{
		KEEP;
	}
};

TRACED static void thrower(int what)
{
	KEEP;
	switch (what) {
	case 1:
		throw 1;
	case 2:
		throw std::runtime_error("two");
	case 3:
		throw std::string("three");
	}
}

TRACED static void holds(int what)
{
	Held held{what};

	thrower(what);
	KEEP;
}

TRACED static void passes(int what)
{
	holds(what);
	KEEP;
}

TRACED static int takes_integers(int what)
{
	try {
		passes(what);
	} catch (int number) {
		return number;
	}
	return 0;
}

TRACED static void throws_again(int what)
{
	try {
		takes_integers(what);
	} catch (const std::runtime_error &) {
		passes(0);
		throw;
	}
}

TRACED static std::string takes_all(int what)
{
	try {
		throws_again(what);
	} catch (const std::exception &error) {
		return error.what();
	} catch (...) {
		passes(0);
		return "another";
	}
	return "none";
}

TRACED static void promises(int what) noexcept
{
	try {
		passes(what);
	} catch (...) {
	}
	KEEP;
}

int main()
{
	for (int round = 0; round < 3; round++)
		for (int what = 0; what < 4; what++) {
			printf("%s\n", takes_all(what).c_str());
			promises(what);
		}
	return 0;
}
