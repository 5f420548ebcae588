/* SPDX-License-Identifier: MIT */
/* unit_symbols.c - reads what the pass recorded about functions (libspoor/format/symbols.proto). */
#include "reader/symbols/unit_symbols.h"

#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/files/printable_text.h"
#include "text/demangled.h"
#include "text/file_bytes.h"

#define UNIT_SYMBOLS_FILE_MAX ((size_t)1 << 30)

static int add_info(struct unit_symbols *symbols, uint64_t key, const Spoor__FunctionInfo *info)
{
	if (symbols->count == symbols->capacity) {
		size_t capacity = symbols->capacity ? 2 * symbols->capacity : 256;
		struct unit_symbol *list = reallocarray(symbols->list, capacity, sizeof(*list));

		if (!list)
			return -ENOMEM;
		symbols->list = list;
		symbols->capacity = capacity;
	}
	symbols->list[symbols->count] = (struct unit_symbol){ .key = key, .order = symbols->count, .info = info };
	symbols->count++;
	return 0;
}

static void clean(Spoor__FunctionInfo *info)
{
	/* A first character \1 means that the target must not decorate the name. */
	if (info->linkage_name && *info->linkage_name == '\1')
		memmove(info->linkage_name, info->linkage_name + 1, strlen(info->linkage_name));
	/* Earlier versions of the pass did not limit the length. */
	if (info->demangled_name)
		spoor_name_cut(info->demangled_name);
	clean_name(info->module_id);
	clean_name(info->linkage_name);
	clean_name(info->demangled_name);
	clean_name(info->file_name);
	clean_name(info->directory);
	clean_name(info->instrumented_reason);
}

int unit_symbols_add(struct unit_symbols *symbols, const uint8_t *bytes, size_t size)
{
	Spoor__Symbols **messages = reallocarray(symbols->messages, symbols->message_count + 1, sizeof(*messages));
	Spoor__Symbols *message;
	int error = 0;

	if (!messages)
		return -ENOMEM;
	symbols->messages = messages;
	message = spoor__symbols__unpack(NULL, size, bytes);
	if (!message)
		return -EBADMSG;
	messages[symbols->message_count++] = message;
	for (size_t i = 0; i < message->n_function_symbols_table && !error; i++) {
		const Spoor__Symbols__Entry *entry = message->function_symbols_table[i];

		for (size_t j = 0; entry->value && j < entry->value->n_function_infos && !error; j++) {
			clean(entry->value->function_infos[j]);
			error = add_info(symbols, entry->key, entry->value->function_infos[j]);
		}
	}
	return error;
}

int unit_symbols_add_elf(struct unit_symbols *symbols, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;
	int found = 0;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;
		GElf_Shdr header;
		Elf_Data *data;
		int error;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, UNIT_SYMBOLS_SECTION) != 0)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || (data->d_size && !data->d_buf))
			return -EBADMSG;
		error = unit_symbols_add(symbols, data->d_buf, data->d_size);
		if (error)
			return error;
		found = 1;
	}
	return found;
}

/* Adds an ELF file, or the members of an archive. Returns the same as unit_symbols_add_elf. */
static int add_members(struct unit_symbols *symbols, Elf *file, int fd)
{
	Elf_Cmd next = ELF_C_READ;
	Elf *member;
	int found = 0;

	if (elf_kind(file) != ELF_K_AR)
		return unit_symbols_add_elf(symbols, file);
	while (found >= 0 && (member = elf_begin(fd, next, file))) {
		int result = elf_kind(member) == ELF_K_ELF ? unit_symbols_add_elf(symbols, member) : 0;

		found = result < 0 ? result : found | result;
		next = elf_next(member);
		elf_end(member);
	}
	return found;
}

static const char *add_elf_file(struct unit_symbols *symbols, int fd)
{
	Elf *elf;
	int result;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return elf_errmsg(-1);
	result = add_members(symbols, elf, fd);
	elf_end(elf);
	if (result > 0)
		return NULL;
	return result == 0 ? "has no section " UNIT_SYMBOLS_SECTION ": build it with spoor-cc or spoor-c++" :
	       result == -ENOMEM ? "out of memory" : "its section " UNIT_SYMBOLS_SECTION " is damaged";
}

#define THIN_MAGIC "!<thin>\n"

