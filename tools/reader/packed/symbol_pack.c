/* SPDX-License-Identifier: MIT */
/* symbol_pack.c - writes the part of a module's file that names its functions. */
#include "reader/packed/symbol_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/registration.h"
#include "reader/packed/elf_compression.h"
#include "reader/packed/elf_writer.h"
#include "reader/packed/symbol_lines.h"
#include "reader/packed/symbol_subset.h"
#include "reader/packed/symbol_tables.h"
#include "reader/symbols/symbol_functions.h"
#include "reader/symbols/unit_symbols.h"

#define PACK_MAX (1 << 30)	/* bytes; a file is read up to this size before it is checked */

/* The end of the file. */
struct trailer {
	char magic[8];
	uint64_t checksum;	/* XXH3-64 of all bytes before it */
};

static const char trailer_magic[8] = { 's', 'p', 'o', 'o', 'r', 's', 'u', 'm' };

int symbol_pack_path(const char *folder, const struct symbol_file *file, char **path)
{
	static const char digits[] = "0123456789abcdef";
	const char *kind = file->by_symbol ? ".calls" : "";	/* the same file may have sleds too */
	char name[2 * 255 + 1], *at = name;

	/* Libraries without a build-id may differ in their names only. */
	if (!file->build_id_bytes || file->build_id_bytes > 255)
		return asprintf(path, "%s/module-%08" PRIx32 "-%08" PRIx32 "%s", folder, file->module_id,
				(uint32_t)XXH3_64bits(file->path, strlen(file->path)), kind) < 0 ? -ENOMEM : 0;
	for (uint32_t i = 0; i < file->build_id_bytes; i++) {
		*at++ = digits[file->build_id[i] >> 4];
		*at++ = digits[file->build_id[i] & 15];
	}
	*at = '\0';
	return asprintf(path, "%s/%s%s", folder, name, kind) < 0 ? -ENOMEM : 0;
}

struct packing {
	struct symbol_file *file;
	struct elf_writer out;
};

static void put_build_id(struct packing *packing)
{
	const struct symbol_file *file = packing->file;
	Elf64_Nhdr note = { sizeof(ELF_NOTE_GNU), file->build_id_bytes, NT_GNU_BUILD_ID };
	Elf64_Shdr *section;

	if (!file->build_id_bytes)
		return;
	section = elf_writer_section(&packing->out, ".note.gnu.build-id", SHT_NOTE);
	elf_writer_put(&packing->out, &note, sizeof(note));
	elf_writer_put(&packing->out, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU));
	elf_writer_put(&packing->out, file->build_id, file->build_id_bytes);
	elf_writer_align(&packing->out);
	elf_writer_end_section(&packing->out, section);
	elf_writer_segment(&packing->out, PT_NOTE, section);
}

/* Copies the function table. Entries of unwanted functions become zero, unless the table identifies the module. */
static void put_table(struct packing *packing, const Elf_Data *data, uint64_t address)
{
	const struct symbol_file *file = packing->file;
	Elf64_Shdr *section = elf_writer_section(&packing->out, FUNCTIONS_SECTION, SHT_PROGBITS);

	section->sh_addr = address;
	elf_writer_put(&packing->out, data->d_buf, data->d_size);
	for (uint32_t i = 0; i < file->count && file->build_id_bytes && !packing->out.failed; i++)
		if (!symbol_file_wants(file, i))
			memset(packing->out.image.at + section->sh_offset + (size_t)i * sizeof(struct spoor_function), 0,
			       sizeof(struct spoor_function));
	elf_writer_end_large_section(&packing->out, section);
}

/* Returns null, or the error. */
static const char *put_functions(struct packing *packing, Elf *elf)
{
	GElf_Shdr header;
	GElf_Phdr segment;
	Elf64_Shdr *to;
	Elf_Scn *section;
	Elf_Data *data;

	if (packing->file->by_symbol)
		return NULL;
	if (packing->file->hooked) {
		data = elf_unwind_table(elf, &segment);
		if (!data || !data->d_buf)
			return "it has no unwind table";
		to = elf_writer_section(&packing->out, ".eh_frame_hdr", SHT_PROGBITS);
		to->sh_addr = segment.p_vaddr;
		elf_writer_put(&packing->out, data->d_buf, data->d_size);
		elf_writer_end_section(&packing->out, to);
		elf_writer_segment(&packing->out, PT_GNU_EH_FRAME, to);
		return NULL;
	}
	section = elf_find_section(elf, FUNCTIONS_SECTION, 0, &header);
	data = section ? elf_rawdata(section, NULL) : NULL;
	if (!data || !data->d_buf)
		return "it has no function table";
	/* The file may have been replaced since its names were read. */
	if (data->d_size / sizeof(struct spoor_function) != packing->file->count)
		return "its function table has another size";
	put_table(packing, data, header.sh_addr);
	return NULL;
}

