/* SPDX-License-Identifier: MIT */
/*
 * switches_invoked.cc - stacks are switched by functions that may throw, while destructors are due:
 * the compiler invokes them, with an edge for the return and another one for an exception.
 *
 *   turns     main has a coroutine give it 100 numbers; both call others before and after
 *   branches  the same, where the ways after the switch meet others at once
 *   throws    the coroutine returns to main by a function that throws there, on main's stack
 *
 * With -DSWITCHER it is the library that switches, by the names of libco and boost.context.
 */
#include <ucontext.h>

extern "C" {
void co_switch(void *to);
void *ontop_fcontext(void *to, void *data, void *(*run)(void *));
extern ucontext_t main_context, other_context;
}

#ifdef SWITCHER
#define UNTRACED __attribute__((xray_never_instrument))
ucontext_t main_context, other_context;
static void *(*on_arrival)(void *);

UNTRACED void co_switch(void *to)
{
	void *(*run)(void *);

	swapcontext(to == &main_context ? &other_context : &main_context, (ucontext_t *)to);
	run = on_arrival;
	on_arrival = nullptr;
	if (run)
		run(nullptr);
}

UNTRACED void *ontop_fcontext(void *to, void *, void *(*run)(void *))
{
	on_arrival = run;
	co_switch(to);
	return nullptr;
}
#else
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../common/work.h"

static char stack[256 << 10];
static int value, released;
static bool is_on_top;

TRACED void leaf(int)
{
	KEEP;
}

/* Calls something when it goes. */
struct due {
	TRACED ~due()
	{
		released++;
		KEEP;
	}
};

TRACED int resume()
{
	due first, second;

	leaf(1);
	co_switch(&other_context);
	leaf(2);
	return value;
}

TRACED int resume_or_not(int turn)
{
	due one;

	if (turn % 3)
		co_switch(&other_context);
	else if (turn % 2)
		leaf(turn);
	else
		co_switch(&other_context);
	leaf(3);
	return value;
}

static void *throw_there(void *)
{
	throw 42;
}

TRACED int resume_and_catch()
{
	due one;

	try {
		due two;

		co_switch(&other_context);
		leaf(4);
	} catch (int thrown) {
		leaf(5);
		return thrown;
	}
	return 0;
}

TRACED void yield(int what)
{
	due one;

	value = what;
	if (is_on_top)
		ontop_fcontext(&main_context, nullptr, throw_there);
	else
		co_switch(&main_context);
	leaf(6);
}

TRACED void deeper(int depth, int what)
{
	due one;

	if (depth)
		deeper(depth - 1, what);
	else
		yield(what);
	KEEP;
}

TRACED void generate()
{
	for (int i = 0;; i++)
		deeper(i % 7, i);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "turns";
	int sum = 0;

	is_on_top = strcmp(what, "throws") == 0;
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = sizeof stack;
	makecontext(&other_context, generate, 0);
	for (int i = 0; i < 100; i++)
		sum += is_on_top ? resume_and_catch() : strcmp(what, "branches") == 0 ? resume_or_not(i) : resume();
	printf("%d %d\n", sum, released);
	return 0;
}
#endif
