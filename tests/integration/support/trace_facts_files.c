/* SPDX-License-Identifier: MIT */
/* trace_facts_files.c - reads the blocks in the files of a process, and the slices that are left in its pool. */
#define _GNU_SOURCE
#include "format/values_format.h"
#include "trace_facts.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/block.h"
#include "format/packing.h"
#include "format/registration.h"

struct bytes {
	const uint8_t *at;
	size_t size;
};

static struct bytes map_file(const char *path)
{
	struct bytes file = { NULL, 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return file;
	if (fstat(fd, &status) == 0 && status.st_size > 0) {
		file.at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		file.size = file.at == MAP_FAILED ? 0 : (size_t)status.st_size;
	}
	close(fd);
	return file;
}

/* Reads the names of a module's functions: joins its function table with its symbols. */
static void read_names(struct module *module)
{
	struct bytes file = map_file(module->path);
	const Elf64_Ehdr *header = (const void *)file.at;
	const Elf64_Shdr *sections, *table = NULL, *symbols = NULL;
	const char *strings;

	module->names = calloc(module->record.count + 1, sizeof(char *));
	module->entries = calloc(module->record.count + 1, sizeof(uint64_t));
	module->exits = calloc(module->record.count + 1, sizeof(uint64_t));
	module->unwound = calloc(module->record.count + 1, sizeof(uint64_t));
	if (file.size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return;
	sections = (const void *)(file.at + header->e_shoff);
	strings = (const char *)file.at + sections[header->e_shstrndx].sh_offset;
	for (int i = 0; i < header->e_shnum; i++) {
		if (strcmp(strings + sections[i].sh_name, "spoor_functions") == 0)
			table = &sections[i];
		if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !symbols))
			symbols = &sections[i];
	}
	if (!table || !symbols || table->sh_size / sizeof(struct spoor_function) != module->record.count)
		return;
	strings = (const char *)file.at + sections[symbols->sh_link].sh_offset;
	for (uint32_t local = 0; local < module->record.count; local++) {
		const struct spoor_function *function =
			(const struct spoor_function *)(const void *)(file.at + table->sh_offset) + local;
		uint64_t address = table->sh_addr + local * sizeof(*function) + (uint64_t)(int64_t)function->address;

		for (uint64_t at = 0; at < symbols->sh_size && !module->names[local]; at += sizeof(Elf64_Sym)) {
			const Elf64_Sym *symbol = (const void *)(file.at + symbols->sh_offset + at);

			if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx && symbol->st_value == address)
				module->names[local] = strdup(strings + symbol->st_name);
		}
	}
	munmap((void *)file.at, file.size);
}

static void read_module(const uint8_t *body, size_t size)
{
	struct spoor_module_record record;
	struct module *module;

	if (size < sizeof(record) + 2) {
		fault("a module's block of %zu bytes", size);
		return;
	}
	memcpy(&record, body, sizeof(record));
	module = module_of(record.base);
	if (module) {
		/* The module was loaded again, at the same or another address. */
		if (strcmp(module->path, (const char *)body + sizeof(record) + record.build_id_bytes) != 0)
			fault("two files, %s and another, at base %u", module->path, record.base);
		module->gone = false;
		return;
	}
	facts.modules = grow(facts.modules, facts.module_count, sizeof(*facts.modules));
	module = &facts.modules[facts.module_count++];
	memset(module, 0, sizeof(*module));
	module->record = record;
	module->path = strdup((const char *)body + sizeof(record) + record.build_id_bytes);
	read_names(module);
}

static void keep_slice(const struct spoor_slice_info *info, uint64_t *words, uint32_t count)
{
	facts.slices = grow(facts.slices, facts.slice_count, sizeof(*facts.slices));
	facts.slices[facts.slice_count++] = (struct slice){ *info, words, count, 0 };
}

static void read_events(const struct spoor_block *block, const uint8_t *body, size_t size)
{
	struct spoor_slice_info info;
	uint32_t count = (uint32_t)block->header.event_count;
	uint64_t *words = calloc(count + 1, 8);

	if (size < sizeof(info)) {
		fault("an event block of %zu bytes", size);
		return;
	}
	memcpy(&info, body, sizeof(info));
	if (block->header.compression != SPOOR_COMPRESSION_NONE) {
		static struct spoor_value_model values;

		if (spoor_unpack(body + sizeof(info), size - sizeof(info), (uint32_t)info.counter, words, count,
				 block->header.compression == SPOOR_COMPRESSION_VALUES ? &values : NULL) < 0)
			fault("a slice of thread %u does not unpack", info.thread_id);
	} else {
		memcpy(words, body + sizeof(info), (size_t)count * 8);
	}
	keep_slice(&info, words, count);
	if (block->extension.flags & SPOOR_BLOCK_PARTIAL)
		facts.slices[facts.slice_count - 1].partial = (unsigned int)facts.slice_count;
}

