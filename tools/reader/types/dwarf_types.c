/* SPDX-License-Identifier: MIT */
/* dwarf_types.c - finds the debug information of a function, and reads its parameters. */
#include "reader/types/dwarf_types.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/symbols/dwarf_entries.h"
#include "reader/symbols/symbol_functions.h"
#include "reader/types/dwarf_type_entries.h"

#define DEPTH_MAX 200u
#define PARAMETERS_MAX 255u

struct dwarf_types {
	int fd, shared_fd;
	Elf *elf;
	Dwarf *dwarf, *shared;
	enum type_machine machine;
	struct type_entries entries;
	struct map64 function_at;	/* positions in functions, from 1, by address */
	Dwarf_Die *functions;
	uint32_t function_count, function_capacity;
	struct map64 read_units;	/* by the address of their entry */
};

struct dwarf_types *dwarf_types_open(const struct symbol_file *file, const char *path)
{
	struct dwarf_types *types = calloc(1, sizeof(*types));
	GElf_Ehdr header;

	if (!types)
		return NULL;
	types->shared_fd = -1;
	types->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	elf_version(EV_CURRENT);
	types->elf = types->fd < 0 ? NULL : elf_begin(types->fd, ELF_C_READ_MMAP, NULL);
	/* A file without a build-id belongs to this build if the names were read from it. */
	if (!elf_unreadable(types->elf) && gelf_getehdr(types->elf, &header) &&
	    elf_compare_build_id(file, types->elf) == (file->build_id_bytes ? 1 : -1))
		types->dwarf = dwarf_begin_elf(types->elf, DWARF_C_READ, NULL);
	if (!types->dwarf || dwarf_find_shared(types->dwarf, &types->shared, &types->shared_fd)) {
		dwarf_types_close(types);
		return NULL;
	}
	types->machine = header.e_machine == EM_X86_64 ? TYPE_MACHINE_X86_64 :
			 header.e_machine == EM_AARCH64 ? TYPE_MACHINE_AARCH64 : TYPE_MACHINE_OTHER;
	types->entries.is_x86_64 = types->machine == TYPE_MACHINE_X86_64;
	return types;
}

void dwarf_types_close(struct dwarf_types *types)
{
	if (!types)
		return;
	dwarf_end(types->dwarf);
	dwarf_end(types->shared);
	elf_end(types->elf);
	if (types->fd >= 0)
		close(types->fd);
	if (types->shared_fd >= 0)
		close(types->shared_fd);
	type_entries_free(&types->entries);
	map64_free(&types->function_at);
	map64_free(&types->read_units);
	free(types->functions);
	free(types);
}

static void add_function(struct dwarf_types *types, const Dwarf_Die *die, uint64_t entry)
{
	uint32_t *place;

	if (types->function_count == types->function_capacity) {
		uint32_t capacity = types->function_capacity ? 2 * types->function_capacity : 256;
		Dwarf_Die *larger = reallocarray(types->functions, capacity, sizeof(*larger));

		if (!larger)
			return;
		types->functions = larger;
		types->function_capacity = capacity;
	}
	place = map64_at(&types->function_at, entry);
	if (!place || *place)
		return;
	types->functions[types->function_count++] = *die;
	*place = types->function_count;
}

static void add_functions(struct dwarf_types *types, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die, next;
	int more = depth < DEPTH_MAX ? dwarf_child(parent, &die) : 1;

	while (more == 0) {
		uint64_t entry;

		if (dwarf_tag(&die) == DW_TAG_subprogram && dwarf_subprogram_entry(&die, &entry))
			add_function(types, &die, entry);
		if (dwarf_may_hold_functions(dwarf_tag(&die)))
			add_functions(types, &die, depth + 1);
		more = dwarf_siblingof(&die, &next);
		/* In a damaged file, an entry may lead back. */
		if (more == 0 && (const char *)next.addr <= (const char *)die.addr)
			return;
		die = next;
	}
}

