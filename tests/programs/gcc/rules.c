/* SPDX-License-Identifier: MIT */
/*
 * rules.c - functions that a plugin for sleds can break: each prints what it computes.
 *
 * Sleds clobber a register and write below the stack pointer, and come before the prologue, at returns and at tail
 * calls. What each function is there for is the word before it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline, noclone))

/* Register allocation across functions (-fipa-ra): all registers are in use around a call of a leaf. */
static APART long leaf(long a)
{
	return a * 3 ^ 5;
}

APART static long pressure(const long *p)
{
	long a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = p[6], h = p[7], i = p[8], j = p[9];

	for (int n = 0; n < 4; n++) {
		a += leaf(n); b ^= a; c += b; d ^= c; e += d; f ^= e; g += f; h ^= g; i += h; j ^= i;
	}
	return a + b + c + d + e + f + g + h + i + j;
}

/* The same with vector registers. */
static APART double scale(double x)
{
	return x * 1.5;
}

APART static double vectors(const double *p)
{
	double a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = p[6], h = p[7], i = p[8], j = p[9];

	for (int n = 0; n < 4; n++) {
		a += scale(n); b += a; c -= b; d += c; e -= d; f += e; g -= f; h += g; i -= h; j += i;
	}
	return a + b + c + d + e + f + g + h + i + j;
}

/* Nested functions have their frame in a register (the static chain). */
APART static int apply(int (*f)(int), int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += f(i);
	return sum;
}

APART int nested(int k)
{
	int calls = 0;
	auto int inner(int x);

	int inner(int x)
	{
		calls++;
		return x * k;
	}
	return apply(inner, 4) + calls;
}

APART int after(int x)
{
	__asm__ volatile("");
	return x;
}

/* A shrink-wrapped prologue, and an exit in the cold part. */
__attribute__((cold)) APART void coldly(int x)
{
	printf("cold %d\n", x);
}

APART int wrapped(int x, int y)
{
	if (x > 1000) {
		coldly(x);
		return after(y) + after(x);
	}
	return x;
}

/* A loop that begins with the function. */
APART int loops(int *p)
{
	do
		--*p;
	while (*p > 3);
	return *p;
}

APART double sum(int n, ...)
{
	va_list list;
	double total = 0;

	va_start(list, n);
	for (int i = 0; i < n; i++)
		total += va_arg(list, double);
	va_end(list);
	return total;
}

#ifdef __x86_64__
__attribute__((naked)) int left_naked(void)
{
	__asm__("movl $1, %eax\n\tret");
}

__attribute__((ms_abi)) APART int left_ms(int a, double b)
{
	return after(a) + (int)b;
}

__attribute__((target_clones("avx2", "default"), noinline)) int cloned(const int *p, int n)
{
	int total = 0;

	for (int i = 0; i < n; i++)
		total += p[i];
	return total;
}

APART int jumps(int x)
{
	__asm__ goto("test %0, %0\n\tjz %l1" : : "r"(x) : : done);
	return after(x);
done:
	return 42;
}
#else
#define left_naked() 1
#define left_ms(a, b) (after(a) + (int)(b))

APART int cloned(const int *p, int n)
{
	int total = 0;

	for (int i = 0; i < n; i++)
		total += p[i];
	return total;
}

APART int jumps(int x)
{
	__asm__ goto("cbz %w0, %l1" : : "r"(x) : : done);
	return after(x);
done:
	return 42;
}
#endif

/* An ifunc, whose resolver runs before the C library is ready. */
typedef int (*implementation)(int);

static APART int implemented(int x)
{
	return x + 1;
}

static implementation left_resolver(void)
{
	return implemented;
}

int resolved(int x) __attribute__((ifunc("left_resolver")));

/* Tail calls: of another function, of a pointer, of a table in the function's own frame. */
APART int even(int n);

APART int odd(int n)
{
	return n ? even(n - 1) : 0;
}

APART int even(int n)
{
	return n ? odd(n - 1) : 1;
}

APART int through(int (*f)(int), int x)
{
	return f(x + 1);
}

APART int framed(int which, int x)
{
	int (*volatile table[4])(int) = {after, implemented, after, implemented};

	return table[which & 3](x);
}

APART _Complex long double complexly(int x)
{
	return x + 1.0i * x;
}

struct big {
	int a[20];
};

APART struct big bigly(int x)
{
	struct big big = {{x}};

	return big;
}

APART static __int128 wide(__int128 x)
{
	return x * 3;
}

/* Never returns, and is left by a jump. */
static jmp_buf place;

__attribute__((noreturn)) APART static void leaves(int n)
{
	if (n)
		leaves(n - 1);
	longjmp(place, 7);
}

APART static int jumped(void)
{
	if (setjmp(place))
		return after(9);
	leaves(2);
}

int main(void)
{
	const double reals[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8}, down = 9;
	long longs[10];

	for (int i = 0; i < 10; i++)
		longs[i] = i * 77 + 1;
	printf("%ld %g %d\n", pressure(longs), vectors(reals), nested(3));
	printf("%d %d %d\n", wrapped(3, 4), wrapped(2000, 5), loops(&down));
	printf("%g %d %d %d %d %d\n", sum(3, 1.0, 2.0, 3.5), left_naked(), left_ms(2, 3.0), cloned(numbers, 8), jumps(0), jumps(5));
	printf("%d %d %d %d %d\n", resolved(4), odd(11), even(10), through(after, 7), framed(2, 5));
	printf("%g %d %d %d\n", (double)__real__ complexly(3), bigly(9).a[0], (int)wide(5), jumped());
	return 0;
}