static bool begins_with(int fd, const char *magic)
{
	char begin[SARMAG + 1] = "";

	return pread(fd, begin, SARMAG, 0) == SARMAG && strncmp(begin, magic, strlen(magic)) == 0;
}

const char *unit_symbols_add_file(struct unit_symbols *symbols, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), error;
	const char *wrong = NULL;
	bool is_elf, is_thin;
	char *bytes;
	size_t size;

	if (fd < 0)
		return strerror(errno);
	is_thin = begins_with(fd, THIN_MAGIC);
	is_elf = begins_with(fd, ELFMAG) || begins_with(fd, ARMAG);
	if (is_elf)
		wrong = add_elf_file(symbols, fd);
	close(fd);
	if (is_elf || is_thin)
		return is_elf ? wrong : "is a thin archive, which does not contain its members: name the members "
					"instead";
	error = file_bytes_read(path, UNIT_SYMBOLS_FILE_MAX, &bytes, &size);
	if (error)
		return strerror(-error);
	error = unit_symbols_add(symbols, (const uint8_t *)bytes, size);
	free(bytes);
	return !error ? NULL : error == -ENOMEM ? "out of memory" :
						  "is neither a symbols file nor an ELF file or archive";
}

static int compare(const void *left, const void *right)
{
	const struct unit_symbol *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int compare_texts(const char *left, const char *right)
{
	return strcmp(unit_symbol_text(left), unit_symbol_text(right));
}

static int compare_numbers(int64_t left, int64_t right)
{
	return (left > right) - (left < right);
}

/* Returns zero if two records are equal. */
static int compare_content(const struct unit_symbol *left, const struct unit_symbol *right)
{
	const Spoor__FunctionInfo *a = left->info, *b = right->info;
	int order = left->key == right->key ? 0 : left->key < right->key ? -1 : 1;

	order = order ? order : compare_texts(a->linkage_name, b->linkage_name);
	order = order ? order : compare_texts(a->module_id, b->module_id);
	order = order ? order : compare_texts(a->file_name, b->file_name);
	order = order ? order : compare_texts(a->directory, b->directory);
	order = order ? order : compare_texts(a->instrumented_reason, b->instrumented_reason);
	order = order ? order : compare_numbers(a->line, b->line);
	order = order ? order : compare_numbers(a->ir_instruction_count, b->ir_instruction_count);
	return order ? order : compare_numbers(a->instrumented, b->instrumented);
}

static int compare_said_then_order(const void *left, const void *right)
{
	const struct unit_symbol *a = left, *b = right;
	int order = compare_content(a, b);

	return order ? order : compare_numbers((int64_t)a->order, (int64_t)b->order);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : unit_symbol_text(path);
}

/* Ignores folders, because one source may have been compiled in several. */
static bool same_function(const Spoor__FunctionInfo *left, const Spoor__FunctionInfo *right)
{
	return compare_texts(left->linkage_name, right->linkage_name) == 0 &&
	       strcmp(base_name(left->file_name), base_name(right->file_name)) == 0 && left->line == right->line;
}

void unit_symbols_sort(struct unit_symbols *symbols)
{
	struct unit_symbol *list = symbols->list;
	size_t kept = 1;

	if (!symbols->count)
		return;
	qsort(list, symbols->count, sizeof(*list), compare_said_then_order);
	for (size_t i = 1; i < symbols->count; i++)
		if (compare_content(&list[kept - 1], &list[i]) != 0)
			list[kept++] = list[i];
	symbols->count = kept;
	qsort(list, kept, sizeof(*list), compare);
	for (size_t i = kept; i-- > 0; ) {
		bool last = i + 1 == kept || list[i + 1].key != list[i].key;

		list[i].same_key = last ? 1 : list[i + 1].same_key + 1;
		list[i].clash = !last && (list[i + 1].clash || !same_function(list[i].info, list[i + 1].info));
	}
}

void unit_symbols_free(struct unit_symbols *symbols)
{
	for (size_t i = 0; i < symbols->message_count; i++)
		spoor__symbols__free_unpacked(symbols->messages[i], NULL);
	free(symbols->messages);
	free(symbols->list);
	*symbols = (struct unit_symbols){ 0 };
}

const struct unit_symbol *unit_symbols_find(const struct unit_symbols *symbols, uint64_t key)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == symbols->count || symbols->list[low].key != key)
		return NULL;
	return &symbols->list[low];
}
