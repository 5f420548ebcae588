/* SPDX-License-Identifier: MIT */
/* shape.h - a program of four units, with all kinds of functions that linkers treat differently. */
#ifndef SHAPE_H
#define SHAPE_H

struct shape {
	virtual ~shape();
	virtual int area() const = 0;
	static int made;
};

struct square : virtual shape {
	int side;
	square(int s);
	int area() const override { return side * side; }
};

/* In COMDATs: every unit has a copy, and the linker keeps one. */
template <typename T> T twice(T x)
{
	static int calls;

	calls++;
	return x + x;
}

inline int shared_inline(int x)
{
	static int sum;

	return sum += x;
}

int may_throw(int x);
int catcher(int x);
int get();
int protected_one(int x);
int user_entry(int x);
extern "C" {
int call_back(int (*f)(int), int x);
int weak_one(int x);
int special(int x);
int aliased(int x);
}

#endif
