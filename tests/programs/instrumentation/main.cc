/* SPDX-License-Identifier: MIT */
/* main.cc - calls the other units, and prints the same for each way to link them. */
#include "shape.h"

#include <cstdio>
#include <vector>

int main(int argc, char **)
{
	std::vector<int> v;

	for (int i = 0; i < 10; i++)
		v.push_back(i * argc);
	std::printf("%d %d %d %d %d %d %d\n", get(), catcher(argc), catcher(argc + 4),
		    protected_one(argc), user_entry(argc + 1), special(argc),
		    call_back(aliased, 3) + v[3]);
	return 0;
}
