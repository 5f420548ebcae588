/* SPDX-License-Identifier: MIT */
/*
 * raw_counts.c - reads the trace of a process without tools/reader, checks that it is
 * complete and that its events nest, and counts them.
 *
 * usage: raw_counts FOLDER
 *
 * Prints a line for each function that was called, as count_hooks.c does: the
 * module's path, the address in the module, entries, exits. The exit status
 * is 0 if every thread has all its slices, no event was lost, the process ended
 * in order, and every exit belongs to a function that was open. An exit may pass
 * over open functions, such as those that longjmp left, if they have fewer exits
 * than entries. stderr says how many those were.
 *
 * The program shares only the format's headers and the unpacker with the tools.
 */
#include "format/packing.h"
#include "format/trace_format.h"
#include "format/registration.h"

#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_LIMIT = 1 << 22, FUNCTIONS_LIMIT = 1 << 20 };

struct file {
	const uint8_t *bytes;
	size_t size;
};

struct slice {
	const struct spoor_block *block;
	struct spoor_slice_info info;
};

struct function {
	const char *path;
	uint64_t address;
	uint64_t entries, exits, left;
};

static struct function functions[FUNCTIONS_LIMIT];
static uint32_t open_functions[DEPTH_LIMIT], frames[DEPTH_LIMIT];
static size_t depth;
static uint64_t unmatched, left_open, faults;

static struct file map_file(const char *path)
{
	struct stat status;
	struct file file = {0};
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);

	if (descriptor < 0 || fstat(descriptor, &status) < 0)
		err(1, "%s", path);
	file.size = status.st_size;
	if (file.size) {
		file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, descriptor, 0);
		if (file.bytes == MAP_FAILED)
			err(1, "%s", path);
	}
	close(descriptor);
	return file;
}

/* Copies of the blocks, which are not aligned in a file. */
static struct copy {
	struct copy *next;
	struct spoor_block block;
} *copies;

/* Returns the block at @offset, and advances @offset to the next one. Returns null at the end. */
static const struct spoor_block *next_block(const struct file *file, size_t *offset)
{
	struct spoor_block begin;
	struct copy *copy;
	size_t bytes;

	if (*offset == file->size)
		return NULL;
	if (file->size - *offset < sizeof(begin))
		errx(1, "no block at offset %zu", *offset);
	memcpy(&begin, file->bytes + *offset, sizeof(begin));
	if (memcmp(begin.header.magic, SPOOR_TRACE_MAGIC, SPOOR_TRACE_MAGIC_SIZE) ||
	    begin.header.payload_bytes < sizeof(begin.extension) ||
	    begin.header.payload_bytes > file->size - *offset - sizeof(begin.header))
		errx(1, "no block at offset %zu", *offset);
	bytes = sizeof(begin.header) + begin.header.payload_bytes;
	copy = malloc(sizeof(*copy) + bytes);
	if (!copy)
		err(1, "a block");
	copy->next = copies;
	copies = copy;
	memcpy(&copy->block, file->bytes + *offset, bytes);
	*offset += bytes;
	return &copy->block;
}

static const void *body(const struct spoor_block *block)
{
	return block + 1;
}

static size_t body_bytes(const struct spoor_block *block)
{
	return block->header.payload_bytes - sizeof(block->extension);
}

/* Reads the addresses of a module's functions from the function table in its file. */
static void name_functions(const struct spoor_module_record *record, const char *path)
{
	struct file file = map_file(path);
	const Elf64_Ehdr *header = (const void *)file.bytes;
	const Elf64_Shdr *sections = (const void *)(file.bytes + header->e_shoff);
	const char *names = (const char *)file.bytes + sections[header->e_shstrndx].sh_offset;

	for (int i = 0; i < header->e_shnum; i++) {
		const struct spoor_function *table = (const void *)(file.bytes + sections[i].sh_offset);

		if (strcmp(names + sections[i].sh_name, "spoor_functions"))
			continue;
		if (sections[i].sh_size != record->count * sizeof(*table))
			errx(1, "%s: its function table is not the one in the trace", path);
		for (uint32_t f = 0; f < record->count; f++) {
			struct function *function = &functions[record->base + f];

			function->path = path;
			function->address = sections[i].sh_addr + f * sizeof(*table) + table[f].address;
		}
		return;
	}
	errx(1, "%s: no function table", path);
}

