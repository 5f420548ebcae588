/* SPDX-License-Identifier: MIT */
/*
 * trace_facts.c - what a trace directory holds, as lines that a script can ask.
 *
 * Shares nothing with the tools but the formats' headers and the unpacking, so
 * that one can be wrong without the other. Tab-separated, one fact a line;
 * FOLDER is the process's folder in the trace:
 *
 *   process   FOLDER PID PARENT ended|cut
 *   module    FOLDER PATH FUNCTIONS loaded|gone
 *   alone     FOLDER PATH other-kind unexpected conditional stack no-function out-of-reach
 *   foreign   FOLDER PATH SLEDS
 *   thread    FOLDER TID SERIAL ENTRIES EXITS OPEN NAME
 *   function  FOLDER FILE NAME ENTRIES EXITS UNWOUND
 *   lost      FOLDER CAUSE EVENTS
 *   user      FOLDER TID TYPE PAYLOAD1 PAYLOAD2 TIME
 *   named     FOLDER TID SERIAL NAME
 *   type      FOLDER TYPE PAYLOAD-KIND NAME
 *   string    FOLDER ID TEXT
 *   trigger   FOLDER TID NUMBER open|ended COUNTS
 *   mode      FOLDER NUMBER
 *   torn      FOLDER FILE BYTES
 *
 * Exit: 0, or 1 where the trace contradicts itself: a checksum that is wrong, a
 * word of no known module and, unless -n is given, a slice that is missing or an
 * exit that is not the innermost open function's. (A forked child leaves
 * functions that its parent entered.)
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "block.h"
#include "packing.h"
#include "pool_format.h"
#include "registration.h"

struct bytes {
	const uint8_t *at;
	size_t size;
};

struct module {
	struct spoor_module_record record;
	char *path;
	bool gone;
	char **names;			/* by local ID */
	uint64_t *entries, *exits, *unwound;	/* by local ID */
	struct spoor_left_alone alone;
};

struct slice {
	struct spoor_slice_info info;
	uint64_t *words;
	uint32_t count;
	unsigned int partial;	/* it was in use still: the later ones have more; 0: all of it */
};

struct name {
	uint32_t thread_id;
	char text[64];
};

static const char *folder;
static struct module *modules;
static size_t module_count;
static struct slice *slices;
static size_t slice_count;
static struct name *names;
static size_t name_count;
static uint64_t lost[8];
static long process_id, parent_id;
static bool ended, forked, any_nesting;
static int faults;

static void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fault(const char *format, ...)
{
	va_list arguments;

	if (faults++ > 20)
		return;
	fprintf(stderr, "trace_facts: %s: ", folder);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

static void *grow(void *array, size_t count, size_t size)
{
	/* By powers of two. */
	if (count & (count - 1))
		return array;
	array = realloc(array, (count ? 2 * count : 1) * size);
	if (!array)
		abort();
	return array;
}

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

/* Names of a module's functions: its table in the file, joined with its symbols. */
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

static struct module *module_of(uint32_t index)
{
	for (size_t i = 0; i < module_count; i++) {
		if (index - modules[i].record.base < modules[i].record.count)
			return &modules[i];
	}
	return NULL;
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
		/* The same file once more, where it was before or elsewhere. */
		if (strcmp(module->path, (const char *)body + sizeof(record) + record.build_id_bytes) != 0)
			fault("two files, %s and another, at base %u", module->path, record.base);
		module->gone = false;
		return;
	}
	modules = grow(modules, module_count, sizeof(*modules));
	module = &modules[module_count++];
	memset(module, 0, sizeof(*module));
	module->record = record;
	module->path = strdup((const char *)body + sizeof(record) + record.build_id_bytes);
	read_names(module);
}

