/* SPDX-License-Identifier: MIT */
/* data_section.h - adds data to a unit's object file that is not loaded with the program. */
#ifndef SPOOR_PASS_DATA_SECTION_H
#define SPOOR_PASS_DATA_SECTION_H

#include <llvm-c/Core.h>

#include <stddef.h>
#include <stdint.h>

/*
 * data_section_add - adds @bytes to section @name of the unit's ELF object file.
 *
 * Linkers concatenate sections with the same name, and keep this one in garbage collection.
 *
 * Returns 0, or -ENOMEM.
 */
int data_section_add(LLVMModuleRef module, const char *name, const uint8_t *bytes, size_t size);

#endif