/* Reads the units that contain the address. */
static void read_units(struct dwarf_types *types, uint64_t address)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(types->dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		uint32_t *is_read;

		if (!die.addr || dwarf_haspc(&die, address) <= 0)
			continue;
		is_read = map64_at(&types->read_units, (uint64_t)(uintptr_t)die.addr);
		if (!is_read || *is_read)
			continue;
		*is_read = 1;
		add_functions(types, &die, 0);
		if (split.addr)
			add_functions(types, &split, 0);
	}
}

/* Finds the place of the parameter at this address. */
static int find_place(Dwarf_Die *parameter, uint64_t entry)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t count;

	if (!dwarf_attr(parameter, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, entry, &operations, &count, 1) != 1 || !count)
		return PARAMETER_PLACE_UNKNOWN;
	if (operations[0].atom >= DW_OP_reg0 && operations[0].atom <= DW_OP_reg31)
		return operations[0].atom - DW_OP_reg0;
	if (operations[0].atom == DW_OP_regx)
		return (int)(operations[0].number & 0xffff);
	/* An object that is passed by its address. */
	if (operations[0].atom >= DW_OP_breg0 && operations[0].atom <= DW_OP_breg31 && !operations[0].number && count == 1)
		return operations[0].atom - DW_OP_breg0;
	return operations[0].atom == DW_OP_fbreg ? PARAMETER_PLACE_FRAME : PARAMETER_PLACE_UNKNOWN;
}

/* Returns the offset of the entry that has the parameter's name and type: its abstract origin, or itself. */
static const void *identity(Dwarf_Die *die, Dwarf_Die *origin)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr(die, DW_AT_abstract_origin, &attribute) && dwarf_formref_die(&attribute, origin))
		return origin->addr;
	*origin = *die;
	return die->addr;
}

/* Finds the instance of an abstract parameter among the children of the function. Returns whether there is one. */
static bool find_instance(Dwarf_Die *function, const void *wanted, Dwarf_Die *instance)
{
	Dwarf_Die next, origin;
	int more = dwarf_child(function, instance);

	for (; more == 0; *instance = next) {
		if (dwarf_tag(instance) == DW_TAG_formal_parameter && identity(instance, &origin) == wanted)
			return true;
		more = dwarf_siblingof(instance, &next);
		if (more == 0 && (const char *)next.addr <= (const char *)instance->addr)
			return false;
	}
	return false;
}

/* @place: DWARF's number of a register */
static bool is_argument_register(enum type_machine machine, int place)
{
	if (machine == TYPE_MACHINE_AARCH64)
		return place < 8 || (place >= 64 && place < 72);	/* x0 to x7, v0 to v7 */
	return place == 1 || place == 2 || place == 4 || place == 5 || place == 8 || place == 9 ||
	       (place >= 17 && place < 25);	/* rdx, rcx, rsi, rdi, r8, r9, xmm0 to xmm7 */
}

/* Finds the places of the parameters at the function's entry. A compiler may give them only after the sled, which follows
 * a landing pad, perhaps, and changes none of them. @instances: their address is null for a parameter without places */
static void find_places(const struct dwarf_types *types, Dwarf_Die *instances, uint32_t count, uint64_t entry,
			struct parameter_type *parameters)
{
	/* SPOOR_SLED_BYTES in format/sled_aarch64.h and sled_x86_64.h: the trace may be from the other architecture. */
	uint64_t sled = types->machine == TYPE_MACHINE_AARCH64 ? 32 : 11;
	uint64_t addresses[] = { entry, entry + sled, entry + 4 + sled };
	bool is_known = false;

	for (size_t at = 0; at < sizeof(addresses) / sizeof(addresses[0]) && !is_known; at++) {
		for (uint32_t i = 0; i < count; i++) {
			int place = instances[i].addr ? find_place(&instances[i], addresses[at]) : PARAMETER_PLACE_UNKNOWN;

			/* Without optimisation, GCC may say where a parameter is after the prologue. */
			if (place >= 0 && !is_argument_register(types->machine, place))
				place = PARAMETER_PLACE_UNKNOWN;
			parameters[i].place = place;
			is_known |= place >= 0;
		}
	}
}