static void keep_slice(const struct spoor_slice_info *info, uint64_t *words, uint32_t count)
{
	slices = grow(slices, slice_count, sizeof(*slices));
	slices[slice_count++] = (struct slice){ *info, words, count, 0 };
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
	if (block->header.compression == SPOOR_COMPRESSION_PACKED) {
		if (spoor_unpack(body + sizeof(info), size - sizeof(info), (uint32_t)info.counter, words, count) < 0)
			fault("a slice of thread %u does not unpack", info.thread_id);
	} else {
		memcpy(words, body + sizeof(info), (size_t)count * 8);
	}
	keep_slice(&info, words, count);
	slices[slice_count - 1].partial = block->extension.flags & SPOOR_BLOCK_PARTIAL ? (unsigned int)slice_count : 0;
}

/* What was read is wanted until the end. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* Blocks stand wherever the ones before them end; their records are to be aligned. */
static const uint8_t *aligned(const uint8_t *body, size_t size)
{
	static uint8_t **copies;
	static size_t count;

	copies = grow(copies, count, sizeof(*copies));
	copies[count] = malloc(size + 1);
	if (!copies[count])
		exit(1);
	return memcpy(copies[count++], body, size);
}

static void read_block(const struct spoor_block *block, const uint8_t *body, size_t size)
{
	struct module *module;

	if (block->extension.kind != SPOOR_BLOCK_EVENTS)
		body = aligned(body, size);
	switch (block->extension.kind) {
	case SPOOR_BLOCK_EVENTS:
		read_events(block, body, size);
		break;
	case SPOOR_BLOCK_PROCESS: {
		const char *pid = memmem(body, size, "process=", 8), *parent = memmem(body, size, "parent=", 7);

		process_id = pid ? atol(pid + 8) : -1;
		parent_id = parent ? atol(parent + 7) : -1;
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
		names = grow(names, name_count, sizeof(*names));
		names[name_count].thread_id = (uint32_t)block->header.thread_id;
		snprintf(names[name_count++].text, sizeof(names->text), "%.*s", (int)size, body);
		break;
	case SPOOR_BLOCK_LOSS:
		for (size_t i = 0; i < size / sizeof(struct spoor_loss_record); i++) {
			const struct spoor_loss_record *loss = (const struct spoor_loss_record *)(const void *)body + i;

			lost[loss->cause & 7] = loss->events;
		}
		break;
	case SPOOR_BLOCK_LEFT_ALONE: {
		const struct spoor_left_alone *alone = (const void *)body;

		module = module_of(alone->base);
		if (module)
			module->alone = *alone;
		else
			fault("sleds left alone in no known module");
		break;
	}
	case SPOOR_BLOCK_FOREIGN:
		printf("foreign\t%s\t%s\t%" PRIu64 "\n", folder, (const char *)body + sizeof(struct spoor_foreign),
		       ((const struct spoor_foreign *)(const void *)body)->sleds);
		break;
	case SPOOR_BLOCK_NAMED_THREAD:
		printf("named\t%s\t%u\t%u\t%.*s\n", folder, (uint32_t)block->header.thread_id,
		       ((const struct spoor_named_thread *)(const void *)body)->thread_serial,
		       (int)(size - sizeof(struct spoor_named_thread)), body + sizeof(struct spoor_named_thread));
		break;
	case SPOOR_BLOCK_EVENT_TYPE: {
		const struct spoor_event_type *type = (const void *)body;

		printf("type\t%s\t%u\t%u\t%.*s\n", folder, type->type, type->payload_1, (int)(size - sizeof(*type)),
		       (const char *)(type + 1));
		break;
	}
	case SPOOR_BLOCK_STRING:
		printf("string\t%s\t%" PRIu64 "\t%.*s\n", folder, ((const struct spoor_string *)(const void *)body)->id,
		       (int)(size - sizeof(struct spoor_string)), body + sizeof(struct spoor_string));
		break;
	case SPOOR_BLOCK_TRIGGER: {
		const struct spoor_trigger_record *record = (const void *)body;

		module = module_of(record->index);
		if (size != sizeof(*record) || record->began > record->noticed || !module)
			fault("a trigger that makes no sense");
		printf("trigger\t%s\t%u\t%u\t%s\t%.0f\n", folder, (uint32_t)block->header.thread_id, record->number,
		       record->ended ? "ended" : "open",
		       (double)((record->ended ? record->ended : record->noticed) - record->began));
		break;
	}
	case SPOOR_BLOCK_MODE: {
		const struct spoor_mode_record *record = (const void *)body;

		if (size != sizeof(*record) || record->mode > SPOOR_MODE_NUMBER_OFF)
			fault("a mode that there is not");
		printf("mode\t%s\t%u\n", folder, record->mode);
		break;
	}
	case SPOOR_BLOCK_END:
		ended = true;
		break;
	default:
		fault("a block of kind %u", block->extension.kind);
	}
}

static void read_blocks(const char *name, struct bytes file)
{
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
			printf("torn\t%s\t%s\t%zu\n", folder, name, file.size - at);
			return;
		}
		if (spoor_block_checksum(file.at + at) != block.extension.checksum)
			fault("%s: the block at %zu has a wrong checksum", name, at);
		else
			read_block(&block, file.at + at + sizeof(block), size - sizeof(block));
		at += size;
	}
}

