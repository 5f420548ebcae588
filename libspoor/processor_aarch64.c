/* SPDX-License-Identifier: MIT */
/* processor_aarch64.c - vectors of any length, and additions of one instruction. */
#include "processor.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "counts.h"
#include "event_path.h"

/* For assembly: whether the scalable vectors' registers are there. */
uint32_t spoor_has_sve;

SPOOR_TRAMPOLINES(log_lse);
extern const char spoor_log_lse_framed[], spoor_log_lse_unwind[], spoor_count_lse_entry[];
SPOOR_TRAMPOLINES(any_simd);
SPOOR_TRAMPOLINES(any_sve);

static int has_additions(void)
{
	return (getauxval(AT_HWCAP) & HWCAP_ATOMICS) != 0;
}

void spoor_processor_begin(void)
{
	spoor_has_sve = (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
}

const struct spoor_trampolines *spoor_any_trampolines(void)
{
	static const struct spoor_trampolines simd = SPOOR_TRAMPOLINES_OF(any_simd), sve = SPOOR_TRAMPOLINES_OF(any_sve);

	return spoor_has_sve ? &sve : &simd;
}

const void *spoor_best_trampoline(const void *trampoline)
{
	static const char *const pairs[][2] = {
		{ spoor_log_entry, spoor_log_lse_entry },
		{ spoor_log_exit, spoor_log_lse_exit },
		{ spoor_log_tail, spoor_log_lse_tail },
		{ spoor_log_framed, spoor_log_lse_framed },
		{ spoor_log_unwind, spoor_log_lse_unwind },
		{ spoor_count_entry, spoor_count_lse_entry },
	};

	for (size_t i = 0; has_additions() && i < sizeof(pairs) / sizeof(*pairs); i++)
		if (trampoline == (const void *)pairs[i][0])
			return pairs[i][1];
	return trampoline;
}
