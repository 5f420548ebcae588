/* SPDX-License-Identifier: MIT */
/* elf_image.c - reads notes, names, sections and symbols of ELF images. */
#define _GNU_SOURCE
#include "elf/elf_image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/large.h"
#include "base/memory.h"

#define NOTE_ALIGN(bytes) (((uint64_t)(bytes) + 3) & ~3ull)

/* Copies the GNU build-id from the notes in [at, at + size). Returns its length; 0 if there is none. */
static uint32_t build_id_in(const uint8_t *at, uint64_t size, uint8_t *build_id)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		uint64_t whole;

		memcpy(&note, at, sizeof(note));
		whole = sizeof(note) + NOTE_ALIGN(note.n_namesz) + NOTE_ALIGN(note.n_descsz);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= SPOOR_BUILD_ID_MAX &&
		    sizeof(note) + 4 + note.n_descsz <= size && memcmp(at + sizeof(note), "GNU", 4) == 0) {
			memcpy(build_id, at + sizeof(note) + 4, note.n_descsz);
			return note.n_descsz;
		}
		if (whole >= size)
			break;
		at += whole;
		size -= whole;
	}
	return 0;
}

void spoor_image_read(const void *image, struct spoor_image *result)
{
	const ElfW(Ehdr) *header = image;
	const ElfW(Phdr) *segments;
	const ElfW(Dyn) *dynamic = NULL;
	const char *strings = NULL;
	uint64_t soname = 0;
	int first = 1;

	memset(result, 0, sizeof(*result));
	if (!image || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return;
	segments = (const void *)((const char *)image + header->e_phoff);
	/* The ELF header is at the beginning of the first loaded segment. */
	for (int i = 0; i < header->e_phnum; i++) {
		if (segments[i].p_type == PT_LOAD && first) {
			result->load_bias = (uint64_t)image - (segments[i].p_vaddr - segments[i].p_offset);
			first = 0;
		}
	}
	for (int i = 0; i < header->e_phnum; i++) {
		const void *at = (const void *)(result->load_bias + segments[i].p_vaddr);

		if (segments[i].p_type == PT_NOTE && !result->build_id_bytes)
			result->build_id_bytes = build_id_in(at, segments[i].p_filesz, result->build_id);
		else if (segments[i].p_type == PT_DYNAMIC)
			dynamic = at;
	}
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SONAME)
			soname = dynamic->d_un.d_val;
		else if (dynamic->d_tag == DT_STRTAB)	/* glibc's ld.so has relocated it, musl's has not */
			strings = (const char *)(dynamic->d_un.d_ptr < result->load_bias
						 ? result->load_bias + dynamic->d_un.d_ptr
						 : dynamic->d_un.d_ptr);
	}
	if (strings && soname)
		result->soname = strings + soname;
}

bool spoor_program_is_static(void)
{
	const ElfW(Phdr) *segments = (const ElfW(Phdr) *)getauxval(AT_PHDR);

	/* A loader that was called by name has replaced these values by the program's values. */
	for (unsigned long i = 0; segments && i < getauxval(AT_PHNUM); i++)
		if (segments[i].p_type == PT_INTERP)
			return false;
	return !getauxval(AT_BASE);
}

/* Cuts the mark that the kernel adds to the path of a removed or replaced file. The same build may be at the
 * path again. */
static void cut_mark(char path[PATH_MAX], size_t length)
{
	static const char mark[] = " (deleted)";
	const size_t bytes = sizeof(mark) - 1;

	if (length > bytes && strcmp(path + length - bytes, mark) == 0 && access(path, F_OK) != 0)
		path[length - bytes] = '\0';
}

static char executable[PATH_MAX] SPOOR_LARGE;

static void find_executable(void)
{
	const char *name = (const char *)getauxval(AT_EXECFN);
	char *path = executable;
	ssize_t length;

	/* The program was started through the dynamic linker, which the kernel then treats as the program. The
	 * linker has stored the program's own name. */
	if (!getauxval(AT_BASE)) {
		if (!realpath(program_invocation_name, path))
			path[0] = '\0';
		return;
	}
	length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	if (length > 0) {
		path[length] = '\0';
		cut_mark(path, (size_t)length);
	}
	/* In a chroot folder there may be no /proc. A process that entered the folder later may not see its own
	 * file. */
	else if (!realpath(name, path))
		strcpy(path, *name == '/' && strlen(name) < PATH_MAX ? name : "");
}