/* Slices that nobody wrote: full ones, and those that were in use at the end. */
static void read_pool(struct bytes file)
{
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

			/* A hole, or the end, or what stands behind a hole. */
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
		if (pool->lost[cause] > lost[cause])
			lost[cause] = pool->lost[cause];
	}
}

static int compare_slices(const void *a, const void *b)
{
	const struct spoor_slice_info *x = &((const struct slice *)a)->info, *y = &((const struct slice *)b)->info;

	if (x->thread_serial != y->thread_serial)
		return x->thread_serial < y->thread_serial ? -1 : 1;
	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	/* What is whole first, then the later ones. */
	unsigned int p = ((const struct slice *)a)->partial, q = ((const struct slice *)b)->partial;

	return p == q ? 0 : !p || (q && p > q) ? -1 : 1;
}

struct walk {
	struct open_function {
		uint32_t index, frame;
	} *stack;
	size_t depth;
	uint64_t entries, exits;
	/* What was left for another stack. */
	struct left_stack {
		struct open_function *stack;
		size_t depth;
		uint32_t frame;
	} *left;
	size_t left_count;
	bool gap;	/* some calls' entries may not be there */
};

/* Stacks are switched: @place is of the frame that leaves, or goes on. */
static void walk_switch(struct walk *walk, uint32_t place)
{
	uint32_t frame = place & (SPOOR_SWITCH_GOES_ON - 1);
	size_t at = 0;

	while (at < walk->left_count && walk->left[at].frame != frame)
		at++;
	if (place & SPOOR_SWITCH_GOES_ON) {
		if ((at == walk->left_count || walk->depth) && !walk->gap)
			fault("a stack goes on that was not left, or with %zu calls open", walk->depth);
		if (at == walk->left_count)
			return;
		free(walk->stack);
		walk->stack = walk->left[at].stack;
		walk->depth = walk->left[at].depth;
		walk->left[at] = walk->left[--walk->left_count];
		return;
	}
	if (at < walk->left_count)
		fault("a stack is left twice");
	walk->left = grow(walk->left, walk->left_count, sizeof(*walk->left));
	walk->left[walk->left_count++] = (struct left_stack){ walk->stack, walk->depth, frame };
	walk->stack = NULL;
	walk->depth = 0;
}

/* An exception or longjmp has arrived in the function with this frame. */
static void walk_unwind(struct walk *walk, uint32_t frame)
{
	size_t at = frame ? walk->depth : 0;

	while (at && walk->stack[at - 1].frame != frame)
		at--;
	if (!at && frame)
		return;
	while (walk->depth > at) {
		uint32_t index = walk->stack[--walk->depth].index;
		struct module *module = module_of(index);

		module->unwound[index - module->record.base]++;
	}
}

/* The thread may have run unrecorded: what was open is not known to be. */
static void walk_gap(struct walk *walk)
{
	walk_unwind(walk, 0);
	while (walk->left_count)
		free(walk->left[--walk->left_count].stack);
	walk->gap = true;
}