static void read_process(const struct file *file)
{
	const struct spoor_block *block;
	size_t offset = 0;
	bool ended = false;

	while ((block = next_block(file, &offset))) {
		const struct spoor_module_record *record = body(block);
		const struct spoor_loss_record *losses = body(block);

		switch (block->extension.kind) {
		case SPOOR_BLOCK_MODULE:
			if (record->base + (uint64_t)record->count > FUNCTIONS_LIMIT)
				errx(1, "too many functions");
			name_functions(record, (const char *)(record + 1) + record->build_id_bytes);
			break;
		case SPOOR_BLOCK_LOSS:
			for (size_t i = 0; i < body_bytes(block) / sizeof(*losses); i++) {
				if (!losses[i].events || losses[i].cause == SPOOR_LOSS_FILE_BYTES)
					continue;
				warnx("%ju events were lost, cause %u", (uintmax_t)losses[i].events, losses[i].cause);
				faults++;
			}
			break;
		case SPOOR_BLOCK_END:
			ended = true;
			break;
		}
	}
	if (!ended) {
		warnx("the process did not end in order");
		faults++;
	}
}

static void leave_down_to(uint32_t index)
{
	size_t at = depth;

	while (at > 0 && open_functions[at - 1] != index)
		at--;
	if (at == 0) {
		unmatched++;
		return;
	}
	while (depth > at)
		functions[open_functions[--depth]].left++;
	depth--;
}

/* Closes the calls that an exception or longjmp left, up to the call with this frame. */
static void unwind_to(uint32_t frame)
{
	size_t at = frame ? depth : 0;

	while (at > 0 && frames[at - 1] != frame)
		at--;
	if (at == 0 && frame)
		return;
	while (depth > at)
		functions[open_functions[--depth]].left++;
}

static void take_event(uint32_t code)
{
	uint32_t kind = code >> SPOOR_INDEX_BITS, index = code & SPOOR_INDEX_MAX;

	if (kind == SPOOR_EVENT_FRAME) {
		if (depth && !frames[depth - 1])
			frames[depth - 1] = index;
		return;
	}
	if (kind == SPOOR_EVENT_UNWIND) {
		unwind_to(index);
		return;
	}
	if (kind == SPOOR_EVENT_SWITCH)
		return;
	if (index >= FUNCTIONS_LIMIT || !functions[index].path)
		errx(1, "an event of function %u, which no module has", index);
	switch (kind) {
	case SPOOR_EVENT_ENTRY:
		if (depth == DEPTH_LIMIT)
			errx(1, "nested too deeply");
		frames[depth] = 0;
		open_functions[depth++] = index;
		functions[index].entries++;
		break;
	case SPOOR_EVENT_EXIT:
	case SPOOR_EVENT_TAIL_EXIT:
		functions[index].exits++;
		leave_down_to(index);
		break;
	default:
		errx(1, "an event of the unknown kind %u", kind);
	}
}

