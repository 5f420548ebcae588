// SPDX-License-Identifier: MIT
// names.cc - functions with all kinds of names; names_call_all calls each of them
// the given number of times.
#include <cstdio>
#include <vector>

#define TRACED __attribute__((noinline))
#define UNTRACED __attribute__((noinline, no_instrument_function))
#define KEEP __asm__ volatile("" : : : "memory")

extern "C" {
void names_call_all(int times);
TRACED void c_function(int)
{
	KEEP;
}
TRACED void c_function_two(int)
{
	KEEP;
}
}

namespace shop {

struct Item {
	int price;

	TRACED explicit Item(int p) : price(p)
	{
		KEEP;
	}
	TRACED ~Item()
	{
		KEEP;
	}
	TRACED int run(int by)
	{
		KEEP;
		return price * by;
	}
	TRACED int run(double by)
	{
		KEEP;
		return static_cast<int>(price * by);
	}
	TRACED int operator()(int by, char more) const
	{
		KEEP;
		return price + by + more;
	}
	TRACED explicit operator bool() const
	{
		KEEP;
		return price > 0;
	}
	TRACED bool operator<(const Item &other) const
	{
		KEEP;
		return price < other.price;
	}
};

template <int N> TRACED int power(int base)
{
	KEEP;
	return base * N;
}

template <typename T, typename U> TRACED int convert(const std::vector<T> &from, U to)
{
	KEEP;
	return static_cast<int>(from.size()) + static_cast<int>(to);
}

} // namespace shop

namespace {
TRACED int hidden(int value)
{
	KEEP;
	return value;
}
} // namespace

static volatile int sink;

UNTRACED static void call_all()
{
	static const std::vector<long> longs(3);
	shop::Item item(3);

	sink = item.run(2);
	sink = item.run(2.5);
	sink = item(1, 'x');
	sink = static_cast<bool>(item);
	sink = item < item;
	sink = shop::power<2>(3);
	sink = shop::power<3>(3);
	sink = shop::convert(longs, 4);
	sink = hidden(5);
	c_function(6);
	c_function_two(7);
}

extern "C" UNTRACED void names_call_all(int times)
{
	while (times-- > 0)
		call_all();
}
