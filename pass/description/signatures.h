/* SPDX-License-Identifier: MIT */
/* signatures.h - describes the arguments and results of a unit's functions (format/signature_format.h). */
#ifndef SPOOR_SIGNATURES_H
#define SPOOR_SIGNATURES_H

#include <llvm-c/Core.h>

#include <stddef.h>
#include <stdint.h>

struct signatures {
	LLVMModuleRef module;
	uint8_t flags;		/* enum spoor_signature_flags of all functions */
	uint8_t *bytes;
	size_t size, room;
};

void signatures_begin(struct signatures *signatures, LLVMModuleRef module);

/*
 * signatures_add - describes a function in its final form.
 * @id: content hash of its unit in the upper half, and its position in the lower half
 *
 * Returns 0 or -ENOMEM.
 */
int signatures_add(struct signatures *signatures, LLVMValueRef function, uint64_t id);

/* Adds the section to the object file. Returns 0 or -ENOMEM. */
int signatures_embed(const struct signatures *signatures);
void signatures_end(struct signatures *signatures);

#endif
