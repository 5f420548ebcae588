/* SPDX-License-Identifier: MIT */
/* source_lines.c - executes the line programs of .debug_line (DWARF 5, section 6.2). */
#include "elf/source_lines.h"

#include <errno.h>
#include <string.h>

#include "elf/line_table.h"

enum {
	LNS_COPY = 1, LNS_ADVANCE_PC, LNS_ADVANCE_LINE, LNS_SET_FILE, LNS_SET_COLUMN, LNS_NEGATE_STMT,
	LNS_SET_BASIC_BLOCK, LNS_CONST_ADD_PC, LNS_FIXED_ADVANCE_PC, LNS_SET_PROLOGUE_END,
	LNS_SET_EPILOGUE_BEGIN, LNS_SET_ISA,
};
enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS = 2 };

struct row {
	uint64_t address, file, line;
	bool is_dead;		/* in a function that the linker dropped */
};

struct run {
	struct spoor_line_table *table;
	const struct spoor_source_visitor *visitor;
	struct row row, before;
	bool has_before;
};

/* The current row is complete, so the row before it ends at its address. */
static void emit(struct run *run, bool ends)
{
	const struct row *before = &run->before;

	if (run->has_before && !before->is_dead && before->line && run->row.address > before->address &&
	    run->visitor->wants(run->visitor->context, before->address, run->row.address)) {
		struct spoor_source_place place = *spoor_line_table_file(run->table, before->file);

		place.line = before->line;
		if (place.file[0])
			run->visitor->each(run->visitor->context, before->address, run->row.address, &place);
	}
	/* Of several rows with one address, use the first one with a line: at the begin of a function its sled
	 * follows without a line. */
	if (!run->has_before || !before->line || run->row.address != before->address)
		run->before = run->row;
	run->has_before = !ends;
}

static void begin_sequence(struct run *run)
{
	run->row = (struct row){ .file = 1, .line = 1, .is_dead = true };
	run->has_before = false;
}

static void extended_opcode(struct run *run, struct spoor_bytes *bytes)
{
	uint64_t length = spoor_bytes_leb(bytes, false);
	struct spoor_bytes operand = *bytes;

	spoor_bytes_skip(bytes, length);
	if (bytes->bad || !length)
		return;
	operand.end = bytes->at;
	switch (spoor_bytes_number(&operand, 1)) {
	case LNE_END_SEQUENCE:
		emit(run, true);
		begin_sequence(run);
		break;
	case LNE_SET_ADDRESS:
		run->row.address = spoor_bytes_number(&operand, 8);
		/* Linkers write 0, or the highest addresses, for dropped functions. */
		run->row.is_dead = operand.bad || !run->row.address || run->row.address >= UINT64_MAX - 1;
		break;
	}
}

static void standard_opcode(struct run *run, struct spoor_bytes *bytes, uint8_t opcode)
{
	const struct spoor_line_table *table = run->table;
	uint64_t advance;

	switch (opcode) {
	case LNS_COPY:
		emit(run, false);
		break;
	case LNS_ADVANCE_PC:
		run->row.address += spoor_bytes_leb(bytes, false) * table->least_length;
		break;
	case LNS_ADVANCE_LINE:
		run->row.line += spoor_bytes_leb(bytes, true);
		break;
	case LNS_SET_FILE:
		run->row.file = spoor_bytes_leb(bytes, false);
		break;
	case LNS_CONST_ADD_PC:
		advance = (255u - table->opcode_base) / table->line_range;
		run->row.address += advance * table->least_length;
		break;
	case LNS_FIXED_ADVANCE_PC:
		run->row.address += spoor_bytes_number(bytes, 2);
		break;
	default:
		for (uint8_t i = 0; i < table->opcode_lengths[opcode - 1]; i++)
			spoor_bytes_leb(bytes, false);
	}
}

static void run_program(struct run *run, struct spoor_bytes *bytes)
{
	const struct spoor_line_table *table = run->table;

	begin_sequence(run);
	while (bytes->at < bytes->end && !bytes->bad) {
		uint8_t opcode = (uint8_t)spoor_bytes_number(bytes, 1);

		if (opcode == 0) {
			extended_opcode(run, bytes);
		} else if (opcode < table->opcode_base) {
			standard_opcode(run, bytes, opcode);
		} else {
			opcode = (uint8_t)(opcode - table->opcode_base);
			run->row.address += (uint64_t)(opcode / table->line_range) * table->least_length;
			run->row.line += (uint64_t)(int64_t)(table->line_base + opcode % table->line_range);
			emit(run, false);
		}
	}
}

static struct spoor_section section_of(const struct spoor_elf_file *file, const char *name)
{
	struct spoor_section section = { 0 };

	section.bytes = spoor_elf_file_section(file, name, &section.size);
	return section;
}

int spoor_source_lines_of(const struct spoor_line_sections *sections, const struct spoor_source_visitor *visitor)
{
	struct spoor_bytes all = { .at = (const uint8_t *)sections->lines.bytes };

	if (!all.at)
		return -ENOENT;
	all.end = all.at + sections->lines.size;
	while (all.at < all.end && !all.bad) {
		struct spoor_line_table table = { .strings = &sections->strings, .line_strings = &sections->line_strings };
		struct run run = { .table = &table, .visitor = visitor };
		uint64_t length = spoor_bytes_number(&all, 4);
		struct spoor_bytes unit, program;

		table.wide = length == 0xffffffff;
		if (table.wide)
			length = spoor_bytes_number(&all, 8);
		unit = all;
		spoor_bytes_skip(&all, length);
		unit.end = all.at;
		program = unit;
		program.at = spoor_line_table_read(&table, &unit);
		if (program.at)
			run_program(&run, &program);
	}
	return 0;
}

int spoor_source_lines(const struct spoor_elf_file *file, const struct spoor_source_visitor *visitor)
{
	const struct spoor_line_sections sections = {
		.lines = section_of(file, ".debug_line"),
		.strings = section_of(file, ".debug_str"),
		.line_strings = section_of(file, ".debug_line_str"),
	};

	return spoor_source_lines_of(&sections, visitor);
}

int spoor_source_path(const struct spoor_source_place *place, char *path, size_t size)
{
	const char *const parts[] = { place->unit_directory, place->directory, place->file };
	unsigned int first = 0;
	size_t used = 0;

	for (unsigned int i = 0; i < 3; i++) {
		if (parts[i] && parts[i][0] == '/')
			first = i;
	}
	/* Directory 0 of version 5 is the unit's own. */
	if (first == 0 && parts[0] && parts[1] && strcmp(parts[0], parts[1]) == 0)
		first = 1;
	path[0] = '\0';
	for (unsigned int i = first; i < 3; i++) {
		size_t length = parts[i] ? strlen(parts[i]) : 0;

		if (!length)
			continue;
		if (used + length + 2 > size) {
			path[0] = '\0';
			return -ENAMETOOLONG;
		}
		if (used && path[used - 1] != '/')
			path[used++] = '/';
		memcpy(path + used, parts[i], length + 1);
		used += length;
	}
	return 0;
}
