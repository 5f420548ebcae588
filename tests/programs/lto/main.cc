// SPDX-License-Identifier: MIT
// main.cc - calls all functions, and prints how often each function was called.
#include "lto.h"

#include <cstdio>

namespace {

struct Shape {
	virtual int area(int scale) const = 0;
};

struct Square : Shape {
	int side;

	explicit Square(int s) : side(s) {}
	OWN int area(int scale) const override
	{
		COUNT("(anonymous namespace)::Square::area(int) const");
		return side * side * scale;
	}
};

struct Line : Shape {
	OWN int area(int) const override
	{
		COUNT("(anonymous namespace)::Line::area(int) const");
		return 0;
	}
};

template <typename T> OWN T twice(T value)
{
	COUNT(sizeof(T) == 4 ? "int (anonymous namespace)::twice<int>(int)"
			     : "long (anonymous namespace)::twice<long>(long)");
	return value + value;
}

/* Called with only two functions, so LLVM may make a copy for each. */
OWN int apply(int (*function)(int), int x)
{
	COUNT("(anonymous namespace)::apply(int (*)(int), int)");
	return function(x) + 1;
}

} // namespace

int main(int argc, char **)
{
	int values[100];

	COUNT("main");
	for (int i = 0; i < 100; i++) {
		Square square(i);
		Line line;
		const Shape *shapes[] = { &square, &line };

		values[i] = alpha(i) + beta(i);
		values[i] += shapes[(i + argc) % 2]->area(i) + twice(i) + static_cast<int>(twice(static_cast<long>(i)));
		values[i] += fill_one(&values[i], i);
		values[i] += apply(i % 3 ? alpha : beta, i);
		values[i] += apply(alpha, i) + apply(beta, i);
	}
	qsort(values, 100, sizeof(*values), compare_both);
	fprintf(stderr, "%d\n", library_sum(values, 100));
	for (struct tally *tally = tallies; tally; tally = tally->next)
		printf("%s,%lu\n", tally->name, tally->calls);
}
