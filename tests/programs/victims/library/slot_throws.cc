// SPDX-License-Identifier: MIT
// slot_throws.cc - exceptions pass library calls, and library functions throw. Prints sums.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

__attribute__((noinline)) int after(int x)
{
	asm volatile("");
	return x + 1;
}

// The library throws.
__attribute__((noinline)) int at(std::vector<int> &v, std::size_t i)
{
	try {
		return v.at(i);
	} catch (const std::out_of_range &) {
		return after(7);
	}
}

static int throws(const void *, const void *)
{
	throw 5;
}

struct guard {
	~guard() { after(0); }
};

// An exception passes an open call of qsort.
__attribute__((noinline)) int passes()
{
	int v[3] = {3, 2, 1};

	try {
		guard here;

		std::qsort(v, 3, sizeof *v, throws);
	} catch (int thrown) {
		return after(thrown);
	}
	return 0;
}

int main()
{
	std::vector<int> v{5, 2, 9, 1};
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += at(v, 1) + at(v, 10) + passes();
	auto text = std::make_unique<std::string>(100, 'x');
	std::printf("%d %zu\n", sum, text->size());
	std::fflush(stdout);
}
