/* SPDX-License-Identifier: MIT */
/* elf_facts.c - finds out from an ELF file how it can be run and traced. */
#include "reader/symbols/elf_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/sled.h"
#include "format/unwind_table.h"
#include "reader/symbols/symbol_functions.h"
#include "reader/symbols/unit_symbols.h"

#define SLEDS_SECTION "xray_instr_map"
#define FIRST_RUNS_SECTION "spoor_seen"
#define CALL_SLOTS_SECTION "spoor_slots"
#define LOOK_BEHIND 32u		/* bytes after a sled that show whether it can be patched */

/* The file's code at its addresses in memory. */
struct text {
	Elf *elf;
	const uint8_t *bytes;
	size_t size, segments;
	GElf_Phdr segment;	/* the one that was used last */
};

/* Copies bytes from @address on. Bytes that the file does not have become 0. Returns whether the file has all
 * bytes of a sled there. */
static bool read_text(struct text *text, uint64_t address, uint8_t *copy, size_t size)
{
	const GElf_Phdr *segment = &text->segment;
	uint64_t offset, there;

	for (size_t i = 0; i < text->segments && address - segment->p_vaddr >= segment->p_filesz; i++)
		if (!gelf_getphdr(text->elf, (int)i, &text->segment) || segment->p_type != PT_LOAD)
			text->segment = (GElf_Phdr){ 0 };
	if (address - segment->p_vaddr >= segment->p_filesz)
		return false;
	offset = address - segment->p_vaddr;
	there = segment->p_filesz - offset;
	if (segment->p_offset > text->size || offset > text->size - segment->p_offset)
		return false;
	offset += segment->p_offset;
	if (there > text->size - offset)
		there = text->size - offset;
	if (there < SPOOR_SLED_BYTES)
		return false;
	memcpy(copy, text->bytes + offset, there < size ? there : size);
	return true;
}

static void judge_sled(struct elf_facts *facts, struct text *text, uint64_t address, uint8_t kind)
{
	_Alignas(8) uint8_t copy[SPOOR_SLED_BYTES + LOOK_BEHIND] = { 0 };

	kind = kind == SPOOR_SLED_ENTRY_ARGUMENTS ? SPOOR_SLED_ENTRY : kind;
	if (kind > SPOOR_SLED_TAIL) {
		facts->of_other_kind++;
		return;
	}
	if (address % SPOOR_SLED_HEAD_BYTES || !read_text(text, address, copy, sizeof(copy))) {
		facts->unexpected++;
		return;
	}
	kind = spoor_sled_kind(copy, kind);
	switch (spoor_sled_check(copy, kind, copy, sizeof(copy))) {
	case SPOOR_SLED_CONDITIONAL:
		facts->conditional++;
		break;
	case SPOOR_SLED_STACK_OPERAND:
		facts->on_stack++;
		break;
	case SPOOR_SLED_UNEXPECTED:
		facts->unexpected++;
		break;
	default:
		break;
	}
}

/* Counts the sleds in LLVM's map. */
static void read_map(struct elf_facts *facts, struct text *text)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(text->elf, SLEDS_SECTION, 0, &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	uint64_t count = data && data->d_buf ? data->d_size / sizeof(struct spoor_sled) : 0;

	facts->sleds += count;
	for (uint64_t i = 0; text->bytes && i < count; i++) {
		uint64_t field = header.sh_addr + i * sizeof(struct spoor_sled);
		struct spoor_sled sled;

		memcpy(&sled, (const char *)data->d_buf + i * sizeof(sled), sizeof(sled));
		judge_sled(facts, text, field + (uint64_t)sled.address, sled.kind);
	}
}

/* Counts the sleds of the function table. Functions at the same address share them. */
static void read_table(struct elf_facts *facts, struct text *text)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(text->elf, FUNCTIONS_SECTION, 0, &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	uint64_t last = 0;

	facts->functions = data && data->d_buf ? data->d_size / sizeof(struct spoor_function) : 0;
	for (uint64_t i = 0; i < facts->functions; i++) {
		uint64_t at = header.sh_addr + i * sizeof(struct spoor_function);
		struct spoor_function function;

		memcpy(&function, (const char *)data->d_buf + i * sizeof(function), sizeof(function));
		at += (uint64_t)(int64_t)function.address;
		if (!(function.position & SPOOR_FUNCTION_NOP_ENTRY) || at == last)
			continue;
		last = at;
		facts->sleds++;
		if (text->bytes)
			judge_sled(facts, text, at + spoor_nop_entry_distance(&function), SPOOR_SLED_ENTRY);
	}
}

static void read_sleds(struct elf_facts *facts, Elf *elf)
{
	struct text text = { .elf = elf };

	/* Sleds for another machine cannot be checked. */
	if (facts->machine == SPOOR_ELF_MACHINE && !elf_getphdrnum(elf, &text.segments))
		text.bytes = (const uint8_t *)elf_rawfile(elf, &text.size);
	read_map(facts, &text);
	read_table(facts, &text);
}

static void take_note(struct elf_facts *facts, const GElf_Nhdr *note, const char *name, const char *content)
{
	bool ours = note->n_namesz == sizeof(SPOOR_NOTE_OWNER) && memcmp(name, SPOOR_NOTE_OWNER, note->n_namesz) == 0;

	if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
		facts->build_id_bytes = note->n_descsz;
	else if (ours && note->n_type == SPOOR_NOTE_DSO)
		facts->has_stub = true;
	else if (ours && note->n_type == SPOOR_NOTE_ASLEEP && note->n_descsz == sizeof(facts->asleep))
		memcpy(&facts->asleep, content, sizeof(facts->asleep));
	else if (ours && note->n_type == SPOOR_NOTE_VERSION && note->n_descsz == SPOOR_NOTE_VERSION_BYTES)
		memcpy(facts->runtime, content, SPOOR_NOTE_VERSION_BYTES);
}

