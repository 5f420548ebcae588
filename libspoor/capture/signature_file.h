/* SPDX-License-Identifier: MIT */
/* signature_file.h - finds the descriptions of a module's functions in the module's file. */
#ifndef SPOOR_SIGNATURE_FILE_H
#define SPOOR_SIGNATURE_FILE_H

#include "elf/elf_image.h"
#include "module/registry.h"

struct spoor_signature_file {
	struct spoor_elf_file file;
	const uint8_t *bytes;	/* of the section */
	uint64_t size;
	void *memory;
	size_t memory_bytes;
	uint32_t *offsets;	/* by local ID: of the description in the section, + 1; 0: none */
	uint64_t *exported;	/* functions that other modules can call; bits by local ID */
};

/*
 * spoor_signature_file_open - opens the module's file, and finds the descriptions of the functions in @wanted.
 * @wanted: bits by local ID
 *
 * Return: 0; -ENOENT if the module's file is gone or another one; -ENODATA if it has no descriptions; or -ENOMEM.
 * Only after 0 the file must be closed.
 */
int spoor_signature_file_open(struct spoor_signature_file *file, const struct spoor_instance *instance,
			      const uint64_t *wanted);

/* Returns the description of a function from its flags on, and its @length; null if there is none. */
const uint8_t *spoor_signature_file_find(const struct spoor_signature_file *file, uint32_t local, size_t *length);
void spoor_signature_file_close(struct spoor_signature_file *file);

#endif
