/* SPDX-License-Identifier: MIT */
/* slot_values.h - functions whose arguments and results are passed in every way that the calling convention has. */
#ifndef SLOT_VALUES_H
#define SLOT_VALUES_H

#include <complex.h>
#include <stdarg.h>

struct large { int a[20]; };
struct pair { double x, y; };
struct small { float f; char c; };
struct longest { long double l; int i; };
struct __attribute__((aligned(32))) aligned { int a[8]; };
typedef float four __attribute__((vector_size(16)));
#ifdef __AVX__
typedef double wide __attribute__((vector_size(32)));
wide value_wide(wide a, wide b);
#endif

struct large value_large(struct large b, int n);
struct pair value_pair(struct pair p, float f, struct small s);
struct small value_small(struct small s, char c, short h, _Bool b, unsigned char u);
struct longest value_longest(struct longest v, long double x, __int128 i);
double _Complex value_complex(double _Complex c, float _Complex d);
long double _Complex value_long_complex(long double _Complex c);
four value_four(four a, int i);
struct aligned value_aligned(int a, struct aligned o, int b);
long value_many(long a, long b, long c, long d, long e, long f, long g, int h, char i, double j, struct large k, float l);
double value_varying(int n, ...);
signed char value_narrow(signed char a, unsigned short b);
int value_weak(int a) __attribute__((weak));
int value_missing(int a) __attribute__((weak));
void *value_caller(void);

/* How often the functions above were called. */
int values_called(void);

#endif