static void walk_event(struct walk *walk, const struct slice *slice, uint32_t code)
{
	uint32_t kind = code >> SPOOR_INDEX_BITS, index = code & SPOOR_INDEX_MAX;
	struct module *module;

	if (kind == SPOOR_EVENT_FRAME) {
		if (walk->depth && !walk->stack[walk->depth - 1].frame)
			walk->stack[walk->depth - 1].frame = index;
		return;
	}
	if (kind == SPOOR_EVENT_UNWIND) {
		walk_unwind(walk, index);
		return;
	}
	if (kind == SPOOR_EVENT_SWITCH) {
		if (!any_nesting)
			walk_switch(walk, index);
		return;
	}
	module = module_of(index);
	if (!module) {
		fault("thread %u: a word of no module: %08x", slice->info.thread_id, code);
		return;
	}
	if (kind == SPOOR_EVENT_ENTRY) {
		walk->stack = grow(walk->stack, walk->depth, sizeof(*walk->stack));
		walk->stack[walk->depth++] = (struct open_function){ .index = index };
		walk->entries++;
		module->entries[index - module->record.base]++;
		return;
	}
	walk->exits++;
	module->exits[index - module->record.base]++;
	if (any_nesting || (!walk->depth && (forked || walk->gap))) {
		walk->depth -= walk->depth > 0;
	} else if (!walk->depth || walk->stack[walk->depth - 1].index != index) {
		fault("thread %u: exit of %s:%u, but %s is open", slice->info.thread_id, module->path,
		      index - module->record.base, walk->depth ? "another function" : "nothing");
	} else {
		walk->depth--;
	}
}

static void walk_user(const struct slice *slice, const uint64_t *words, uint32_t count)
{
	uint64_t payload_1 = (words[1] & 0xffffffffffff) | (words[2] & 0xffff) << 48;

	for (uint32_t i = 0; i < count; i++) {
		if (words[i] >> 60 != 1)
			fault("thread %u: word %u of a user event is %016" PRIx64, slice->info.thread_id, i, words[i]);
	}
	printf("user\t%s\t%u\t%u\t%" PRIu64 "\t%u\t%" PRIu64 "\n", folder, slice->info.thread_id,
	       (uint32_t)(words[2] >> 16), payload_1, (uint32_t)words[3],
	       count > 4 ? words[4] & (SPOOR_USER_MARK - 1) : (uint64_t)0);
}

static void walk_slice(struct walk *walk, const struct slice *slice)
{
	for (uint32_t i = 0; i < slice->count; i++) {
		uint32_t code = (uint32_t)(slice->words[i] >> 32), left = code & SPOOR_INDEX_MAX;

		if (code >> SPOOR_INDEX_BITS != SPOOR_EVENT_EXTENDED) {
			walk_event(walk, slice, code);
			continue;
		}
		if ((uint32_t)slice->words[i] == SPOOR_EXTENDED_TIMED_EVENT && i + 2 < slice->count)
			walk_event(walk, slice, (uint32_t)slice->words[i + 2]);
		if ((uint32_t)slice->words[i] == SPOOR_EXTENDED_GAP)
			walk_gap(walk);
		if ((uint32_t)slice->words[i] == SPOOR_EXTENDED_USER && i + left < slice->count && left >= 4)
			walk_user(slice, &slice->words[i + 1], left);
		i += left;
	}
}