/* Copies the body: blocks begin at any offset, and records must be aligned. */
static const uint8_t *aligned(const uint8_t *body, size_t size)
{
	static uint8_t **copies;
	static size_t copy_count;

	copies = grow(copies, copy_count, sizeof(*copies));
	copies[copy_count] = malloc(size + 1);
	if (!copies[copy_count])
		exit(1);
	return memcpy(copies[copy_count++], body, size);
}

static void read_block(const struct spoor_block *block, const uint8_t *body, size_t size)
{
	struct module *module;
	uint64_t sleds;

	if (block->extension.kind != SPOOR_BLOCK_EVENTS)
		body = aligned(body, size);
	switch (block->extension.kind) {
	case SPOOR_BLOCK_EVENTS:
		read_events(block, body, size);
		break;
	case SPOOR_BLOCK_PROCESS: {
		const char *pid = memmem(body, size, "process=", 8), *parent = memmem(body, size, "parent=", 7);

		facts.process_id = pid ? atol(pid + 8) : -1;
		facts.parent_id = parent ? atol(parent + 7) : -1;
		break;
	}
	case SPOOR_BLOCK_MODULE:
		read_module(body, size);
		break;
	case SPOOR_BLOCK_MODULE_GONE:
		module = module_of(((const struct spoor_module_gone *)(const void *)body)->base);
		if (module)
			module->gone = true;
		else
			fault("a module went that had not come");
		break;
	case SPOOR_BLOCK_THREAD:
		facts.names = grow(facts.names, facts.name_count, sizeof(*facts.names));
		facts.names[facts.name_count].thread_id = (uint32_t)block->header.thread_id;
		snprintf(facts.names[facts.name_count++].text, sizeof(facts.names->text), "%.*s", (int)size, body);
		break;
	case SPOOR_BLOCK_LOSS:
		for (size_t i = 0; i < size / sizeof(struct spoor_loss_record); i++) {
			const struct spoor_loss_record *loss = (const struct spoor_loss_record *)(const void *)body + i;

			if (loss->cause != SPOOR_LOSS_FILE_BYTES)
				facts.lost[loss->cause & 7] = loss->events;
		}
		break;
	case SPOOR_BLOCK_SKIPPED_SLEDS: {
		const struct spoor_skipped_sleds *alone = (const void *)body;

		module = module_of(alone->base);
		if (module)
			module->alone = *alone;
		else
			fault("skipped sleds in an unknown module");
		break;
	}
	case SPOOR_BLOCK_FOREIGN:
		sleds = ((const struct spoor_foreign *)(const void *)body)->sleds;
		printf("foreign\t%s\t%s\t%" PRIu64 "\t%s\n", facts.folder,
		       (const char *)body + sizeof(struct spoor_foreign), sleds & ~SPOOR_FOREIGN_ELSEWHERE,
		       sleds & SPOOR_FOREIGN_ELSEWHERE ? "name-space" : "stub");
		break;
	case SPOOR_BLOCK_NAMED_THREAD:
		printf("named\t%s\t%u\t%u\t%.*s\n", facts.folder, (uint32_t)block->header.thread_id,
		       ((const struct spoor_named_thread *)(const void *)body)->thread_serial,
		       (int)(size - sizeof(struct spoor_named_thread)), body + sizeof(struct spoor_named_thread));
		break;
	case SPOOR_BLOCK_EVENT_TYPE: {
		const struct spoor_event_type *type = (const void *)body;

		printf("type\t%s\t%u\t%u\t%.*s\n", facts.folder, type->type, type->payload_1,
		       (int)(size - sizeof(*type)), (const char *)(type + 1));
		break;
	}
	case SPOOR_BLOCK_STRING:
		printf("string\t%s\t%" PRIu64 "\t%.*s\n", facts.folder,
		       ((const struct spoor_string *)(const void *)body)->id,
		       (int)(size - sizeof(struct spoor_string)), body + sizeof(struct spoor_string));
		break;
	case SPOOR_BLOCK_TRIGGER: {
		const struct spoor_trigger_record *record = (const void *)body;

		module = module_of(record->index);
		if (size != sizeof(*record) || record->began > record->noticed || !module)
			fault("a trigger that makes no sense");
		printf("trigger\t%s\t%u\t%u\t%s\t%.0f\n", facts.folder, (uint32_t)block->header.thread_id,
		       record->number, record->ended ? "ended" : "open",
		       (double)((record->ended ? record->ended : record->noticed) - record->began));
		break;
	}
	case SPOOR_BLOCK_THREAD_LOST: {
		const struct spoor_thread_lost *thread = (const void *)body;

		if (size != sizeof(*thread) || !thread->events)
			fault("losses that make no sense");
		printf("loser\t%s\t%u\t%u\t%" PRIu64 "\n", facts.folder, (uint32_t)block->header.thread_id,
		       thread->thread_serial, thread->events);
		break;
	}
	case SPOOR_BLOCK_MODE: {
		const struct spoor_mode_record *record = (const void *)body;

		if (size != sizeof(*record) || record->mode > SPOOR_MODE_NUMBER_ORDER)
			fault("a mode that there is not");
		printf("mode\t%s\t%u\n", facts.folder, record->mode);
		break;
	}
	case SPOOR_BLOCK_DISABLED: {
		const struct spoor_disabled *record = (const void *)body;
		const struct spoor_index_run *runs = (const void *)(record + 1);
		uint64_t end = 0;

		if (size < sizeof(*record) + sizeof(*runs) || (size - sizeof(*record)) % sizeof(*runs) ||
		    record->asked > record->counter) {
			fault("a record of disabled functions has no function, or an impossible time");
			break;
		}
		for (const struct spoor_index_run *run = runs; (const char *)run < (const char *)body + size; run++) {
			if (!run->count || (run > runs && run->first <= end))
				fault("disabled functions out of order at %u", run->first);
			end = (uint64_t)run->first + run->count;
		}
		break;
	}
	case SPOOR_BLOCK_CAPTURE: {
		const struct spoor_capture_record *record = (const void *)body;
		size_t least = sizeof(*record);

		if (size >= least)
			least += record->value_count * (sizeof(struct spoor_capture_value) + 1) +
				 record->run_count * sizeof(struct spoor_index_run);
		if (size < least || !record->run_count || !record->value_count || !record->number ||
		    ((const char *)body)[size - 1] != '\0')
			fault("a capture that makes no sense");
		else
			printf("capture\t%s\t%u\t%u\n", facts.folder, record->number, record->value_count);
		break;
	}
	case SPOOR_BLOCK_ROOTS: {
		const struct spoor_roots *record = (const void *)body;

		if (size < sizeof(*record) || size != sizeof(*record) + record->count * sizeof(struct spoor_root))
			fault("roots that make no sense");
		facts.roots = grow(facts.roots, facts.root_count, sizeof(*facts.roots));
		facts.roots[facts.root_count++] = (struct thread_roots){ (uint32_t)block->header.thread_id, record };
		break;
	}
	case SPOOR_BLOCK_END:
		facts.ended = true;
		break;
	default:
		fault("a block of kind %u", block->extension.kind);
	}
}

