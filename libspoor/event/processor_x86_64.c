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

const struct spoor_trampolines *spoor_any_trampolines(void)
{
	static const struct spoor_trampolines sse = SPOOR_TRAMPOLINES_OF(any_sse), avx = SPOOR_TRAMPOLINES_OF(any_avx),
					      avx512 = SPOOR_TRAMPOLINES_OF(any_avx512);

	return __builtin_cpu_supports("avx512f") ? &avx512 : __builtin_cpu_supports("avx") ? &avx : &sse;
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