const char *spoor_executable_path(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_executable);
	return executable;
}

/* Returns [offset, offset + bytes) of the file, or null if the file is smaller. */
static const void *range(const struct spoor_elf_file *file, uint64_t offset, uint64_t bytes)
{
	if (offset > file->size || bytes > file->size - offset)
		return NULL;
	return file->bytes + offset;
}

int spoor_elf_file_check(const struct spoor_elf_file *file)
{
	ElfW(Ehdr) header;

	if (file->size < sizeof(header))
		return -ENOEXEC;
	memcpy(&header, file->bytes, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	return 0;
}

int spoor_elf_file_open(struct spoor_elf_file *file, const char *path)
{
	struct stat status;
	void *bytes;
	int fd, error;

	memset(file, 0, sizeof(*file));
	/* O_NONBLOCK: opening a FIFO would wait for a writer. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0) {
		error = -errno;
		close(fd);
		return error;
	}
	if (!S_ISREG(status.st_mode) || status.st_size <= 0) {
		close(fd);
		return -ENOEXEC;
	}
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	error = bytes == MAP_FAILED ? -errno : 0;
	close(fd);
	if (error < 0)
		return error;
	file->bytes = bytes;
	file->size = (size_t)status.st_size;
	error = spoor_elf_file_check(file);
	if (error < 0)
		spoor_elf_file_close(file);
	return error;
}

void spoor_elf_file_close(struct spoor_elf_file *file)
{
	if (file->bytes)
		munmap((void *)file->bytes, file->size);
	memset(file, 0, sizeof(*file));
}

/* Reads section header @index. Returns 0 if there is none. */
static int section_at(const struct spoor_elf_file *file, uint32_t index, ElfW(Shdr) *section)
{
	ElfW(Ehdr) header;
	const void *at;

	memcpy(&header, file->bytes, sizeof(header));
	if (index >= header.e_shnum || header.e_shentsize != sizeof(*section))
		return 0;
	if (header.e_shoff > file->size)
		return 0;
	at = range(file, header.e_shoff + (uint64_t)index * sizeof(*section), sizeof(*section));
	if (at)
		memcpy(section, at, sizeof(*section));
	return at != NULL;
}

/* Returns a string of the string table @table, or null if it does not end within the table. */
static const char *string_at(const struct spoor_elf_file *file, const ElfW(Shdr) *table, uint64_t offset)
{
	const char *strings = range(file, table->sh_offset, table->sh_size);

	if (!strings || offset >= table->sh_size || !memchr(strings + offset, 0, table->sh_size - offset))
		return NULL;
	return strings + offset;
}

/* Finds the section called @name. Returns 0 if there is none. */
static int find_section(const struct spoor_elf_file *file, const char *name, ElfW(Shdr) *section)
{
	ElfW(Ehdr) header;
	ElfW(Shdr) names;

	memcpy(&header, file->bytes, sizeof(header));
	if (!section_at(file, header.e_shstrndx, &names))
		return 0;
	for (uint32_t i = 0; section_at(file, i, section); i++) {
		const char *found = string_at(file, &names, section->sh_name);

		if (found && strcmp(found, name) == 0)
			return 1;
	}
	return 0;
}

int spoor_elf_file_has_section(const struct spoor_elf_file *file, const char *name, uint64_t *bytes)
{
	ElfW(Shdr) section;

	if (!find_section(file, name, &section))
		return 0;
	*bytes = section.sh_size;
	return 1;
}

const void *spoor_elf_file_section(const struct spoor_elf_file *file, const char *name, uint64_t *bytes)
{
	ElfW(Shdr) section;

	if (!find_section(file, name, &section) || section.sh_type == SHT_NOBITS || section.sh_flags & SHF_COMPRESSED)
		return NULL;
	*bytes = section.sh_size;
	return range(file, section.sh_offset, section.sh_size);
}

int spoor_elf_file_section_address(const struct spoor_elf_file *file, const char *name, uint64_t *address)
{
	ElfW(Shdr) section;

	if (!find_section(file, name, &section))
		return 0;
	*address = section.sh_addr;
	return 1;
}

/* Reads segment @index. Returns 0 if there is none. */
static int segment_at(const struct spoor_elf_file *file, uint32_t index, ElfW(Phdr) *segment)
{
	ElfW(Ehdr) header;
	const void *at;

	memcpy(&header, file->bytes, sizeof(header));
	if (index >= header.e_phnum || header.e_phoff > file->size)
		return 0;
	at = range(file, header.e_phoff + (uint64_t)index * sizeof(*segment), sizeof(*segment));
	if (at)
		memcpy(segment, at, sizeof(*segment));
	return at != NULL;
}

const void *spoor_elf_file_loaded(const struct spoor_elf_file *file, uint64_t address, uint64_t bytes)
{
	ElfW(Phdr) segment;

	for (uint32_t i = 0; segment_at(file, i, &segment); i++) {
		uint64_t offset = address - segment.p_vaddr;

		if (segment.p_type == PT_LOAD && offset < segment.p_filesz && bytes <= segment.p_filesz - offset &&
		    segment.p_offset <= file->size)
			return range(file, segment.p_offset + offset, bytes);
	}
	return NULL;
}

uint32_t spoor_elf_file_build_id(const struct spoor_elf_file *file, uint8_t *build_id)
{
	ElfW(Phdr) segment;

	for (uint32_t i = 0; segment_at(file, i, &segment); i++) {
		const uint8_t *notes = segment.p_type == PT_NOTE ? range(file, segment.p_offset, segment.p_filesz) : NULL;
		uint32_t found = notes ? build_id_in(notes, segment.p_filesz, build_id) : 0;

		if (found)
			return found;
	}
	return 0;
}

int spoor_elf_file_symbol(const struct spoor_elf_file *file, const char *name, size_t length, uint64_t *address)
{
	static const uint32_t kinds[] = { SHT_SYMTAB, SHT_DYNSYM };
	ElfW(Shdr) table, strings;

	for (int kind = 0; kind < 2; kind++) {
		for (uint32_t i = 0; section_at(file, i, &table); i++) {
			const uint8_t *symbols = range(file, table.sh_offset, table.sh_size);

			if (table.sh_type != kinds[kind] || !symbols || !section_at(file, table.sh_link, &strings))
				continue;
			for (uint64_t at = 0; at + sizeof(ElfW(Sym)) <= table.sh_size; at += sizeof(ElfW(Sym))) {
				ElfW(Sym) symbol;
				const char *found;

				memcpy(&symbol, symbols + at, sizeof(symbol));
				found = symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) == STT_TLS ||
					ELF64_ST_TYPE(symbol.st_info) == STT_FILE ? NULL :
					string_at(file, &strings, symbol.st_name);
				if (found && strlen(found) == length && memcmp(found, name, length) == 0) {
					*address = symbol.st_value;
					return 1;
				}
			}
		}
	}
	return 0;
}

int spoor_elf_symbols_begin(struct spoor_elf_symbols *symbols, const struct spoor_elf_file *file)
{
	static const uint32_t kinds[] = { SHT_SYMTAB, SHT_DYNSYM };

	for (int kind = 0; kind < 2; kind++) {
		ElfW(Shdr) table, strings;

		for (uint32_t i = 0; section_at(file, i, &table); i++) {
			const uint8_t *at;
			const char *names;
			uint64_t bytes;

			if (table.sh_type != kinds[kind] || !section_at(file, table.sh_link, &strings))
				continue;
			at = range(file, table.sh_offset, table.sh_size);
			names = range(file, strings.sh_offset, strings.sh_size);
			if (!at || !names)
				continue;
			spoor_memory_prefault(at, table.sh_size);
			spoor_memory_prefault(names, strings.sh_size);
			/* Names must end within the table, so ignore the bytes after its last NUL. */
			for (bytes = strings.sh_size; bytes && names[bytes - 1]; bytes--)
				;
			*symbols = (struct spoor_elf_symbols){ at, at + table.sh_size, names, bytes, false };
			return 0;
		}
	}
	return -ENOENT;
}
