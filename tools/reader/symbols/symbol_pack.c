/* SPDX-License-Identifier: MIT */
/* symbol_pack.c - writes the part of a module's file that names its functions. */
#include "reader/symbols/symbol_pack.h"

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

#include "reader/symbols/symbol_functions.h"
#include "reader/symbols/symbol_lines.h"
#include "reader/symbols/unit_symbols.h"

#define SECTIONS_MAX 12u
#define SEGMENTS 2u		/* notes, unwind table */
#define ALIGN 8u
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

	if (!file->build_id_bytes || file->build_id_bytes > 255)
		return asprintf(path, "%s/module-%08" PRIx32 "%s", folder, file->module_id, kind) < 0 ? -ENOMEM : 0;
	for (uint32_t i = 0; i < file->build_id_bytes; i++) {
		*at++ = digits[file->build_id[i] >> 4];
		*at++ = digits[file->build_id[i] & 15];
	}
	*at = '\0';
	return asprintf(path, "%s/%s%s", folder, name, kind) < 0 ? -ENOMEM : 0;
}

struct bytes {
	uint8_t *at;
	size_t used, room;
};

struct packing {
	struct symbol_file *file;
	struct bytes image, names;	/* the file; the names of its sections */
	Elf64_Shdr sections[SECTIONS_MAX];
	unsigned int section_count;
	Elf64_Phdr segments[SEGMENTS];
	unsigned int segment_count;
	bool failed;			/* memory ran out */
};

static void put(struct packing *packing, struct bytes *bytes, const void *more, size_t size)
{
	if (!size)
		return;
	if (size > bytes->room - bytes->used) {
		size_t room = 2 * (bytes->used + size);
		uint8_t *at = packing->failed ? NULL : realloc(bytes->at, room);

		if (!at) {
			packing->failed = true;
			return;
		}
		bytes->at = at;
		bytes->room = room;
	}
	memcpy(bytes->at + bytes->used, more, size);
	bytes->used += size;
}

static void align(struct packing *packing)
{
	static const char zeros[ALIGN];

	put(packing, &packing->image, zeros, (ALIGN - packing->image.used % ALIGN) % ALIGN);
}

/* Begins a section at the end of the image. */
static Elf64_Shdr *begin_section(struct packing *packing, const char *name, Elf64_Word type)
{
	Elf64_Shdr *section = &packing->sections[packing->section_count++];

	align(packing);
	*section = (Elf64_Shdr){ .sh_name = (Elf64_Word)packing->names.used, .sh_type = type, .sh_addralign = ALIGN,
				 .sh_offset = packing->image.used };
	put(packing, &packing->names, name, strlen(name) + 1);
	return section;
}

static void end_section(struct packing *packing, Elf64_Shdr *section)
{
	section->sh_size = packing->image.used - section->sh_offset;
}

static void put_section(struct packing *packing, const char *name, const void *content, size_t size, uint64_t address)
{
	Elf64_Shdr *section = begin_section(packing, name, SHT_PROGBITS);

	section->sh_addr = address;
	put(packing, &packing->image, content, size);
	end_section(packing, section);
}

static void add_segment(struct packing *packing, Elf64_Word type, uint64_t offset, uint64_t address, uint64_t size)
{
	packing->segments[packing->segment_count++] = (Elf64_Phdr){
		.p_type = type, .p_flags = PF_R, .p_offset = offset, .p_vaddr = address, .p_filesz = size, .p_align = 4,
	};
}

static void put_build_id(struct packing *packing)
{
	const struct symbol_file *file = packing->file;
	Elf64_Nhdr note = { sizeof(ELF_NOTE_GNU), file->build_id_bytes, NT_GNU_BUILD_ID };
	Elf64_Shdr *section;

	if (!file->build_id_bytes)
		return;
	section = begin_section(packing, ".note.gnu.build-id", SHT_NOTE);
	put(packing, &packing->image, &note, sizeof(note));
	put(packing, &packing->image, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU));
	put(packing, &packing->image, file->build_id, file->build_id_bytes);
	align(packing);
	end_section(packing, section);
	add_segment(packing, PT_NOTE, section->sh_offset, 0, section->sh_size);
}