static void walk_threads(void)
{
	struct walk walk = { 0 };

	if (slice_count)
		qsort(slices, slice_count, sizeof(*slices), compare_slices);
	for (size_t i = 0; i < slice_count; i++) {
		const struct slice *slice = &slices[i];
		bool first = i == 0 || slices[i - 1].info.thread_serial != slice->info.thread_serial;
		bool last = i + 1 == slice_count || slices[i + 1].info.thread_serial != slice->info.thread_serial;
		const char *name = "";

		if (!first && slices[i - 1].info.sequence == slice->info.sequence) {
			/* Written, and not yet given back when the process ended. */
		} else {
			if (slice->info.sequence != (first ? 0 : slices[i - 1].info.sequence + 1) && !any_nesting)
				fault("thread %u: slice %" PRIu64 " comes after %" PRId64, slice->info.thread_id,
				      slice->info.sequence, first ? -1 : (int64_t)slices[i - 1].info.sequence);
			walk_slice(&walk, slice);
		}
		if (!last)
			continue;
		for (size_t j = 0; j < name_count; j++) {
			if (names[j].thread_id == slice->info.thread_id)
				name = names[j].text;
		}
		printf("thread\t%s\t%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%zu\t%s\n", folder, slice->info.thread_id,
		       slice->info.thread_serial, walk.entries, walk.exits, walk.depth, name);
		walk.depth = 0;
		walk.entries = walk.exits = 0;
		walk.gap = false;
		while (walk.left_count)
			free(walk.left[--walk.left_count].stack);
	}
	free(walk.stack);
	free(walk.left);
}

static void print_modules(void)
{
	for (size_t i = 0; i < module_count; i++) {
		const struct module *module = &modules[i];
		const struct spoor_left_alone *alone = &module->alone;
		const char *file = strrchr(module->path, '/');

		printf("module\t%s\t%s\t%u\t%s\n", folder, module->path, module->record.count,
		       module->gone ? "gone" : "loaded");
		if (alone->other_kind | alone->unexpected_bytes | alone->conditional_jump | alone->stack_operand |
		    alone->no_function | alone->out_of_reach)
			printf("alone\t%s\t%s\t%u\t%u\t%u\t%u\t%u\t%u\n", folder, module->path, alone->other_kind,
			       alone->unexpected_bytes, alone->conditional_jump, alone->stack_operand,
			       alone->no_function, alone->out_of_reach);
		for (uint32_t local = 0; local < module->record.count; local++) {
			if (module->entries[local] || module->exits[local])
				printf("function\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", folder,
				       file ? file + 1 : module->path,
				       module->names[local] ? module->names[local] : "?", module->entries[local],
				       module->exits[local], module->unwound[local]);
		}
	}
}

static void read_folder(const char *trace, const char *name)
{
	static const char *const causes[] = { "pool", "thread", "hole", "write", "thread-full", "cleared" };
	char path[PATH_MAX];

	folder = name;
	module_count = slice_count = name_count = 0;
	modules = NULL;
	slices = NULL;
	names = NULL;
	memset(lost, 0, sizeof(lost));
	ended = false;
	process_id = parent_id = -1;
	snprintf(path, sizeof(path), "%s/%s/" SPOOR_PROCESS_FILE, trace, name);
	read_blocks(SPOOR_PROCESS_FILE, map_file(path));
	printf("process\t%s\t%ld\t%ld\t%s\n", folder, process_id, parent_id, ended ? "ended" : "cut");
	snprintf(path, sizeof(path), "%s/%s/" SPOOR_EVENTS_FILE, trace, name);
	read_blocks(SPOOR_EVENTS_FILE, map_file(path));
	snprintf(path, sizeof(path), "%s/%s/" SPOOR_POOL_FILE, trace, name);
	read_pool(map_file(path));
	snprintf(path, sizeof(path), "%s/%ld", trace, parent_id);
	forked = access(path, F_OK) == 0;
	walk_threads();
	print_modules();
	for (int cause = 0; cause < SPOOR_LOSS_COUNT; cause++) {
		if (lost[cause])
			printf("lost\t%s\t%s\t%" PRIu64 "\n", folder, causes[cause], lost[cause]);
	}
}

int main(int argc, char **argv)
{
	const char *trace = argv[argc - 1];
	struct dirent *entry;
	DIR *directory;

	any_nesting = argc == 3 && strcmp(argv[1], "-n") == 0;
	directory = argc == 2 || any_nesting ? opendir(trace) : NULL;
	if (!directory) {
		fprintf(stderr, "usage: trace_facts [-n] TRACE (%s)\n", argc > 1 ? strerror(errno) : "none given");
		return 2;
	}
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			read_folder(trace, entry->d_name);
	}
	closedir(directory);
	return faults ? 1 : 0;
}