/* Writes which functions the file has, unless it has all. */
static void put_stored(struct packing *packing)
{
	const struct symbol_file *file = packing->file;
	size_t words = symbol_subset_words(file);
	uint64_t *stored = calloc(words + 1, sizeof(*stored));
	Elf64_Shdr *section;

	packing->out.failed |= !stored;
	if (!stored || symbol_subset_wants_all(file)) {
		free(stored);
		return;
	}
	for (uint32_t i = 0; i < file->count; i++)
		if (symbol_file_wants(file, i))
			stored[i / 64] |= UINT64_C(1) << i % 64;
	section = elf_writer_section(&packing->out, STORED_SECTION, SHT_PROGBITS);
	elf_writer_put(&packing->out, stored, words * sizeof(*stored));
	elf_writer_end_large_section(&packing->out, section);
	free(stored);
}

/* Writes the records of the wanted functions of one message. */
static void put_wanted_records(struct packing *packing, const Spoor__Symbols *message, const struct map64 *wanted)
{
	Spoor__Symbols part = SPOOR__SYMBOLS__INIT;
	size_t size;
	void *bytes;

	part.function_symbols_table = malloc((message->n_function_symbols_table + 1) * sizeof(*part.function_symbols_table));
	for (size_t i = 0; i < message->n_function_symbols_table && part.function_symbols_table; i++)
		if (map64_find(wanted, message->function_symbols_table[i]->key))
			part.function_symbols_table[part.n_function_symbols_table++] = message->function_symbols_table[i];
	size = spoor__symbols__get_packed_size(&part);
	bytes = malloc(size + 1);
	if (bytes && part.function_symbols_table) {
		spoor__symbols__pack(&part, bytes);
		elf_writer_put(&packing->out, bytes, size);
	} else {
		packing->out.failed = true;
	}
	free(bytes);
	free(part.function_symbols_table);
}

/* Writes the pass's records of the wanted functions, from wherever they were read. */
static void put_wanted_descriptions(struct packing *packing)
{
	const struct symbol_file *file = packing->file;
	struct map64 wanted = { 0 };
	Elf64_Shdr *section;

	if (!file->described->message_count)
		return;
	for (uint32_t i = 0; i < file->count; i++) {
		uint32_t *is_wanted = symbol_file_wants(file, i) ? map64_at(&wanted, file->keys[i]) : NULL;

		if (is_wanted)
			*is_wanted = 1;
		else
			packing->out.failed |= symbol_file_wants(file, i);
	}
	section = elf_writer_section(&packing->out, UNIT_SYMBOLS_SECTION, SHT_PROGBITS);
	for (size_t i = 0; i < file->described->message_count; i++)
		put_wanted_records(packing, file->described->messages[i], &wanted);
	elf_writer_end_large_section(&packing->out, section);
	map64_free(&wanted);
}

/* Copies the pass's records; a linker may leave several sections, which form one message. Returns whether there
 * was any. */
static bool put_descriptions(struct packing *packing, Elf *elf)
{
	Elf64_Shdr *to = NULL;
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, UNIT_SYMBOLS_SECTION) != 0)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf)
			continue;
		if (!to)
			to = elf_writer_section(&packing->out, UNIT_SYMBOLS_SECTION, SHT_PROGBITS);
		elf_writer_put(&packing->out, data->d_buf, data->d_size);
	}
	if (to)
		elf_writer_end_large_section(&packing->out, to);
	return to;
}

