/* SPDX-License-Identifier: MIT */
/* symbols.c - packs the descriptions of a unit's functions (symbols.proto), and writes them to a file. */
#include "pass/description/symbols.h"

#include "text/file_bytes.h"
#include "format/symbols.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The messages of one function. They contain pointers to each other, so they must not move. */
struct message {
	Spoor__Symbols__Entry entry;
	Spoor__FunctionInfos infos;
	Spoor__FunctionInfo info, *infos_list[1];
};

int symbols_begin(struct symbols *symbols, const char *module_id, const char *source_file)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	struct timespec now;
	char *end;

	*symbols = (struct symbols){.module_id = module_id, .source_file = source_file};
	if (epoch && *epoch) {
		symbols->has_fixed_time = true;
		errno = 0;
		symbols->created_s = strtoll(epoch, &end, 10);
		return errno || *end || symbols->created_s < 0 ? -EINVAL : 0;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	symbols->created_s = now.tv_sec;
	symbols->created_ns = (int32_t)now.tv_nsec;
	return 0;
}

int symbols_add(struct symbols *symbols, struct symbol *symbol)
{
	/* Demangles now, because fill() only copies the name. */
	if (!description_demangled(&symbol->description))
		return -ENOMEM;
	if (symbols->count == symbols->room) {
		size_t room = symbols->room ? 2 * symbols->room : 64;
		struct symbol *list = realloc(symbols->list, room * sizeof *list);

		if (!list)
			return -ENOMEM;
		symbols->list = list;
		symbols->room = room;
	}
	symbols->list[symbols->count++] = *symbol;
	memset(&symbol->description, 0, sizeof symbol->description);
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
	info->file_name = symbol->description.file_name ? symbol->description.file_name :
							  (char *)symbols->source_file;
	info->directory = symbol->description.directory;
	info->has_line = symbol->description.line != 0;
	info->line = (int32_t)symbol->description.line;
	info->has_ir_instruction_count = 1;
	info->ir_instruction_count = (int32_t)symbol->description.instructions;
	info->has_instrumented = 1;
	info->instrumented = symbol->instrumented;
	info->instrumented_reason = (char *)symbol->reason;
	info->has_has_loop = 1;
	info->has_loop = symbol->has_loop;
	info->has_ruled = 1;
	info->ruled = symbol->ruled;
	info->created_at = created;
}

/* Prepares all messages to pack. Returns their number; the lists have room for all functions. */
static size_t fill_all(const struct symbols *symbols, bool section, struct message *messages,
		       Spoor__Symbols__Entry **entries, Spoor__Timestamp *created)
{
	size_t count = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		if (section && !symbols->list[i].in_section)
			continue;
		fill(&messages[count], symbols, &symbols->list[i], section && !symbols->has_fixed_time ? NULL : created);
		entries[count] = &messages[count].entry;
		count++;
	}
	return count;
}

int symbols_pack(const struct symbols *symbols, bool section, uint8_t **bytes, size_t *size)
{
	struct message *messages = malloc((symbols->count + 1) * sizeof *messages);
	Spoor__Symbols__Entry **entries = malloc((symbols->count + 1) * sizeof *entries);
	Spoor__Timestamp created = SPOOR__TIMESTAMP__INIT;
	Spoor__Symbols all = SPOOR__SYMBOLS__INIT;

	*bytes = NULL;
	created.seconds = symbols->created_s;
	created.nanos = symbols->created_ns;
	/* proto3 does not write zeros. */
	created.has_seconds = created.seconds != 0;
	created.has_nanos = created.nanos != 0;
	if (messages && entries) {
		all.n_function_symbols_table = fill_all(symbols, section, messages, entries, &created);
		all.function_symbols_table = entries;
		*size = spoor__symbols__get_packed_size(&all);
		*bytes = malloc(*size + 1);
		if (*bytes)
			spoor__symbols__pack(&all, *bytes);
	}
	free(messages);
	free(entries);
	return *bytes ? 0 : -ENOMEM;
}

int symbols_write(const struct symbols *symbols, const char *path)
{
	uint8_t *bytes;
	size_t size;
	int error = symbols_pack(symbols, false, &bytes, &size);

	if (error == 0)
		error = file_bytes_write(path, bytes, size);
	free(bytes);
	return error;
}

void symbols_end(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		description_free(&symbols->list[i].description);
	free(symbols->list);
	memset(symbols, 0, sizeof *symbols);
}