/* Maps a file of the current process folder. */
static struct bytes map_of_folder(const char *trace, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s", trace, facts.folder, name);
	return map_file(path);
}

void facts_read_blocks(const char *trace, const char *name)
{
	struct bytes file = map_of_folder(trace, name);
	size_t at = 0;

	while (at < file.size) {
		struct spoor_block block;
		size_t size = 0;

		if (file.size - at >= sizeof(block)) {
			memcpy(&block, file.at + at, sizeof(block));
			if (memcmp(block.header.magic, SPOOR_TRACE_MAGIC, SPOOR_TRACE_MAGIC_SIZE) != 0) {
				fault("%s: no block at %zu", name, at);
				return;
			}
			size = sizeof(block.header) + block.header.payload_bytes;
		}
		if (size == 0 || size > file.size - at) {
			printf("torn\t%s\t%s\t%zu\n", facts.folder, name, file.size - at);
			return;
		}
		if (spoor_block_checksum(file.at + at) != block.extension.checksum)
			fault("%s: the block at %zu has a wrong checksum", name, at);
		else
			read_block(&block, file.at + at + sizeof(block), size - sizeof(block));
		at += size;
	}
}

void facts_read_pool(const char *trace)
{
	struct bytes file = map_of_folder(trace, SPOOR_POOL_FILE);
	const struct spoor_pool *pool = (const void *)file.at;

	if (file.size < SPOOR_POOL_SLICES_OFFSET || pool->magic != SPOOR_POOL_MAGIC)
		return;
	for (uint32_t i = 0; i < pool->slice_count; i++) {
		const struct spoor_slice_info *info =
			(const struct spoor_slice_info *)(const void *)(file.at + SPOOR_POOL_INFOS_OFFSET) + i;
		const uint64_t *from;
		uint64_t *words;
		uint32_t most, count = 0;

		if ((pool->free[i / 64] >> (i % 64) & 1) || !info->counter)
			continue;
		from = (const uint64_t *)(const void *)(file.at + spoor_pool_slice_offset(i) + info->offset);
		most = (SPOOR_SLICE_BYTES - info->offset) / 8;
		words = calloc(most + 1, 8);
		for (uint32_t word = 0; word < (info->words ? info->words : most); word++) {
			uint32_t left = (uint32_t)(from[word] >> 32) & SPOOR_INDEX_MAX;

			/* Skips a hole, the words after a hole, and the end of the slice. */
			if (!(from[word] >> 61))
				continue;
			if (from[word] >> 61 != SPOOR_EVENT_EXTENDED)
				left = 0;
			words[count++] = from[word];
			for (; left && word + 1 < most; left--)
				words[count++] = from[++word];
		}
		keep_slice(info, words, count);
	}
	for (int cause = 0; cause < 8; cause++) {
		if (pool->lost[cause] > facts.lost[cause])
			facts.lost[cause] = pool->lost[cause];
	}
}
