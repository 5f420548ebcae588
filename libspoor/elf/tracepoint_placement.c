/* SPDX-License-Identifier: MIT */
/* tracepoint_placement.c - decides from a file whether a breakpoint can replace a static tracepoint's nop. */
#define _GNU_SOURCE
#include "elf/tracepoint_placement.h"

#include <string.h>

#include "elf/breakpoint.h"
#include "spoor/sdt.h"

bool spoor_probe_segment_holds(const struct dl_phdr_info *object, const ElfW(Phdr) *segment, uintptr_t address)
{
	return address - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz;
}

const ElfW(Phdr) *spoor_probe_segment_of(const struct dl_phdr_info *object, uintptr_t address)
{
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_LOAD && spoor_probe_segment_holds(object, &object->dlpi_phdr[i], address))
			return &object->dlpi_phdr[i];
	return NULL;
}

bool spoor_probe_text_has(const struct dl_phdr_info *object, uintptr_t address)
{
	const ElfW(Phdr) *segment = spoor_probe_segment_of(object, address);

	/* The longest nop fits into the segment, and on AArch64 the address is aligned. */
	return segment && segment->p_flags & PF_X && segment->p_flags & PF_R && !(address % SPOOR_BREAKPOINT_BYTES) &&
	       segment->p_memsz - (address - (object->dlpi_addr + segment->p_vaddr)) >= 8;
}

bool spoor_probe_data_has(const struct dl_phdr_info *object, uintptr_t address)
{
	const ElfW(Phdr) *segment = spoor_probe_segment_of(object, address);

	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_GNU_RELRO && spoor_probe_segment_holds(object, &object->dlpi_phdr[i], address))
			return false;
	return segment && segment->p_flags & PF_W && !(address % sizeof(uint16_t));
}

static uint64_t type_of(const struct sdt_operand *operand)
{
	uint64_t type = (uint64_t)__builtin_ctz(operand->size);

	if (operand->is_real)
		return type | SPOOR_ARGUMENT_REAL;
	return type | (operand->has_sign ? SPOOR_ARGUMENT_SIGNED : 0);
}

const char *spoor_probe_operands_read(struct spoor_probe_operands *operands, const char *text, const struct spoor_elf_file *file)
{
	const char *rest = text + strspn(text, " ");

	while (*rest) {
		struct sdt_operand *operand = &operands->list[operands->count];
		uint64_t address;

		if (operands->count == SPOOR_TRACEPOINT_ARGUMENTS_MAX)
			return "it has more than 12 arguments";
		if (!sdt_operand_parse(operand, rest, SPOOR_BREAKPOINT_MACHINE, &rest))
			return "the syntax of one of its operands is unknown";
		if (operand->symbol) {
			if (!spoor_elf_file_symbol(file, operand->symbol, operand->symbol_length, &address))
				return "the file has no symbol for a variable in an operand";
			sdt_operand_place(operand, address);
			operands->relative |= (uint16_t)(1u << operands->count);
		}
		if (!sdt_operand_is_placed(operand, SPOOR_BREAKPOINT_MACHINE))
			return "one of its operands is in a register that cannot be read";
		/* Some general registers of AArch64 have such numbers too; then the vectors are read without
		 * need. */
		operands->uses_vectors |= operand->kind == SDT_REGISTER && operand->base > 16;
		operands->types |= type_of(operand) << 4 * operands->count;
		operand->text = NULL;
		operands->count++;
	}
	operands->types |= (uint64_t)operands->count << SPOOR_SDT_TYPES_SHIFT;
	return NULL;
}

uint8_t spoor_probe_nop(const struct spoor_elf_file *file, uint64_t address)
{
	const uint8_t *five = spoor_elf_file_loaded(file, address, 5);
	const uint8_t *code = five ? five : spoor_elf_file_loaded(file, address, SPOOR_BREAKPOINT_BYTES);

	return code ? (uint8_t)spoor_breakpoint_nop(code, five ? 5 : SPOOR_BREAKPOINT_BYTES) : 0;
}

const char *spoor_probe_obstacle(const struct spoor_elf_file *file, const struct stapsdt_note *note)
{
	const ElfW(Ehdr) *header = (const void *)file->bytes;
	struct spoor_probe_operands operands = { 0 };
	struct dl_phdr_info object = { .dlpi_phnum = header->e_phnum };
	const char *obstacle;

	if (header->e_machine != SPOOR_BREAKPOINT_MACHINE)
		return "its file is for another machine";
	obstacle = spoor_probe_operands_read(&operands, note->operands, file);
	if (obstacle)
		return obstacle;
	if (!spoor_probe_nop(file, note->address))
		return SPOOR_PROBE_NO_NOP;
	if (header->e_phoff > file->size || (file->size - header->e_phoff) / sizeof(ElfW(Phdr)) < header->e_phnum ||
	    header->e_phoff % _Alignof(ElfW(Phdr)))
		return SPOOR_PROBE_NOT_IN_TEXT;
	object.dlpi_phdr = (const void *)(file->bytes + header->e_phoff);
	if (!spoor_probe_text_has(&object, note->address))
		return SPOOR_PROBE_NOT_IN_TEXT;
	if (note->semaphore && !spoor_probe_data_has(&object, note->semaphore))
		return SPOOR_PROBE_SEMAPHORE_NOT_IN_DATA;
	return NULL;
}