/* Copies the names that symbol_load.c found in any source. */
static void put_names(struct packing *packing, Elf *elf)
{
	bool is_whole = symbol_subset_wants_all(packing->file), described;
	Elf *debug;
	int fd;

	if (packing->file->by_symbol) {
		symbol_tables_put_numbered(packing->file, &packing->out);
		return;
	}
	described = is_whole && put_descriptions(packing, elf);
	symbol_tables_put(packing->file, &packing->out, elf, SHT_DYNSYM);
	symbol_tables_put(packing->file, &packing->out, elf, SHT_SYMTAB);
	if (!is_whole)
		put_wanted_descriptions(packing);
	if (!is_whole || described)
		return;
	debug = symbol_debug_open(packing->file, false, &fd);
	if (debug)
		put_descriptions(packing, debug);
	elf_end(debug);
	if (fd >= 0)
		close(fd);
}

/* Adds the source places of functions without a record of the pass. */
static void put_lines(struct packing *packing)
{
	size_t size;
	char *lines;

	packing->out.failed |= symbol_lines_make(packing->file, &lines, &size) < 0;
	if (lines) {
		Elf64_Shdr *section = elf_writer_section(&packing->out, ".debug_line", SHT_PROGBITS);

		elf_writer_put(&packing->out, lines, size);
		elf_writer_end_large_section(&packing->out, section);
	}
	free(lines);
}

static const char *pack(struct packing *packing, Elf *elf)
{
	const char *wrong = elf_unreadable(elf);
	GElf_Ehdr header;

	if (!wrong)
		wrong = elf_expand(elf);
	if (wrong || !gelf_getehdr(elf, &header))
		return wrong ? wrong : "is not an ELF file";
	elf_writer_begin(&packing->out);
	put_build_id(packing);
	wrong = put_functions(packing, elf);
	if (wrong)
		return wrong;
	put_stored(packing);
	put_names(packing, elf);
	put_lines(packing);
	elf_writer_end(&packing->out, &header);
	return packing->out.failed ? "out of memory" : NULL;
}

static const char *write_all(int out, const uint8_t *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(out, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? strerror(errno) : strerror(EIO);
		bytes += written;
		size -= (size_t)written;
	}
	return NULL;
}

const char *symbol_pack(struct symbol_file *file, int out)
{
	struct packing packing = { .file = file };
	const char *wrong;
	Elf *elf;
	int fd;

	if (!symbol_file_check(file))
		return "its names cannot be read";
	fd = open(file->source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return strerror(errno);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	wrong = pack(&packing, elf);
	if (!wrong && packing.out.image.used > PACK_MAX - sizeof(struct trailer))
		wrong = "it has too many names to be packed";
	if (!wrong) {
		struct trailer trailer = { .checksum = XXH3_64bits(packing.out.image.at, packing.out.image.used) };

		memcpy(trailer.magic, trailer_magic, sizeof(trailer.magic));
		elf_writer_put(&packing.out, &trailer, sizeof(trailer));
		wrong = packing.out.failed ? "out of memory" : NULL;
	}
	if (!wrong)
		wrong = write_all(out, packing.out.image.at, packing.out.image.used);
	elf_end(elf);
	close(fd);
	elf_writer_free(&packing.out);
	return wrong;
}

const char *symbol_pack_check(int fd)
{
	static const char damaged[] = "damaged: its checksum differs";
	uint8_t bytes[64 * 1024];
	struct trailer trailer;
	XXH3_state_t state;
	struct stat status;
	off_t at = 0, end;

	if (fstat(fd, &status) < 0)
		return strerror(errno);
	end = status.st_size - (off_t)sizeof(trailer);
	if (!S_ISREG(status.st_mode) || end < 0 || status.st_size > PACK_MAX ||
	    pread(fd, &trailer, sizeof(trailer), end) != (ssize_t)sizeof(trailer) ||
	    memcmp(trailer.magic, trailer_magic, sizeof(trailer.magic)) != 0)
		return damaged;
	XXH3_64bits_reset(&state);
	while (at < end) {
		size_t left = end - at < (off_t)sizeof(bytes) ? (size_t)(end - at) : sizeof(bytes);
		ssize_t got = pread(fd, bytes, left, at);

		if (got < 0)
			return strerror(errno);
		if (!got)
			return damaged;
		XXH3_64bits_update(&state, bytes, (size_t)got);
		at += got;
	}
	return XXH3_64bits_digest(&state) == trailer.checksum ? NULL : damaged;
}
