/* SPDX-License-Identifier: MIT */
/* slot_values_library.c - the functions of slot_values.h: a library without sleds that counts its calls. */
#include "slot_values.h"

static int called;

int values_called(void)
{
	return called;
}

struct large value_large(struct large b, int n)
{
	called++;
	for (int i = 0; i < 20; i++)
		b.a[i] += n;
	return b;
}

struct pair value_pair(struct pair p, float f, struct small s)
{
	called++;
	return (struct pair){ p.x + f, p.y + s.f + s.c };
}

struct small value_small(struct small s, char c, short h, _Bool b, unsigned char u)
{
	called++;
	return (struct small){ s.f + c + h + b + u, s.c + 1 };
}

struct longest value_longest(struct longest v, long double x, __int128 i)
{
	called++;
	return (struct longest){ v.l + x, v.i + (int)(i >> 64) };
}

double _Complex value_complex(double _Complex c, float _Complex d)
{
	called++;
	return c * d;
}

long double _Complex value_long_complex(long double _Complex c)
{
	called++;
	return c * c;
}

four value_four(four a, int i)
{
	called++;
	return a * (float)i;
}

#ifdef __AVX__
wide value_wide(wide a, wide b)
{
	called++;
	return a + b;
}
#endif

struct aligned value_aligned(int a, struct aligned o, int b)
{
	called++;
	if ((unsigned long)&o % 32)
		o.a[7] = -1;
	o.a[0] += a + b;
	return o;
}

long value_many(long a, long b, long c, long d, long e, long f, long g, int h, char i, double j, struct large k, float l)
{
	called++;
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + (long)j + k.a[19] + (long)l;
}

double value_varying(int n, ...)
{
	double sum = 0;
	va_list list;

	called++;
	va_start(list, n);
	for (int i = 0; i < n; i++) {
		struct large b;
		struct pair p;

		switch (i % 5) {
		case 0: sum += va_arg(list, int); break;
		case 1: sum += va_arg(list, double); break;
		case 2: b = va_arg(list, struct large); sum += b.a[3]; break;
		case 3: sum += (double)va_arg(list, long double); break;
		default: p = va_arg(list, struct pair); sum += p.x * p.y;
		}
	}
	va_end(list);
	return sum;
}

signed char value_narrow(signed char a, unsigned short b)
{
	called++;
	return (signed char)(a - b);
}

int value_weak(int a)
{
	called++;
	return a + 1;
}

void *value_caller(void)
{
	called++;
	return __builtin_return_address(0);
}
