// SPDX-License-Identifier: MIT
// exceptions.cc - exceptions through destructors, realigned and dynamic frames, thunks and templates.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
#define APART __attribute__((noinline, noclone))

struct guard {
	guard();
	~guard();
};
APART guard::guard() { asm volatile(""); }
APART guard::~guard() { asm volatile(""); }

APART void thrower(int depth)
{
	if (!depth)
		throw std::runtime_error("x");
	guard one;
	thrower(depth - 1);
	asm volatile("");
}

APART int after(int x)
{
	asm volatile("");
	return x + 1;
}

APART int catcher(int depth)
{
	try {
		thrower(depth);
	} catch (const std::exception &) {
		return after(depth);
	}
	return 0;
}

APART int rethrower(int n)
{
	if (!n)
		thrower(1);
	try {
		return rethrower(n - 1) + after(n);
	} catch (int) {
		return 1;
	} catch (...) {
		if (n > 1)
			throw;
		return after(100);
	}
}

APART int realigned(int depth)
{
	alignas(64) double values[8];
	for (int i = 0; i < 8; i++)
		values[i] = depth + i;
	try {
		thrower(depth);
	} catch (...) {
		asm volatile("" : : "r"(values) : "memory");
		return after((int)values[3]);
	}
	return 0;
}

APART int dynamic(int depth)
{
	char *bytes = (char *)__builtin_alloca(depth * 16);
	asm volatile("" : : "r"(bytes) : "memory");
	try {
		thrower(1);
	} catch (...) {
		return after(bytes[0] & 0);
	}
	return 0;
}

struct base {
	virtual int f(int) = 0;
	virtual ~base() {}
};
struct other {
	virtual int g(int) = 0;
};
struct derived : base, other {
	int f(int x) override { return x + 1; }
	int g(int x) override { return x + 2; }
};
APART int by_thunk(other *o) { return o->g(3); }

template <class T> struct box {
	T value;
	APART T get() const { return value; }
};

int main()
{
	derived one;
	base *b = &one;
	box<int> boxed{4};
	std::vector<std::string> words;
	int result = catcher(3) + rethrower(3) + realigned(2) + dynamic(3) + by_thunk(&one) + b->f(1) + boxed.get();

	for (int i = 0; i < 3; i++)
		words.push_back(std::to_string(i));
	std::printf("%d %zu\n", result, words.size());
}
