/* SPDX-License-Identifier: MIT */
/* probe_sites.c - from a file's notes of static tracepoints to what is read at each. */
#define _GNU_SOURCE
#include <string.h>

#include "breakpoint.h"
#include "elf_image.h"
#include "keep.h"
#include "message.h"
#include "probe.h"
#include "probe_notes.h"
#include "trace_format.h"

struct operands {
	struct sdt_operand list[SPOOR_TRACEPOINT_ARGUMENTS_MAX];
	uint16_t count, relative;
	uint64_t types;
	bool uses_vectors;
};

static uint64_t type_of(const struct sdt_operand *operand)
{
	uint64_t type = (uint64_t)__builtin_ctz(operand->size);

	if (operand->is_real)
		return type | SPOOR_ARGUMENT_REAL;
	return type | (operand->has_sign ? SPOOR_ARGUMENT_SIGNED : 0);
}

/* Return: null, or why they cannot be read. */
static const char *read_operands(struct operands *operands, const char *text, const struct spoor_elf_file *file)
{
	const char *rest = text + strspn(text, " ");

	while (*rest) {
		struct sdt_operand *operand = &operands->list[operands->count];
		uint64_t address;

		if (operands->count == SPOOR_TRACEPOINT_ARGUMENTS_MAX)
			return "it has more than 12 arguments";
		if (!sdt_operand_parse(operand, rest, SPOOR_BREAKPOINT_MACHINE, &rest))
			return "nobody knows how to read one of its operands";
		if (operand->symbol) {
			if (!spoor_elf_file_symbol(file, operand->symbol, operand->symbol_length, &address))
				return "the file does not say where a variable is that it refers to";
			sdt_operand_place(operand, address);
			operands->relative |= (uint16_t)(1u << operands->count);
		}
		if (!sdt_operand_is_placed(operand, SPOOR_BREAKPOINT_MACHINE))
			return "one of its operands is where nobody can look";
		/* Of AArch64's general registers some have such numbers as well: no harm. */
		operands->uses_vectors |= operand->kind == SDT_REGISTER && operand->base > 16;
		operands->types |= type_of(operand) << 4 * operands->count;
		operand->text = NULL;
		operands->count++;
	}
	operands->types |= (uint64_t)operands->count << SPOOR_SDT_TYPES_SHIFT;
	return NULL;
}

static struct spoor_probe_site *site_new(const struct stapsdt_note *note, const struct spoor_elf_file *file)
{
	struct operands operands = { 0 };
	const char *obstacle = read_operands(&operands, note->operands, file);
	struct spoor_probe_site *site = spoor_keep(sizeof(*site) + operands.count * sizeof(site->operands[0]));
	const uint8_t *code = spoor_elf_file_loaded(file, note->address, SPOOR_BREAKPOINT_BYTES);

	if (!site)
		return NULL;
	site->address = note->address;
	site->semaphore = (uint16_t *)(uintptr_t)note->semaphore;
	site->types = operands.types;
	site->count = operands.count;
	site->relative = operands.relative;
	site->uses_vectors = operands.uses_vectors;
	memcpy(site->operands, operands.list, operands.count * sizeof(operands.list[0]));
	if (code) {
		const uint8_t *five = spoor_elf_file_loaded(file, note->address, 5);

		site->nop_bytes = (uint8_t)spoor_breakpoint_nop(code, five ? 5 : SPOOR_BREAKPOINT_BYTES);
	}
	site->obstacle = obstacle ? obstacle : site->nop_bytes ? NULL : "there is no nop";
	site->probe.size = sizeof(site->probe);
	site->probe.semaphore = &site->gate;
	site->probe.provider = spoor_keep_text(note->provider);
	site->probe.name = spoor_keep_text(note->name);
	return site->probe.provider && site->probe.name ? site : NULL;
}

struct spoor_probe_site *spoor_probe_sites_read(const struct spoor_elf_file *file, const char *path)
{
	struct spoor_probe_site *first = NULL, **last = &first;
	struct spoor_probe_notes notes;
	struct stapsdt_note note;

	if (!spoor_probe_notes_begin(&notes, file))
		return NULL;
	while (spoor_probe_notes_next(&notes, &note)) {
		struct spoor_probe_site *site;

		if (spoor_probe_semaphore_is_ours(file, note.semaphore))
			continue;
		site = site_new(&note, file);
		if (!site) {
			spoor_message("there is no room for all tracepoints of %.500s", path);
			break;
		}
		*last = site;
		last = &site->next;
	}
	if (notes.wrong)
		spoor_message("%.500s: %u notes of tracepoints make no sense, and are left out", path, notes.wrong);
	return first;
}