/* Returns null, or the error. */
static const char *put_functions(struct packing *packing, Elf *elf)
{
	GElf_Shdr header;
	GElf_Phdr segment;
	Elf_Scn *section;
	Elf_Data *data;

	if (packing->file->by_symbol)
		return NULL;
	if (packing->file->hooked) {
		data = elf_unwind_table(elf, &segment);
		if (!data || !data->d_buf)
			return "it has no unwind table";
		put_section(packing, ".eh_frame_hdr", data->d_buf, data->d_size, segment.p_vaddr);
		add_segment(packing, PT_GNU_EH_FRAME, packing->sections[packing->section_count - 1].sh_offset, segment.p_vaddr,
			    data->d_size);
		return NULL;
	}
	section = elf_find_section(elf, FUNCTIONS_SECTION, 0, &header);
	data = section ? elf_rawdata(section, NULL) : NULL;
	if (!data || !data->d_buf)
		return "it has no function table";
	put_section(packing, FUNCTIONS_SECTION, data->d_buf, data->d_size, header.sh_addr);
	return NULL;
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
			to = begin_section(packing, UNIT_SYMBOLS_SECTION, SHT_PROGBITS);
		put(packing, &packing->image, data->d_buf, data->d_size);
	}
	if (to)
		end_section(packing, to);
	return to;
}

static bool is_function(const struct symbol_file *file, uint64_t address)
{
	uint32_t i = function_addresses_from(file->addresses, file->count, address);

	return i < file->count && file->addresses[i].address == address;
}

static void put_symbol(struct packing *packing, struct bytes *strings, const char *name, uint8_t info, uint64_t value)
{
	Elf64_Sym symbol = { .st_name = (Elf64_Word)strings->used, .st_info = info, .st_shndx = SHN_ABS, .st_value = value };

	if (strings->used + strlen(name) >= UINT32_MAX)
		return;
	put(packing, &packing->image, &symbol, sizeof(symbol));
	put(packing, strings, name, strlen(name) + 1);
}

/* Copies the symbols at the begin of functions in their order, because the order decides between equal ones. */
static void put_found(struct packing *packing, struct bytes *strings, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		const char *text;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
		    !is_function(packing->file, symbol.st_value))
			continue;
		text = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (text)
			put_symbol(packing, strings, text, symbol.st_info, symbol.st_value);
	}
}

/* Copies names that only a debug file or debug information has. */
static void put_apart(struct packing *packing, struct bytes *strings)
{
	const struct symbol_file *file = packing->file;

	for (uint32_t i = 0; i < file->count; i++)
		if (file->named_apart[i] && file->linkage[i])
			put_symbol(packing, strings, file->linkage[i], ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), file->virtual[i]);
}

/* Copies the dynamic symbols of a library whose calls were recorded: each keeps its number. */
static void put_numbered(struct packing *packing)
{
	const struct symbol_file *file = packing->file;
	struct bytes strings = { 0 };
	Elf64_Shdr *to;

	put(packing, &strings, "", 1);
	to = begin_section(packing, ".dynsym", SHT_DYNSYM);
	to->sh_entsize = sizeof(Elf64_Sym);
	to->sh_link = packing->section_count;
	for (uint32_t i = 0; i < file->count; i++)
		put_symbol(packing, &strings, file->linkage[i] ? file->linkage[i] : "?", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			   file->virtual[i]);
	end_section(packing, to);
	to = begin_section(packing, ".dynstr", SHT_STRTAB);
	put(packing, &packing->image, strings.at, packing->failed ? 0 : strings.used);
	end_section(packing, to);
	free(strings.at);
}

