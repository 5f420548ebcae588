/* SPDX-License-Identifier: MIT */
/*
 * switches.c - switches between stacks with swapcontext. The calls of each stack nest separately,
 * and time counts for the stack that runs.
 *
 *   generators  main receives 100 numbers from each of four coroutines, in turn; each is in a
 *               recursion of another depth when it gives a number
 *   ring        three coroutines, each of which switches to the next one, and at last to main
 *   time        a coroutine works for 20 ms each time, in five pieces; main 2 ms in between
 *   nested      a coroutine that has a coroutine
 *   left        a coroutine that never ends, then another one on the same stack
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "../common/work.h"

#define STACK_BYTES (64 << 10)
#define COUNT 4

struct coroutine {
	ucontext_t own, caller;
	char *stack;
	int number, value;
	struct coroutine *next;
};

static struct coroutine coroutines[COUNT];
static ucontext_t at_last;

UNTRACED static void work_ms(int ms)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000l + now.tv_nsec - begin.tv_nsec < ms * 1000000l);
}

TRACED void leaf(void)
{
	KEEP;
}

TRACED int resume(struct coroutine *coroutine)
{
	leaf();
	swapcontext(&coroutine->caller, &coroutine->own);
	leaf();
	return coroutine->value;
}

/* The last action of this function is the switch. */
TRACED int yield(struct coroutine *coroutine, int value)
{
	coroutine->value = value;
	return swapcontext(&coroutine->own, &coroutine->caller);
}

TRACED void go_deep(struct coroutine *coroutine, int depth, int value)
{
	if (depth)
		go_deep(coroutine, depth - 1, value);
	else
		yield(coroutine, value);
	leaf();
}

TRACED void generate(int number)
{
	struct coroutine *coroutine = &coroutines[number];

	for (int i = 0; i < 100; i++)
		go_deep(coroutine, number, i * COUNT + number);
	leaf();
}

TRACED void pass_on(int number)
{
	struct coroutine *coroutine = &coroutines[number];

	for (int i = 0; i < 50; i++) {
		leaf();
		swapcontext(&coroutine->own, &coroutine->next->own);
		leaf();
	}
}

TRACED void work_in_pieces(int number)
{
	for (int i = 0; i < 5; i++) {
		work_ms(20);
		yield(&coroutines[number], i);
	}
}

TRACED void outer(int number)
{
	for (int i = 0; i < 10; i++)
		yield(&coroutines[number], resume(&coroutines[number + 1]) + 1);
}

TRACED void inner(int number)
{
	for (int i = 0; i < 10; i++)
		go_deep(&coroutines[number], i, i);
}

UNTRACED static void make(int number, void (*function)(int), ucontext_t *link)
{
	struct coroutine *coroutine = &coroutines[number];

	if (!coroutine->stack)
		coroutine->stack = malloc(STACK_BYTES);
	coroutine->number = number;
	coroutine->next = &coroutines[(number + 1) % 3];
	getcontext(&coroutine->own);
	coroutine->own.uc_stack = (stack_t){ .ss_sp = coroutine->stack, .ss_size = STACK_BYTES };
	coroutine->own.uc_link = link;
	makecontext(&coroutine->own, (void (*)(void))function, 1, number);
}

TRACED int run(const char *what)
{
	int sum = 0;

	if (strcmp(what, "generators") == 0) {
		for (int i = 0; i < COUNT; i++)
			make(i, generate, &coroutines[i].caller);
		for (int i = 0; i < 101 * COUNT; i++)
			sum += resume(&coroutines[i % COUNT]);
	} else if (strcmp(what, "ring") == 0) {
		for (int i = 0; i < 3; i++)
			make(i, pass_on, i == 2 ? &at_last : &coroutines[i + 1].own);
		swapcontext(&at_last, &coroutines[0].own);
	} else if (strcmp(what, "time") == 0) {
		make(0, work_in_pieces, &coroutines[0].caller);
		for (int i = 0; i < 5; i++) {
			sum += resume(&coroutines[0]);
			work_ms(2);
		}
	} else if (strcmp(what, "nested") == 0) {
		make(0, outer, &coroutines[0].caller);
		make(1, inner, &coroutines[1].caller);
		for (int i = 0; i < 11; i++)
			sum += resume(&coroutines[0]);
	} else if (strcmp(what, "left") == 0) {
		for (int i = 0; i < 20; i++) {
			make(0, generate, &coroutines[0].caller);
			sum += resume(&coroutines[0]);
			sum += resume(&coroutines[0]);
		}
	}
	return sum;
}

int main(int argc, char **argv)
{
	printf("%d\n", argc > 1 ? run(argv[1]) : 0);
	for (int i = 0; i < COUNT; i++)
		free(coroutines[i].stack);
	return 6;
}
