/* SPDX-License-Identifier: MIT */
/* hand_module.c - a module made by hand. */
#define _GNU_SOURCE
#include "tests/unit/support/hand_module.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct hand_data {
	uint64_t reached;
	void *slots[8];
	struct spoor_dso dso;
	struct {
		ElfW(Ehdr) header;
		ElfW(Phdr) segments[4];
		ElfW(Nhdr) note;
		char owner[4];
		uint8_t build_id[SPOOR_BUILD_ID_MAX];
	} image;
	struct spoor_function functions[HAND_FUNCTIONS_MAX];
	struct spoor_sled sleds[HAND_SLEDS_MAX];
};

static void *or_die(void *pointer)
{
	if (!pointer || pointer == MAP_FAILED)
		abort();
	return pointer;
}

void hand_module_log(struct hand_module *module)
{
	for (int i = 0; i < SPOOR_THUNK_COUNT; i++) {
		uint8_t *at = module->text + HAND_LOG_THUNK(i);

		hand_write_log_thunk(at, &module->data->slots[i]);
		module->dso->thunks[i] = at;
	}
}

void hand_module_begin(struct hand_module *module, size_t pages)
{
	*module = (struct hand_module){ .text_bytes = pages * 4096 };
	module->text = or_die(mmap(NULL, module->text_bytes + sizeof(struct hand_data), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	module->data = (struct hand_data *)(module->text + module->text_bytes);
	module->dso = &module->data->dso;
	memset(module->text, HAND_BREAKPOINT, module->text_bytes);
	hand_write_counting_thunk(module->text, &module->data->reached);
	for (int i = 0; i < SPOOR_THUNK_COUNT; i++)
		module->dso->thunks[i] = module->text;
}

void hand_module_function(struct hand_module *module, uint32_t at)
{
	struct spoor_function *function = &module->data->functions[module->function_count++];

	if (module->function_count > HAND_FUNCTIONS_MAX)
		abort();
	function->address = (int32_t)(module->text + at - (uint8_t *)&function->address);
	function->position = module->function_count - 1;
}

void hand_module_flags(struct hand_module *module, uint32_t flags)
{
	module->data->functions[module->function_count - 1].position |= flags;
}

struct spoor_sled *hand_module_sled(struct hand_module *module, uint8_t kind, uint32_t at, uint32_t function)
{
	struct spoor_sled *sled = &module->data->sleds[module->sled_count++];

	if (module->sled_count > HAND_SLEDS_MAX)
		abort();
	sled->address = module->text + at - (uint8_t *)&sled->address;
	sled->function = module->text + function - (uint8_t *)&sled->function;
	sled->kind = kind;
	sled->version = 2;
	return sled;
}

void hand_module_functions(struct hand_module *module, uint32_t at, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, at += HAND_FUNCTION_BYTES) {
		if (at + HAND_FUNCTION_BYTES > module->text_bytes)
			abort();
		hand_write_function(module->text + at);
		hand_module_function(module, at);
		if (i % 2) {
			hand_write_nop_entry(module->text + at);
			hand_module_flags(module, SPOOR_FUNCTION_NOP_ENTRY);
		} else {
			hand_module_sled(module, SPOOR_SLED_ENTRY, at, at);
		}
		hand_module_sled(module, SPOOR_SLED_EXIT, at + HAND_EXIT, at);
	}
}

void hand_module_build_id(struct hand_module *module, const void *build_id, uint32_t bytes)
{
	ElfW(Ehdr) *header = &module->data->image.header;
	ElfW(Phdr) *segments = module->data->image.segments;
	uintptr_t bias = (uintptr_t)header;	/* the header is at virtual address 0 */

	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_phoff = (uintptr_t)segments - bias;
	header->e_phnum = 3;
	segments[0] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_memsz = sizeof(struct hand_data) };
	segments[1] = (ElfW(Phdr)){ .p_type = PT_NOTE, .p_flags = PF_R };
	segments[1].p_vaddr = (uintptr_t)&module->data->image.note - bias;
	segments[1].p_filesz = sizeof(ElfW(Nhdr)) + 4 + bytes;
	segments[2] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_memsz = module->text_bytes };
	segments[2].p_vaddr = (uintptr_t)module->text - bias;
	module->data->image.note = (ElfW(Nhdr)){ .n_namesz = 4, .n_descsz = bytes, .n_type = NT_GNU_BUILD_ID };
	memcpy(module->data->image.owner, "GNU", 4);
	memcpy(module->data->image.build_id, build_id, bytes);
	module->dso->image = header;
}

void hand_module_hole(struct hand_module *module, size_t page)
{
	ElfW(Phdr) *segments = module->data->image.segments;

	segments[3] = segments[2];
	segments[2].p_memsz = page * 4096;
	segments[3].p_vaddr += (page + 1) * 4096;
	segments[3].p_memsz -= (page + 1) * 4096;
	module->data->image.header.e_phnum = 4;
}

void hand_module_finish(struct hand_module *module)
{
	struct hand_data *data = module->data;
	struct spoor_dso *dso = module->dso;

	spoor_text_changed((uintptr_t)module->text, (uintptr_t)module->text + module->text_bytes);
	if (mprotect(module->text, module->text_bytes, PROT_READ | PROT_EXEC))
		abort();
	dso->size = sizeof(*dso);
	dso->version = SPOOR_DSO_VERSION;
	dso->sleds_begin = data->sleds;
	dso->sleds_end = data->sleds + module->sled_count;
	dso->functions_begin = data->functions;
	dso->functions_end = data->functions + module->function_count;
	dso->slots = data->slots;
	module->sleds.functions.dso = dso;
	module->sleds.functions.count = module->function_count;
}

void hand_module_end(struct hand_module *module)
{
	munmap(module->text, module->text_bytes + sizeof(struct hand_data));
}

uint8_t *hand_module_at(const struct hand_module *module, uint32_t local)
{
	const struct spoor_function *function = &module->data->functions[local];

	return (uint8_t *)(uintptr_t)&function->address + function->address;
}

uint64_t hand_module_call(struct hand_module *module, uint32_t local)
{
	void (*function)(void);
	uint8_t *at = hand_module_at(module, local);
	uint64_t before = module->data->reached;

	memcpy(&function, &at, sizeof(function));
	function();
	return __atomic_load_n(&module->data->reached, __ATOMIC_RELAXED) - before;
}

const char *hand_module_rights(const void *address)
{
	static char rights[8];
	FILE *maps = or_die(fopen("/proc/self/maps", "re"));
	char line[512];

	strcpy(rights, "none");
	while (fgets(line, sizeof(line), maps)) {
		unsigned long low, high;
		char found[8];

		if (sscanf(line, "%lx-%lx %4s", &low, &high, found) == 3 && (uintptr_t)address >= low &&
		    (uintptr_t)address < high)
			strcpy(rights, found);
	}
	fclose(maps);
	return rights;
}
