/* SPDX-License-Identifier: MIT */
/* inlined_dwarf.c - reads inlined calls from debug information with libdw. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "reader/inlined/inlined_calls.h"
#include "reader/symbols/symbol_functions.h"

#define DEPTH_MAX 200u		/* nesting of entries; deeper ones are ignored */

struct walk {
	struct inlined *inlined;
	Dwarf_Files *files;	/* of the unit; null: unknown */
	enum inlined_by by;	/* the unit's compiler */
	bool failed;		/* memory ran out */
};

/* Returns the linkage name, or, if there is none as in C, the name. */
static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		Dwarf_Attribute attribute;
		const char *name = dwarf_formstring(dwarf_attr_integrate(die, names[i], &attribute));

		if (name && *name)
			return name;
	}
	return NULL;
}

static uint64_t number_of(Dwarf_Die *die, unsigned int which)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	return dwarf_formudata(dwarf_attr(die, which, &attribute), &number) == 0 ? number : 0;
}

static void take(struct walk *walk, Dwarf_Die *die, const char *caller)
{
	const char *name = name_of(die), *file = NULL;
	uint64_t line = number_of(die, DW_AT_call_line), number = number_of(die, DW_AT_call_file);

	if (!name)
		return;
	/* In DWARF 5, the first file has the number 0. */
	if (walk->files && dwarf_hasattr(die, DW_AT_call_file))
		file = dwarf_filesrc(walk->files, number, NULL, NULL);
	if (inlined_put(walk->inlined, name, caller, file, line <= UINT32_MAX ? (uint32_t)line : 0))
		walk->inlined->calls[walk->inlined->count - 1].by = walk->by;
	else
		walk->failed = true;
}

static bool may_hold_calls(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram: case DW_TAG_inlined_subroutine: case DW_TAG_lexical_block: case DW_TAG_namespace:
	case DW_TAG_module: case DW_TAG_class_type: case DW_TAG_structure_type: case DW_TAG_union_type:
	case DW_TAG_interface_type: case DW_TAG_try_block: case DW_TAG_catch_block:
		return true;
	default:
		return false;
	}
}

/* Visits the entries below @parent, whose calls are those of @caller. */
static void visit(struct walk *walk, Dwarf_Die *parent, const char *caller, unsigned int depth)
{
	Dwarf_Die die, next;
	int more = depth < DEPTH_MAX && !walk->failed ? dwarf_child(parent, &die) : 1;

	while (more == 0) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine)
			take(walk, &die, caller);
		if (may_hold_calls(tag))
			visit(walk, &die, tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ? name_of(&die) : caller,
			      depth + 1);
		more = dwarf_siblingof(&die, &next);
		/* In a damaged file, an entry may lead back. */
		if (more == 0 && (const char *)next.addr <= (const char *)die.addr)
			return;
		die = next;
	}
}

static enum inlined_by compiler_of(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));

	if (producer && strncmp(producer, "GNU ", 4) == 0)
		return INLINED_BY_GCC;
	return dwarf_srclang(unit) == DW_LANG_Rust ? INLINED_BY_RUST : INLINED_BY_CLANG;
}

static void visit_units(struct walk *walk, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	size_t count;
	uint8_t type;

	while (!walk->failed && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		Dwarf_Die *whole = split.addr ? &split : &die;

		walk->inlined->has_information = true;
		if (!whole->addr)
			continue;
		walk->by = compiler_of(whole);
		if (dwarf_getsrcfiles(whole, &walk->files, &count) != 0 && dwarf_getsrcfiles(&die, &walk->files, &count) != 0)
			walk->files = NULL;
		visit(walk, whole, NULL, 0);
	}
}

const char *inlined_add(struct inlined *inlined, const char *path)
{
	struct walk walk = { .inlined = inlined };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *wrong = fd < 0 ? strerror(errno) : NULL;
	Dwarf *dwarf = NULL;
	Elf *elf = NULL;

	elf_version(EV_CURRENT);
	if (!wrong) {
		/* Mapped, because debug information is large. */
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
		wrong = elf_unreadable(elf);
	}
	/* A file without debug information is not an error. */
	if (!wrong)
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (dwarf)
		visit_units(&walk, dwarf);
	dwarf_end(dwarf);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return walk.failed ? "out of memory" : wrong;
}
