/* SPDX-License-Identifier: MIT */
/* processor.h - selects code by the features of the processor. */
#ifndef SPOOR_PROCESSOR_H
#define SPOOR_PROCESSOR_H

#include <link.h>

/* Detects the features. Call once, before the first event. */
void spoor_processor_begin(void);

struct spoor_trampolines {
	const void *entry, *exit, *tail;
};
#define SPOOR_TRAMPOLINES_OF(set) { spoor_##set##_entry, spoor_##set##_exit, spoor_##set##_tail }

/* Returns trampolines that preserve all vector registers of the processor, for any C handler. */
const struct spoor_trampolines *spoor_any_trampolines(void);

/* Returns the fastest trampoline for this processor that does the same as @trampoline. */
const void *spoor_best_trampoline(const void *trampoline);

/* Returns protection flags for mprotect(2) of a module's text, in addition to its segments' flags. They keep
 * the flags that the dynamic linker set, and let trampolines read text if they must. */
int spoor_text_protection(const ElfW(Phdr) *segments, size_t count, uintptr_t load_bias);

#endif
