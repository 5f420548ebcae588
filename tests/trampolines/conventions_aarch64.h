/* SPDX-License-Identifier: MIT */
/* conventions_aarch64.h - the calling conventions that only AArch64 has. */
#ifndef CONVENTIONS_AARCH64_H
#define CONVENTIONS_AARCH64_H

#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

#ifdef __ARM_FEATURE_SVE
#include <arm_sve.h>
#endif

#define READ_CHAIN(chain) __asm__ volatile("mov %0, x15" : "=r"(chain))

NOINLINE float64x2_t eight_vectors(float64x2_t a, float64x2_t b, float64x2_t c, float64x2_t d, float64x2_t e, float64x2_t f,
				   float64x2_t g, float64x2_t h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

/* Returns its result in four registers. */
NOINLINE float64x2x4_t in_v0_to_v3(float64x2_t a)
{
	return (float64x2x4_t){ { a, a * 2, a * 3, a * 4 } };
}

/* Callers keep whole vectors in v8 to v23. */
__attribute__((aarch64_vector_pcs)) NOINLINE float64x2_t vector_call(float64x2_t a)
{
	return a + 1;
}

__attribute__((aarch64_vector_pcs)) PLAIN static float64x2_t vector_caller(float64x2_t a)
{
	float64x2_t kept[12];

	for (int i = 0; i < 12; i++) {
		kept[i] = a + i;
		__asm__ volatile("" : "+w"(kept[i]));
	}
	a = vector_call(a);
	for (int i = 0; i < 12; i++)
		a += kept[i];
	return a;
}

#ifdef __ARM_FEATURE_SVE
NOINLINE svfloat64_t scalable(svbool_t which, svfloat64_t a, svfloat64_t b)
{
	return svadd_f64_m(which, a, b);
}

/* Has to keep z8 to z23 and p4 to p15 for its caller. */
PLAIN static svfloat64_t scalable_caller(svbool_t which, svfloat64_t a)
{
	svfloat64_t b = svadd_n_f64_x(svptrue_b64(), a, 1), c = svadd_n_f64_x(svptrue_b64(), a, 2);
	svbool_t other = svnot_b_z(svptrue_b64(), which);
	svfloat64_t sum;

	__asm__ volatile("" : "+w"(b), "+w"(c));
	sum = scalable(which, a, a);
	sum = scalable(other, sum, b);
	return svadd_f64_x(svptrue_b64(), svadd_f64_x(svptrue_b64(), sum, b), c);
}

PLAIN static void call_scalable(double x)
{
	svbool_t which = svwhilelt_b64(0, 1);
	double sums[svcntd()];

	svst1_f64(svptrue_b64(), sums, scalable_caller(which, svdup_n_f64(x)));
	/* The first lane gets a, all others b. */
	EXPECT(sums[0], x + x + (x + 1) + (x + 2));
	for (unsigned int i = 1; i < svcntd(); i++)
		EXPECT(sums[i], x + (x + 1) + (x + 1) + (x + 2));
}
#endif

#ifdef __ARM_FEATURE_SME
/* A system call ends the streaming mode. streams() runs in that mode, and may_stream() may, so neither
 * has events. streams_within() enters the mode after its entry. */
NOINLINE long streams(long x) __arm_streaming
{
	return x + 1;
}
NOINLINE long may_stream(long x) __arm_streaming_compatible
{
	return x + 2;
}
__arm_locally_streaming NOINLINE long streams_within(long x)
{
	return x + 3;
}

__arm_locally_streaming PLAIN static long streaming_caller(long x)
{
	return streams_within(may_stream(streams(x)));
}
#endif

PLAIN static void call_machines(double x)
{
	float64x2_t vector = { x, 1 }, sum;
	float64x2x4_t four;

	sum = eight_vectors(vector, vector, vector, vector, vector, vector, vector, vector);
	EXPECT(sum[0], 36 * x);
	EXPECT(sum[1], 36);
	four = in_v0_to_v3(vector);
	for (int i = 0; i < 4; i++)
		EXPECT(four.val[i][0], x * (i + 1));
	sum = vector_caller(vector);
	EXPECT(sum[0], 13 * x + 67);
	EXPECT(sum[1], 13 + 67);
#ifdef __ARM_FEATURE_SVE
	if (getauxval(AT_HWCAP) & HWCAP_SVE)
		call_scalable(x);
#endif
#ifdef __ARM_FEATURE_SME
	if (getauxval(AT_HWCAP2) & HWCAP2_SME)
		EXPECT(streaming_caller(1), 7);
#endif
}

#endif
