// SPDX-License-Identifier: MIT
// frames_paths.cc - functions whose machine code is examined on the path without an exception.
#include "frames.h"

int passes(int x);

int catches_one(int x)
{
	int result = 0;

	try {
		result = passes(x);
	} catch (int caught) {
		result = caught;
	}
	return result + 1;
}

struct Cleaner {
	int value;

	~Cleaner();
};

int cleans_one(int x)
{
	Cleaner cleaner = { x };

	return passes(x) + passes(x + 1);
}

#ifdef MAIN
int passes(int x)
{
	if (x < 0)
		throw 41;
	return x;
}

Cleaner::~Cleaner()
{
}

int main()
{
	return catches_one(-1) + cleans_one(0) == 43 ? 0 : 1;
}
#endif