static void take_notes(struct elf_facts *facts, Elf_Data *data)
{
	size_t at = 0, name, content;
	GElf_Nhdr note;

	while (data && data->d_buf && (at = gelf_getnote(data, at, &note, &name, &content)) > 0)
		take_note(facts, &note, (const char *)data->d_buf + name, (const char *)data->d_buf + content);
}

/* Returns whether a file without a loader is a program, because it was linked with -static-pie. */
static bool is_pie(Elf_Data *data)
{
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		if (entry.d_tag == DT_FLAGS_1)
			return entry.d_un.d_val & DF_1_PIE;
	return false;
}

static void read_segments(struct elf_facts *facts, Elf *elf)
{
	size_t segments, size = 0;
	const char *bytes = elf_rawfile(elf, &size);

	if (elf_getphdrnum(elf, &segments))
		return;
	for (size_t i = 0; i < segments; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment))
			continue;
		if (segment.p_type == PT_DYNAMIC)
			facts->is_program |= is_pie(elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
									 ELF_T_DYN));
		else if (segment.p_type == PT_NOTE)
			take_notes(facts, elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
							       segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
		else if (segment.p_type == PT_INTERP && !facts->loader && bytes && segment.p_offset < size &&
			 segment.p_filesz <= size - segment.p_offset && segment.p_filesz < PATH_MAX)
			facts->loader = strndup(bytes + segment.p_offset, segment.p_filesz);
	}
}

static void take_name(struct elf_facts *facts, const char *name)
{
	if (strcmp(name, "__cyg_profile_func_enter") == 0 || strcmp(name, "__cyg_profile_func_enter_bare") == 0)
		facts->calls_hooks = true;
	else if (strcmp(name, "_spoor_runtime_LogFunctionEntry") == 0)
		facts->calls_runtime = true;
}

/* Looks at functions that the file calls but does not define. */
static void read_undefined(struct elf_facts *facts, Elf *elf, GElf_Word type)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(elf, NULL, type, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t count = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;

	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx != SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (name)
			take_name(facts, name);
	}
}

/* Tells if the table has an entry for a function that begins at @address. */
static bool is_listed(const Elf_Data *table, const GElf_Phdr *segment, uint64_t address)
{
	struct spoor_unwind_table head;
	struct spoor_unwind_entry entry;
	uint64_t low = 0, high;

	if (!table || !table->d_buf || table->d_size < sizeof(head))
		return false;
	memcpy(&head, table->d_buf, sizeof(head));
	high = (table->d_size - sizeof(head)) / sizeof(entry);
	if (!spoor_unwind_table_is_one(&head))
		return false;
	if (high > head.count)
		high = head.count;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2, begin;

		memcpy(&entry, (const char *)table->d_buf + sizeof(head) + middle * sizeof(entry), sizeof(entry));
		begin = segment->p_vaddr + (uint64_t)(int64_t)entry.function;
		if (begin == address)
			return true;
		if (begin < address)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* The runtime knows functions that call hooks by their unwind entries. The start files define symbols without
 * size. */
static void read_unlisted(struct elf_facts *facts, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(elf, NULL, SHT_SYMTAB, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL, *table;
	size_t count = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
	GElf_Phdr segment;

	table = elf_unwind_table(elf, &segment);
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF || !symbol.st_size ||
		    GELF_ST_TYPE(symbol.st_info) != STT_FUNC || is_listed(table, &segment, symbol.st_value))
			continue;
		name = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (!facts->unlisted_functions++ && name)
			facts->unlisted_function = strdup(name);
	}
}

static const char *read_elf(struct elf_facts *facts, Elf *elf)
{
	GElf_Shdr header;
	GElf_Ehdr file;

	facts->is_elf = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &file);
	if (!facts->is_elf)
		return "is not an ELF file";
	facts->type = file.e_type;
	facts->machine = file.e_machine;
	facts->is_64_bit = !elf_unreadable(elf);
	if (!facts->is_64_bit)
		return elf_unreadable(elf);
	read_segments(facts, elf);
	facts->is_program |= facts->type == ET_EXEC || facts->loader;
	facts->notes_first_runs = elf_find_section(elf, FIRST_RUNS_SECTION, 0, &header);
	facts->has_call_slots = elf_find_section(elf, CALL_SLOTS_SECTION, 0, &header);
	facts->is_described = elf_find_section(elf, UNIT_SYMBOLS_SECTION, 0, &header);
	facts->has_symbols = elf_find_section(elf, NULL, SHT_SYMTAB, &header);
	facts->has_debug_info = elf_find_section(elf, ".debug_info", 0, &header) && header.sh_type != SHT_NOBITS;
	read_undefined(facts, elf, SHT_DYNSYM);
	if (facts->calls_hooks || facts->notes_first_runs)
		read_unlisted(facts, elf);
	read_sleds(facts, elf);
	return NULL;
}

const char *elf_facts_read(struct elf_facts *facts, int fd)
{
	const char *wrong;
	Elf *elf;

	*facts = (struct elf_facts){ 0 };
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	wrong = read_elf(facts, elf);
	elf_end(elf);
	return wrong;
}

void elf_facts_free(struct elf_facts *facts)
{
	free(facts->loader);
	free(facts->unlisted_function);
	*facts = (struct elf_facts){ 0 };
}

const char *elf_facts_read_path(struct elf_facts *facts, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *wrong;

	*facts = (struct elf_facts){ 0 };
	if (fd < 0)
		return strerror(errno);
	wrong = elf_facts_read(facts, fd);
	close(fd);
	return wrong;
}
