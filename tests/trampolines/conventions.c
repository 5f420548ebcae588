/* SPDX-License-Identifier: MIT */
/*
 * conventions.c - calls functions of every calling convention through clang's sleds.
 *
 * Every callee computes a value from all its arguments. Every caller keeps values in the
 * registers that its convention preserves. The results are compared with the same
 * computation without a call. Compiled with sleds and with the widest vectors that the
 * machine has.
 */
#define _GNU_SOURCE
#include <complex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clobber.h"
#include "spoor.h"

#define NOINLINE __attribute__((noinline))
#define PLAIN __attribute__((no_instrument_function, noinline))

extern int spoor_set_handler(spoor_handler *handler, unsigned int flags) __attribute__((weak));

static unsigned long calls, failures;

/* Hides the value from the optimiser. */
#define OPAQUE(value) ({ __typeof__(value) opaque_ = (value); __asm__ volatile("" : "+r"(opaque_)); opaque_; })

#define EXPECT(is, should)                                                                \
	do {                                                                              \
		calls++;                                                                  \
		if ((is) != (should) && failures++ < 20)                                  \
			fprintf(stderr, "line %d: %s is not %s\n", __LINE__, #is, #should); \
	} while (0)

#include CONVENTIONS_HEADER

/* preserve_most: the callee keeps nearly every general register, so the caller leaves its
 * values in them. */
__attribute__((preserve_most)) NOINLINE uint64_t preserve_most(uint64_t a, uint64_t b)
{
	return a * 3 + b;
}

PLAIN static uint64_t preserve_most_caller(uint64_t seed)
{
	uint64_t a = OPAQUE(seed + 1), b = OPAQUE(seed + 2), c = OPAQUE(seed + 3), d = OPAQUE(seed + 4);
	uint64_t e = OPAQUE(seed + 5), f = OPAQUE(seed + 6), g = OPAQUE(seed + 7), h = OPAQUE(seed + 8);
	uint64_t sum = preserve_most(a, b);

	sum = sum * 31 + a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g + 17 * h;
	return sum + preserve_most(sum, h) + a;
}

static uint64_t preserve_most_expected(uint64_t s)
{
	uint64_t sum = (s + 1) * 3 + s + 2;

	sum = sum * 31 + (s + 1) + 2 * (s + 2) + 3 * (s + 3) + 5 * (s + 4) + 7 * (s + 5) + 11 * (s + 6) +
	      13 * (s + 7) + 17 * (s + 8);
	return sum + sum * 3 + s + 8 + s + 1;
}

/* A preserve_most caller with an ordinary callee. */
NOINLINE uint64_t ordinary(uint64_t a)
{
	return a ^ 0x1234;
}

__attribute__((preserve_most)) NOINLINE uint64_t preserve_most_outer(uint64_t a)
{
	return ordinary(a) + 1;
}

PLAIN static uint64_t preserve_most_outer_caller(uint64_t seed)
{
	uint64_t a = OPAQUE(seed), b = OPAQUE(seed * 3), c = OPAQUE(seed * 5), d = OPAQUE(seed * 7);

	return preserve_most_outer(a) + a + b + c + d;
}

/* Nested functions and closures get a pointer in a special register. */
static NOINLINE uint64_t with_chain(uint64_t a)
{
	uint64_t *chain;

	READ_CHAIN(chain);
	return a + *chain;
}

typedef uint64_t chained(uint64_t a);

PLAIN static uint64_t call_with_chain(chained *volatile function, uint64_t a, uint64_t inner)
{
	return __builtin_call_with_static_chain(function(a), (void *)&inner);
}

/* al has the number of vector registers. */
NOINLINE double variadic(int count, ...)
{
	va_list arguments;
	double sum = 0;

	va_start(arguments, count);
	for (int i = 0; i < count; i++)
		sum += (i + 1) * va_arg(arguments, double);
	va_end(arguments);
	return sum;
}

NOINLINE long variadic_long(int count, ...)
{
	va_list arguments;
	long sum = 0;

	va_start(arguments, count);
	for (int i = 0; i < count; i++)
		sum += (i + 1) * va_arg(arguments, long);
	va_end(arguments);
	return sum;
}

/* Results in every place that results can have. */
NOINLINE long double on_x87(long double a)
{
	return a * 2 + 1;
}

NOINLINE _Complex long double two_on_x87(long double a, long double b)
{
	return a + b * (_Complex long double)_Complex_I;
}

NOINLINE __int128 in_rax_and_rdx(__int128 a)
{
	return a * 3;
}

struct two_doubles {
	double a, b;
};

struct mixed {
	double a;
	long b;
};

NOINLINE struct two_doubles in_xmm0_and_xmm1(double a, double b)
{
	return (struct two_doubles){ a + b, a - b };
}

NOINLINE struct mixed in_xmm0_and_rax(double a, long b)
{
	return (struct mixed){ a * 2, b * 2 };
}

NOINLINE double eight_doubles(double a, double b, double c, double d, double e, double f, double g, double h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

NOINLINE uint64_t nine_words(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
			     uint64_t h, uint64_t i)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

/* Tail calls; the last one has only r11 free. */
NOINLINE uint64_t tail_direct(uint64_t a)
{
	__attribute__((musttail)) return ordinary(a + 1);
}

typedef uint64_t one(uint64_t a);

NOINLINE uint64_t tail_indirect(one *function, uint64_t a);
static NOINLINE uint64_t first_of_two(one *function, uint64_t a)
{
	return (uint64_t)(function != NULL) + a;
}
typedef uint64_t two(one *function, uint64_t a);
static two *volatile first_pointer = first_of_two;
NOINLINE uint64_t tail_indirect(one *function, uint64_t a)
{
	__attribute__((musttail)) return first_pointer(function, a * 2);
}

typedef long many(int count, ...);
static many *volatile many_pointer = variadic_long;
NOINLINE long tail_variadic(int count, long a, long b, long c, long d, long e)
{
	return many_pointer(count, a, b, c, d, e);
}

/* Another convention that clang supports. */
__attribute__((swiftcall)) NOINLINE uint64_t swift_call(uint64_t a, __attribute__((swift_context)) uint64_t *context)
{
	return a + *context;
}

PLAIN static void call_all(uint64_t seed)
{
	double x = (double)(seed % 1000);
	long double st = (long double)x / 3;
	_Complex long double pair;
	struct two_doubles doubles;
	struct mixed mixed;
	uint64_t inner = seed ^ 77;

	EXPECT(preserve_most_caller(seed), preserve_most_expected(seed));
	EXPECT(preserve_most_outer_caller(seed), (seed ^ 0x1234) + 1 + seed * 16);
	EXPECT(call_with_chain(with_chain, seed, inner), seed + inner);
	EXPECT(variadic(8, x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7), 36 * x + 168);
	EXPECT(variadic_long(7, (long)x, 1l, 2l, 3l, 4l, 5l, 6l), (long)x + 112);
	EXPECT(on_x87(st), st * 2 + 1);
	pair = two_on_x87(st, st + 1);
	EXPECT(creall(pair), st);
	EXPECT(cimagl(pair), st + 1);
	EXPECT(in_rax_and_rdx((__int128)seed << 60), ((__int128)seed << 60) * 3);
	doubles = in_xmm0_and_xmm1(x, 3);
	EXPECT(doubles.a, x + 3);
	EXPECT(doubles.b, x - 3);
	mixed = in_xmm0_and_rax(x, (long)seed);
	EXPECT(mixed.a, x * 2);
	EXPECT(mixed.b, (long)seed * 2);
	EXPECT(eight_doubles(x, x, x, x, x, x, x, 1), 28 * x + 8);
	EXPECT(nine_words(seed, 1, 1, 1, 1, 1, 1, 1, seed), seed * 10 + 35);
	EXPECT(tail_direct(seed), (seed + 1) ^ 0x1234);
	EXPECT(tail_indirect(ordinary, seed), seed * 2 + 1);
	EXPECT(tail_variadic(5, 1, 2, 3, 4, (long)x), 30 + 5 * (long)x);
	EXPECT(swift_call(seed, &inner), seed + inner);
	call_machines(x);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "log";
	uint64_t handled;

	if (spoor_set_handler && strcmp(mode, "bare") == 0)
		spoor_set_handler(clobber_general, SPOOR_HANDLER_GENERAL_REGISTERS_ONLY);
	else if (spoor_set_handler && strcmp(mode, "saving") == 0)
		spoor_set_handler(clobber_nothing, SPOOR_HANDLER_SAVES_REGISTERS);
	else if (spoor_set_handler && strcmp(mode, "any") == 0)
		spoor_set_handler(clobber_all(), 0);
	handled = clobber_calls;
	for (uint64_t i = 0; i < 20000; i++)
		call_all(i * 0x9e3779b97f4a7c15ull >> 8);
	if (spoor_set_handler && strcmp(mode, "log") != 0 && clobber_calls == handled) {
		fprintf(stderr, "the handler was not called\n");
		return 1;
	}
	if (failures)
		fprintf(stderr, "%s: %lu of %lu values were wrong\n", mode, failures, calls);
	return failures ? 1 : 0;
}