/* GCC changes the parameters only of copies, whose symbols have these suffixes, or the prefix of a vector function. */
static bool is_gcc_original(const char *symbol)
{
	return symbol && !strstr(symbol, ".isra") && !strstr(symbol, ".constprop") && !strstr(symbol, ".part") &&
	       strncmp(symbol, "_ZGV", 4) != 0;
}

/* @is_whole: the function has the parameters of its own entry, and no other */
static uint32_t read_parameters(struct dwarf_types *types, Dwarf_Die *function, uint64_t entry, bool is_whole,
				struct parameter_type *parameters)
{
	Dwarf_Die abstract, die, next, instances[PARAMETERS_MAX];
	uint32_t count = 0;
	int more;

	/* The abstract instance has all parameters; a concrete one may lack the removed parameters. */
	identity(function, &abstract);
	more = dwarf_child(&abstract, &die);
	for (; more == 0 && count < PARAMETERS_MAX; die = next) {
		if (dwarf_tag(&die) == DW_TAG_formal_parameter) {
			struct parameter_type *parameter = &parameters[count];
			Dwarf_Attribute attribute;
			const char *name = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_name, &attribute));

			parameter->name = type_arena_copy(&types->entries.arena, name ? name : "");
			parameter->type = type_entries_of(&types->entries, &die);
			if (!find_instance(function, die.addr, &instances[count]))
				instances[count].addr = NULL;
			if (!parameter->name || !parameter->type)
				return 0;
			/* A constructor of a whole object has no parameters for virtual bases. */
			count += instances[count].addr || !is_whole;
		}
		more = dwarf_siblingof(&die, &next);
		if (more == 0 && (const char *)next.addr <= (const char *)die.addr)
			break;
	}
	find_places(types, instances, count, entry, parameters);
	return count;
}

static void take_language(struct function_types *function, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *producer;
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return;
	producer = dwarf_formstring(dwarf_attr(&unit, DW_AT_producer, &attribute));
	function->is_gcc = producer && strncmp(producer, "GNU ", 4) == 0;
	function->is_rust = dwarf_srclang(&unit) == DW_LANG_Rust;
}

/* LLVM's optimiser changes the parameters only of functions that no other unit can call. */
static void take_changes(struct function_types *function, Dwarf_Die *die, bool is_whole)
{
	Dwarf_Attribute attribute;
	bool is_external = false, is_unoptimised = true;
	Dwarf_Word convention = 0;

	if (dwarf_formflag(dwarf_attr_integrate(die, DW_AT_external, &attribute), &is_external) != 0)
		is_external = false;
	if (dwarf_attr_integrate(die, DW_AT_calling_convention, &attribute))
		dwarf_formudata(&attribute, &convention);
	function->differs = convention == DW_CC_nocall;
	for (uint32_t i = 0; i < function->count; i++)
		is_unoptimised &= function->parameters[i].place == PARAMETER_PLACE_FRAME;
	function->may_differ = (function->is_gcc ? !is_whole : !is_external) && !is_unoptimised;
}

const struct function_types *dwarf_types_function(struct dwarf_types *types, uint64_t address, const char *symbol)
{
	struct parameter_type parameters[PARAMETERS_MAX];
	struct function_types *function;
	struct parameter_type *kept;
	uint32_t position = map64_find(&types->function_at, address);
	Dwarf_Die *die;
	bool is_whole;

	if (!position) {
		read_units(types, address);
		position = map64_find(&types->function_at, address);
	}
	function = position ? type_arena_get(&types->entries.arena, sizeof(*function)) : NULL;
	if (!function)
		return NULL;
	die = &types->functions[position - 1];
	function->machine = types->machine;
	take_language(function, die);
	is_whole = function->is_gcc && is_gcc_original(symbol);
	function->count = read_parameters(types, die, address, is_whole, parameters);
	kept = type_arena_get(&types->entries.arena, (function->count + 1) * sizeof(*kept));
	if (!kept)
		return NULL;
	memcpy(kept, parameters, function->count * sizeof(*kept));
	function->parameters = kept;
	function->result = type_entries_of(&types->entries, die);
	take_changes(function, die, is_whole);
	return function;
}
