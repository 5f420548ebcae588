/* SPDX-License-Identifier: MIT */
/*
 * tracepoint_placement.h - decides whether a breakpoint can replace the nop of a static tracepoint.
 *
 * The runtime and `spoor tracepoints list` both use it, so that they agree.
 */
#ifndef SPOOR_TRACEPOINT_PLACEMENT_H
#define SPOOR_TRACEPOINT_PLACEMENT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_image.h"
#include "elf/sdt_operand.h"
#include "elf/stapsdt_note.h"
#include "format/trace_format.h"

struct dl_phdr_info;	/* link.h declares it only with _GNU_SOURCE */

#define SPOOR_PROBE_NO_NOP "there is no nop"
#define SPOOR_PROBE_NOT_IN_TEXT "its address is not in the text"
#define SPOOR_PROBE_SEMAPHORE_NOT_IN_DATA "its semaphore is not in the data"

struct spoor_probe_operands {
	struct sdt_operand list[SPOOR_TRACEPOINT_ARGUMENTS_MAX];
	uint16_t count;
	uint16_t relative;	/* bit i: the number of operand i moves with the module */
	uint64_t types;		/* in the form of spoor/sdt.h */
	bool uses_vectors;
};

/* Parses the operands of a note. @operands: all zero before. Returns null, or the reason of a failure. */
const char *spoor_probe_operands_read(struct spoor_probe_operands *operands, const char *text,
				      const struct spoor_elf_file *file);

/* Returns the length of the nop at @address in the file; 0: no known nop. */
uint8_t spoor_probe_nop(const struct spoor_elf_file *file, uint64_t address);

/* Returns null, or the reason why a file's tracepoint cannot have a breakpoint. @file: opened by
 * spoor_elf_file_open */
const char *spoor_probe_obstacle(const struct spoor_elf_file *file, const struct stapsdt_note *note);

/* Returns the loaded segment at an address, or null if there is none. */
const ElfW(Phdr) *spoor_probe_segment_of(const struct dl_phdr_info *object, uintptr_t address);
bool spoor_probe_segment_holds(const struct dl_phdr_info *object, const ElfW(Phdr) *segment, uintptr_t address);

/* Tells if the module has code at @address, in a segment that can be read. */
bool spoor_probe_text_has(const struct dl_phdr_info *object, uintptr_t address);

/* Tells if the module has data at @address that stays writable. */
bool spoor_probe_data_has(const struct dl_phdr_info *object, uintptr_t address);

#endif
