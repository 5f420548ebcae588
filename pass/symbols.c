/* SPDX-License-Identifier: MIT */
/* symbols.c - the file that describes a unit's functions (symbols.proto). */
#include "symbols.h"

#include "file_bytes.h"
#include "symbols.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct symbol {
	uint64_t id;
	struct description description;
	bool instrumented;
	const char *reason;
};

/* The messages of one function. They point into each other: they must not move. */
struct message {
	Spoor__Symbols__Entry entry;
	Spoor__FunctionInfos infos;
	Spoor__FunctionInfo info, *infos_list[1];
};

int symbols_begin(struct symbols *symbols, const char *module_id)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	struct timespec now;
	char *end;

	*symbols = (struct symbols){.module_id = module_id};
	if (epoch && *epoch) {
		errno = 0;
		symbols->created_s = strtoll(epoch, &end, 10);
		return errno || *end || symbols->created_s < 0 ? -EINVAL : 0;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	symbols->created_s = now.tv_sec;
	symbols->created_ns = (int32_t)now.tv_nsec;
	return 0;
}

int symbols_add(struct symbols *symbols, uint64_t id, struct description *description, bool instrumented,
		const char *reason)
{
	/* For the name to be there when it is written. */
	if (!description_demangled(description))
		return -ENOMEM;
	if (symbols->count == symbols->room) {
		size_t room = symbols->room ? 2 * symbols->room : 64;
		struct symbol *list = realloc(symbols->list, room * sizeof *list);

		if (!list)
			return -ENOMEM;
		symbols->list = list;
		symbols->room = room;
	}
	symbols->list[symbols->count++] = (struct symbol){id, *description, instrumented, reason};
	memset(description, 0, sizeof *description);
	return 0;
}

static void fill(struct message *message, const struct symbols *symbols, const struct symbol *symbol,
		 Spoor__Timestamp *created)
{
	Spoor__FunctionInfo *info = &message->info;

	spoor__symbols__entry__init(&message->entry);
	spoor__function_infos__init(&message->infos);
	spoor__function_info__init(info);
	message->entry.has_key = 1;
	message->entry.key = symbol->id;
	message->entry.value = &message->infos;
	message->infos.n_function_infos = 1;
	message->infos.function_infos = message->infos_list;
	message->infos_list[0] = info;
	info->module_id = (char *)symbols->module_id;
	info->linkage_name = (char *)symbol->description.linkage_name;
	info->demangled_name = symbol->description.demangled_name;
	info->file_name = symbol->description.file_name;
	info->directory = symbol->description.directory;
	info->has_line = symbol->description.line != 0;
	info->line = (int32_t)symbol->description.line;
	info->has_ir_instruction_count = 1;
	info->ir_instruction_count = (int32_t)symbol->description.instructions;
	info->has_instrumented = 1;
	info->instrumented = symbol->instrumented;
	info->instrumented_reason = (char *)symbol->reason;
	info->created_at = created;
}

static int write_message(const struct symbols *symbols, const char *path, struct message *messages,
			 Spoor__Symbols__Entry **entries)
{
	Spoor__Timestamp created = SPOOR__TIMESTAMP__INIT;
	Spoor__Symbols all = SPOOR__SYMBOLS__INIT;
	uint8_t *bytes;
	size_t size;
	int error;

	created.seconds = symbols->created_s;
	created.nanos = symbols->created_ns;
	/* proto3 writes no zeros. */
	created.has_seconds = created.seconds != 0;
	created.has_nanos = created.nanos != 0;
	for (size_t i = 0; i < symbols->count; i++) {
		fill(&messages[i], symbols, &symbols->list[i], &created);
		entries[i] = &messages[i].entry;
	}
	all.n_function_symbols_table = symbols->count;
	all.function_symbols_table = entries;
	size = spoor__symbols__get_packed_size(&all);
	bytes = malloc(size + 1);
	if (!bytes)
		return -ENOMEM;
	spoor__symbols__pack(&all, bytes);
	error = file_bytes_write(path, bytes, size);
	free(bytes);
	return error;
}

int symbols_write(const struct symbols *symbols, const char *path)
{
	struct message *messages = malloc((symbols->count + 1) * sizeof *messages);
	Spoor__Symbols__Entry **entries = malloc((symbols->count + 1) * sizeof *entries);
	int error = messages && entries ? write_message(symbols, path, messages, entries) : -ENOMEM;

	free(messages);
	free(entries);
	return error;
}

void symbols_end(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		description_free(&symbols->list[i].description);
	free(symbols->list);
	memset(symbols, 0, sizeof *symbols);
}
