/* SPDX-License-Identifier: MIT */
/* processor_aarch64.c - detects scalable vectors, atomic additions (LSE) and branch targets (BTI). */
#include "event/processor.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "event/capture_path.h"
#include "event/event_path.h"

/* For assembly: nonzero if the processor has SVE registers. */
uint32_t spoor_has_sve;

SPOOR_TRAMPOLINES(log_lse);
extern const char spoor_log_lse_framed[], spoor_log_lse_unwind[], spoor_count_lse_entry[];
extern const char spoor_mixed_lse_entry[], spoor_mixed_lse_exit[], spoor_mixed_lse_framed[], spoor_mixed_lse_library_entry[];
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
		{ spoor_mixed_entry, spoor_mixed_lse_entry },
		{ spoor_mixed_exit, spoor_mixed_lse_exit },
		{ spoor_mixed_framed, spoor_mixed_lse_framed },
		{ spoor_mixed_library_entry, spoor_mixed_lse_library_entry },
	};

	for (size_t i = 0; has_additions() && i < sizeof(pairs) / sizeof(*pairs); i++)
		if (trampoline == (const void *)pairs[i][0])
			return pairs[i][1];
	return trampoline;
}

/* Tells if a module's note has a property with @bit (AAELF64, "Program Property"). */
static bool has_property(const char *at, size_t bytes, uint32_t bit)
{
	const ElfW(Nhdr) *note = (const void *)at;
	const size_t head = sizeof(*note) + sizeof("GNU");

	if (bytes < head || note->n_type != NT_GNU_PROPERTY_TYPE_0 || note->n_namesz != sizeof("GNU") ||
	    memcmp(note + 1, "GNU", sizeof("GNU")) != 0 || note->n_descsz > bytes - head)
		return false;
	at += head;
	for (size_t left = note->n_descsz; left >= 8;) {
		uint32_t words[3] = { 0 }, padded;

		memcpy(words, at, left < sizeof(words) ? left : sizeof(words));
		if (words[0] == GNU_PROPERTY_AARCH64_FEATURE_1_AND && words[1] == sizeof(uint32_t))
			return words[2] & bit;
		padded = (words[1] + 7) & ~7u;
		if (padded < words[1] || padded > left - 8)
			return false;
		at += 8 + padded;
		left -= 8 + padded;
	}
	return false;
}

/* The dynamic linker sets PROT_BTI for a module whose branches have landing pads, if the processor checks them.
 * mprotect(2) without the flag would remove it. The trampoline of a tail call reads the event's code in the
 * sled. */
int spoor_text_protection(const ElfW(Phdr) *segments, size_t count, uintptr_t load_bias)
{
	int protection = PROT_READ;

	for (size_t i = 0; i < count && getauxval(AT_HWCAP2) & HWCAP2_BTI; i++)
		if (segments[i].p_type == PT_GNU_PROPERTY &&
		    has_property((const char *)load_bias + segments[i].p_vaddr, segments[i].p_memsz,
				 GNU_PROPERTY_AARCH64_FEATURE_1_BTI))
			protection |= PROT_BTI;
	return protection;
}