static void put_symbols(struct packing *packing, Elf *elf, GElf_Word type, const char *name, const char *strings_name)
{
	struct bytes strings = { 0 };
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(elf, NULL, type, &header);
	Elf64_Shdr *to;

	put(packing, &strings, "", 1);
	to = begin_section(packing, name, type);
	to->sh_entsize = sizeof(Elf64_Sym);
	to->sh_link = packing->section_count;
	put(packing, &packing->image, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	put_found(packing, &strings, elf, section, &header);
	if (type == SHT_SYMTAB)
		put_apart(packing, &strings);
	end_section(packing, to);
	to = begin_section(packing, strings_name, SHT_STRTAB);
	put(packing, &packing->image, strings.at, packing->failed ? 0 : strings.used);
	end_section(packing, to);
	free(strings.at);
}

/* Copies the names that symbol_load.c found in any source. */
static void put_names(struct packing *packing, Elf *elf)
{
	bool described;
	Elf *debug;
	int fd;

	if (packing->file->by_symbol) {
		put_numbered(packing);
		return;
	}
	described = put_descriptions(packing, elf);
	put_symbols(packing, elf, SHT_DYNSYM, ".dynsym", ".dynstr");
	put_symbols(packing, elf, SHT_SYMTAB, ".symtab", ".strtab");
	if (described)
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

	packing->failed |= symbol_lines_make(packing->file, &lines, &size) < 0;
	if (lines)
		put_section(packing, ".debug_line", lines, size, 0);
	free(lines);
}

/* Writes the headers after everything else. */
static void put_headers(struct packing *packing, const GElf_Ehdr *original)
{
	Elf64_Shdr *names = begin_section(packing, ".shstrtab", SHT_STRTAB);
	Elf64_Ehdr header = {
		.e_type = original->e_type, .e_machine = original->e_machine, .e_version = EV_CURRENT,
		.e_phoff = packing->segment_count ? sizeof(header) : 0, .e_ehsize = sizeof(header), .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)packing->segment_count, .e_shentsize = sizeof(Elf64_Shdr),
		.e_shstrndx = (Elf64_Half)(packing->section_count - 1),
	};

	memcpy(header.e_ident, original->e_ident, EI_NIDENT);
	put(packing, &packing->image, packing->names.at, packing->failed ? 0 : packing->names.used);
	end_section(packing, names);
	align(packing);
	header.e_shoff = packing->image.used;
	header.e_shnum = (Elf64_Half)packing->section_count;
	put(packing, &packing->image, packing->sections, packing->section_count * sizeof(Elf64_Shdr));
	if (packing->failed)
		return;
	memcpy(packing->image.at, &header, sizeof(header));
	memcpy(packing->image.at + sizeof(header), packing->segments, sizeof(packing->segments));
}

static const char *pack(struct packing *packing, Elf *elf)
{
	const char *wrong = elf_unreadable(elf);
	GElf_Ehdr header;

	if (wrong || !gelf_getehdr(elf, &header))
		return wrong ? wrong : "is not an ELF file";
	/* Reserves the place of the headers, and the section with number 0. */
	put(packing, &packing->image, &(struct { Elf64_Ehdr header; Elf64_Phdr segments[SEGMENTS]; }){ 0 },
	    sizeof(Elf64_Ehdr) + sizeof(packing->segments));
	put(packing, &packing->names, "", 1);
	packing->section_count = 1;
	put_build_id(packing);
	wrong = put_functions(packing, elf);
	if (wrong)
		return wrong;
	put_names(packing, elf);
	put_lines(packing);
	put_headers(packing, &header);
	return packing->failed ? "out of memory" : NULL;
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
	if (!wrong && packing.image.used > PACK_MAX - sizeof(struct trailer))
		wrong = "it has too many names to be packed";
	if (!wrong) {
		struct trailer trailer = { .checksum = XXH3_64bits(packing.image.at, packing.image.used) };

		memcpy(trailer.magic, trailer_magic, sizeof(trailer.magic));
		put(&packing, &packing.image, &trailer, sizeof(trailer));
		wrong = packing.failed ? "out of memory" : NULL;
	}
	if (!wrong)
		wrong = write_all(out, packing.image.at, packing.image.used);
	elf_end(elf);
	close(fd);
	free(packing.image.at);
	free(packing.names.at);
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