static void take_slice(const struct slice *slice)
{
	static uint64_t words[SPOOR_BLOCK_BODY_MAX / 8];
	const uint8_t *packed = (const uint8_t *)body(slice->block) + sizeof(slice->info);
	size_t bytes = body_bytes(slice->block) - sizeof(slice->info);
	size_t count = slice->block->header.event_count;

	if (count > SPOOR_SLICE_WORDS)
		errx(1, "a slice of %zu words", count);
	if (slice->block->header.compression == SPOOR_COMPRESSION_NONE && bytes == 8 * count)
		memcpy(words, packed, bytes);
	else if (spoor_unpack(packed, bytes, (uint32_t)slice->info.counter, words, count, NULL) < 0)
		errx(1, "a slice cannot be unpacked");
	for (size_t i = 0; i < count; i++) {
		uint32_t code = words[i] >> 32;

		if (code >> SPOOR_INDEX_BITS != SPOOR_EVENT_EXTENDED) {
			take_event(code);
			continue;
		}
		if ((uint32_t)words[i] == SPOOR_EXTENDED_TIMED_EVENT)
			take_event((uint32_t)words[i + 2]);
		i += code & SPOOR_INDEX_MAX;
	}
}

static int compare_slices(const void *a, const void *b)
{
	const struct spoor_slice_info *x = &((const struct slice *)a)->info, *y = &((const struct slice *)b)->info;

	if (x->thread_serial != y->thread_serial)
		return x->thread_serial < y->thread_serial ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static size_t read_events(const struct file *file)
{
	const struct spoor_block *block;
	struct slice *slices = NULL;
	size_t offset = 0, count = 0, threads = 0;

	while ((block = next_block(file, &offset))) {
		if (block->extension.kind != SPOOR_BLOCK_EVENTS)
			continue;
		if (count % 1024 == 0 && !(slices = realloc(slices, (count + 1024) * sizeof(*slices))))
			err(1, "memory");
		slices[count].block = block;
		memcpy(&slices[count].info, body(block), sizeof(slices[count].info));
		count++;
	}
	if (count)
		qsort(slices, count, sizeof(*slices), compare_slices);
	for (size_t i = 0; i < count; i++) {
		const struct spoor_slice_info *info = &slices[i].info;
		bool first = i == 0 || info->thread_serial != slices[i - 1].info.thread_serial;

		if (first) {
			left_open += depth;
			depth = 0;
			threads++;
		}
		if (info->sequence != (first ? 0 : slices[i - 1].info.sequence + 1)) {
			warnx("thread %u: slices before number %ju are missing", info->thread_id,
			      (uintmax_t)info->sequence);
			faults++;
		}
		if (info->holes || info->lost) {
			warnx("thread %u: %u holes, %ju lost", info->thread_id, info->holes, (uintmax_t)info->lost);
			faults++;
		}
		take_slice(&slices[i]);
	}
	left_open += depth;
	free(slices);
	return threads;
}

int main(int argc, char *argv[])
{
	uint64_t entries = 0, exits = 0, left = 0;
	struct file process, events;
	size_t threads;

	if (argc != 2)
		errx(2, "usage: raw_counts FOLDER");
	if (chdir(argv[1]) < 0)
		err(1, "%s", argv[1]);
	process = map_file(SPOOR_PROCESS_FILE);
	events = map_file(SPOOR_EVENTS_FILE);
	read_process(&process);
	threads = read_events(&events);
	for (size_t i = 0; i < FUNCTIONS_LIMIT; i++) {
		const struct function *function = &functions[i];

		if (!function->entries && !function->exits)
			continue;
		printf("%s\t%jx\t%ju\t%ju\n", function->path, (uintmax_t)function->address,
		       (uintmax_t)function->entries, (uintmax_t)function->exits);
		entries += function->entries;
		exits += function->exits;
		left += function->left;
	}
	fprintf(stderr, "%zu threads, %ju entries, %ju exits, %ju left otherwise, %ju open at the end\n",
		threads, (uintmax_t)entries, (uintmax_t)exits, (uintmax_t)left, (uintmax_t)left_open);
	if (unmatched) {
		warnx("%ju exits of functions that were not open", (uintmax_t)unmatched);
		faults++;
	}
	if (entries != exits + left + left_open) {
		warnx("entries and exits do not balance");
		faults++;
	}
	return faults != 0;
}
