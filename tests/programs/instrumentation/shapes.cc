/* SPDX-License-Identifier: MIT */
/* shapes.cc - virtual functions, exceptions, a global constructor, and each visibility. */
#include "shape.h"

#include <stdexcept>
#include <string>

int shape::made;

shape::~shape() { made--; }
square::square(int s) : side(s) { made++; }

/* Another unit has a static function of the same name. */
static int only_here(int x)
{
	for (int i = 0; i < x; i++)
		shape::made ^= i;
	return shape::made + x;
}

int may_throw(int x)
{
	if (x > 2)
		throw std::runtime_error("too big");
	return only_here(x);
}

int catcher(int x)
{
	std::string s(x, 'x');

	try {
		return may_throw(x) + s.size();
	} catch (const std::exception &e) {
		return std::string(e.what()).size();
	}
}

static int init_value = [] { return shared_inline(3); }();

int get() { return init_value + twice(4) + twice(2.5); }

__attribute__((visibility("hidden"))) int hidden_one(int x) { return x ^ init_value; }
__attribute__((visibility("protected"))) int protected_one(int x) { return hidden_one(x) * 3; }
__attribute__((used, noinline)) static int never_called(int x) { return x * init_value; }
__attribute__((noinline)) int dead_one(int x) { return x * init_value + 2; }
