/* SPDX-License-Identifier: MIT */
/*
 * tracepoint_placement.h - whether a breakpoint can stand for the nop of a static tracepoint, by what its file says: for
 * the runtime, and for `spoor tracepoints list`, which are to say the same.
 */
#ifndef SPOOR_PROBE_PLACE_H
#define SPOOR_PROBE_PLACE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_image.h"
#include "elf/sdt_operand.h"
#include "elf/stapsdt_note.h"
#include "format/trace_format.h"

struct dl_phdr_info;	/* link.h has it for _GNU_SOURCE alone */

#define SPOOR_PROBE_NO_NOP "there is no nop"
#define SPOOR_PROBE_NOT_IN_TEXT "its address is not in the text"
#define SPOOR_PROBE_SEMAPHORE_NOT_IN_DATA "its semaphore is not in the data"

struct spoor_probe_operands {
	struct sdt_operand list[SPOOR_TRACEPOINT_ARGUMENTS_MAX];
	uint16_t count;
	uint16_t relative;	/* bits: the number moves with the module */
	uint64_t types;		/* as spoor/sdt.h hands them over */
	bool uses_vectors;
};

/* @operands is all 0. Return: null, or why they cannot be read. */
const char *spoor_probe_operands_read(struct spoor_probe_operands *operands, const char *text,
				      const struct spoor_elf_file *file);

/* How long the nop is that the file has there; 0: none that is known. */
uint8_t spoor_probe_nop(const struct spoor_elf_file *file, uint64_t address);

/* Return: null, or why a file's tracepoint cannot have a breakpoint. @file is whole, as
 * spoor_elf_file_open leaves it. */
const char *spoor_probe_obstacle(const struct spoor_elf_file *file, const struct stapsdt_note *note);

/* What is loaded where an address is; null for nothing. */
const ElfW(Phdr) *spoor_probe_segment_of(const struct dl_phdr_info *object, uintptr_t address);
bool spoor_probe_segment_holds(const struct dl_phdr_info *object, const ElfW(Phdr) *segment, uintptr_t address);

/* Whether the module has code there, in a segment that can be read. */
bool spoor_probe_text_has(const struct dl_phdr_info *object, uintptr_t address);

/* Whether it has data there that stays writable. */
bool spoor_probe_data_has(const struct dl_phdr_info *object, uintptr_t address);

#endif
