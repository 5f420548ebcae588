/* SPDX-License-Identifier: MIT */
/* processor.h - what differs between processors of one architecture. */
#ifndef SPOOR_PROCESSOR_H
#define SPOOR_PROCESSOR_H

#include <link.h>

/* Asks what there is, once, before the first event. */
void spoor_processor_begin(void);

struct spoor_trampolines {
	const void *entry, *exit, *tail;
};
#define SPOOR_TRAMPOLINES_OF(set) { spoor_##set##_entry, spoor_##set##_exit, spoor_##set##_tail }

/* Those that keep all the vector registers there are, for a handler of any C. */
const struct spoor_trampolines *spoor_any_trampolines(void);

/* The one that does the same as @trampoline, as well as this processor can. */
const void *spoor_best_trampoline(const void *trampoline);

/* What mprotect(2) has to be told of a module's text besides its segments' flags, so that it stays
 * what the dynamic linker made it, and trampolines can read what they must. */
int spoor_text_protection(const ElfW(Phdr) *segments, size_t count, uintptr_t load_bias);

#endif
