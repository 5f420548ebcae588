/* SPDX-License-Identifier: MIT */
/* processor_x86_64.c - detects the vector registers. */
#include "event/processor.h"

#include <cpuid.h>
#include <stdint.h>

#include "event/event_path.h"

/* Size of the vector state in bytes; 0 if the processor has only fxsave. */
uint32_t spoor_xsave_bytes;

SPOOR_TRAMPOLINES(any_sse);
SPOOR_TRAMPOLINES(any_avx);
SPOOR_TRAMPOLINES(any_avx512);

void spoor_processor_begin(void)
{
	unsigned int a, b, c, d;

	/* CPUID.1:ECX.OSXSAVE, then leaf 0xd: the size of the enabled states. */
	if (__get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 27)) && __get_cpuid_count(0xd, 0, &a, &b, &c, &d))
		spoor_xsave_bytes = (b + 63) & ~63u;
}

/* The bits of XCR0 that tell which registers the kernel keeps for a thread. Not __builtin_cpu_supports: it adds a
 * constructor that executes cpuid twenty times, and each one takes microseconds in a virtual machine. */
#define STATE_YMM (1u << 2)
#define STATE_ZMM (1u << 6)

static uint64_t enabled_states(void)
{
	uint32_t low = 0, high = 0;

	if (spoor_xsave_bytes)
		__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

const struct spoor_trampolines *spoor_any_trampolines(void)
{
	static const struct spoor_trampolines sse = SPOOR_TRAMPOLINES_OF(any_sse), avx = SPOOR_TRAMPOLINES_OF(any_avx),
					      avx512 = SPOOR_TRAMPOLINES_OF(any_avx512);

	uint64_t enabled = enabled_states();
	unsigned int a, b, c, d;

	if (!(enabled & STATE_YMM))
		return &sse;
	return (enabled & STATE_ZMM) && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX512F) ? &avx512 : &avx;
}

const void *spoor_best_trampoline(const void *trampoline)
{
	return trampoline;
}

int spoor_text_protection(const ElfW(Phdr) *segments, size_t count, uintptr_t load_bias)
{
	(void)segments;
	(void)count;
	(void)load_bias;
	return 0;
}
