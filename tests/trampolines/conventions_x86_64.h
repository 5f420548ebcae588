/* SPDX-License-Identifier: MIT */
/* conventions_x86_64.h - the calling conventions that only x86-64 has. */
#ifndef CONVENTIONS_X86_64_H
#define CONVENTIONS_X86_64_H

#include <immintrin.h>

#define READ_CHAIN(chain) __asm__ volatile("mov %%r10, %0" : "=r"(chain))

#ifdef __AVX__
NOINLINE __m256 ymm(__m256 a, __m256 b, __m256 c, __m256 d, __m256 e, __m256 f, __m256 g, __m256 h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
#endif
#ifdef __AVX512F__
NOINLINE __m512 zmm(__m512 a, __m512 b, __m512 c, __m512 d, __m512 e, __m512 f, __m512 g, __m512 h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
#endif

__attribute__((vectorcall)) NOINLINE double vector_call(double a, __m128 b, double c, __m128 d, double e, double f)
{
	return a + b[1] + c + d[3] + e + f;
}

PLAIN static void call_machines(double x)
{
	EXPECT(vector_call(x, (__m128){ 0, 1, 2, 3 }, x, (__m128){ 4, 5, 6, 7 }, x, 1), 3 * x + 9);
#ifdef __AVX__
	__m256 wide = _mm256_set_ps(8, 7, 6, 5, 4, 3, 2, (float)x);
	__m256 wide_sum = ymm(wide, wide, wide, wide, wide, wide, wide, wide);

	for (int i = 0; i < 8; i++)
		EXPECT(wide_sum[i], 36 * wide[i]);
#endif
#ifdef __AVX512F__
	__m512 wider = _mm512_set_ps(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, (float)x);
	__m512 wider_sum = zmm(wider, wider, wider, wider, wider, wider, wider, wider);

	for (int i = 0; i < 16; i++)
		EXPECT(wider_sum[i], 36 * wider[i]);
#endif
}

#endif
