/* SPDX-License-Identifier: MIT */
/* debug_files.c - finds debug files, and traced files that have moved. */
#include "reader/symbols/debug_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/message.h"
#include "reader/symbols/debuginfod.h"
#include "reader/symbols/symbol_functions.h"

struct paths {
	const char **list;	/* owned by the command line */
	size_t count;
};

static struct {
	struct paths directories;	/* empty: DEBUG_FILES_DIRECTORY */
	struct paths roots;
	bool ask_servers;
} chosen;

static int add(struct paths *paths, const char *path)
{
	const char **list;

	if (access(path, R_OK | X_OK) < 0)
		return -errno;
	list = reallocarray(paths->list, paths->count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	paths->list = list;
	list[paths->count++] = path;
	return 0;
}

int debug_files_add_directory(const char *path)
{
	return add(&chosen.directories, path);
}

int debug_files_add_root(const char *path)
{
	return add(&chosen.roots, path);
}

const char *debug_files_ask_servers(void)
{
	const char *wrong = debuginfod_open();

	chosen.ask_servers = !wrong;
	return wrong;
}

static const char *directory(size_t i)
{
	return chosen.directories.count ? chosen.directories.list[i] : DEBUG_FILES_DIRECTORY;
}

static size_t directory_count(void)
{
	return chosen.directories.count ? chosen.directories.count : 1;
}

/* Returns DIRECTORY/.build-id/xx/yyyy with @suffix, which the caller frees; null if there is no build-id or
 * memory runs out. */
static char *path_of(const uint8_t *build_id, size_t bytes, const char *below, const char *suffix)
{
	char digits[2 * 255 + 1], *path;

	if (bytes < 2 || bytes > 255)
		return NULL;
	for (size_t i = 0; i < bytes; i++)
		sprintf(digits + 2 * i, "%02x", build_id[i]);
	return asprintf(&path, "%s/.build-id/%.2s/%s%s", below, digits, digits + 2, suffix) < 0 ? NULL : path;
}

static char *path_by_build_id(const struct symbol_file *file, const char *below, const char *suffix)
{
	return path_of(file->build_id, file->build_id_bytes, below, suffix);
}

int debug_files_open_by_build_id(const uint8_t *build_id, size_t bytes, const char *suffix)
{
	int fd = -1;

	for (size_t i = 0; i < directory_count() && fd < 0; i++) {
		char *path = path_of(build_id, bytes, directory(i), suffix);

		fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
		free(path);
	}
	return fd;
}

/* The contents of .gnu_debuglink. */
struct debug_link {
	char name[256];
	uint32_t crc;
};

/* Returns whether the file has a link with a name. */
static bool read_link(const struct symbol_file *file, struct debug_link *link)
{
	int fd = open(file->source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *section = elf && !elf_unreadable(elf) ? elf_find_section(elf, ".gnu_debuglink", 0, &(GElf_Shdr){ 0 }) : NULL;
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const char *bytes = data ? data->d_buf : NULL;
	size_t length = bytes ? strnlen(bytes, data->d_size) : 0, crc_at = (length + 4) & ~(size_t)3;
	bool good = length && length < sizeof(link->name) && !memchr(bytes, '/', length) && crc_at + 4 <= data->d_size;

	if (good) {
		memcpy(link->name, bytes, length);
		link->name[length] = '\0';
		memcpy(&link->crc, bytes + crc_at, sizeof(link->crc));
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return good;
}

/* Computes the CRC of the whole file that .gnu_debuglink stores. Returns whether the file could be read. */
static bool take_crc(int fd, uint32_t *crc)
{
	uint8_t bytes[65536];
	off_t at = 0;
	ssize_t got;

	*crc = 0;
	while ((got = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		*crc = (uint32_t)crc32(*crc, bytes, (uInt)got);
		at += got;
	}
	return got == 0;
}

/* Returns null if this is the debug file, else the reason why not; "" if there is no such file. */
static const char *check(const struct symbol_file *file, const char *path, const struct debug_link *link)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), same;
	const char *wrong;
	uint32_t crc;
	Elf *elf;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? "" : strerror(errno);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	wrong = elf_unreadable(elf);
	same = wrong ? -1 : elf_compare_build_id(file, elf);
	if (!wrong && file->build_id_bytes && (same == 0 || (same < 0 && !link)))
		wrong = same < 0 ? "has no build-id" : "its build-id differs";
	if (!wrong && link && !take_crc(fd, &crc))
		wrong = "cannot be read";
	else if (!wrong && link && crc != link->crc)
		wrong = "its CRC differs from .gnu_debuglink";
	elf_end(elf);
	close(fd);
	return wrong;
}

/* Takes ownership of @path. Returns whether it is the debug file. */
static bool take(struct symbol_file *file, char *path, const struct debug_link *link)
{
	/* A link may contain the file's own name, which then means another directory. */
	const char *wrong = path && strcmp(path, file->source ? file->source : "") != 0 ? check(file, path, link) : "";

	if (!wrong) {
		file->debug_path = path;
		return true;
	}
	if (*wrong)
		message("%s: is not the debug file of %s: %s", path, file->shown_path, wrong);
	free(path);
	return false;
}

/* Looks in the directories that gdb uses: the file's own, .debug in it, and the debug directories. */
static bool find_by_link(struct symbol_file *file)
{
	/* A packed file has no such link. */
	const char *path = file->source, *slash = strrchr(path, '/');
	int length = slash ? (int)(slash - path) : 1;
	const char *folder = slash ? path : ".";
	struct debug_link link;
	char *real;
	bool found;

	if (!read_link(file, &link))
		return false;
	found = take(file, asprintf(&real, "%.*s/%s", length, folder, link.name) < 0 ? NULL : real, &link) ||
		take(file, asprintf(&real, "%.*s/.debug/%s", length, folder, link.name) < 0 ? NULL : real, &link);
	slash = strrchr(file->path, '/');
	for (size_t i = 0; slash && *file->path == '/' && i < directory_count() && !found; i++)
		found = take(file, asprintf(&real, "%s%.*s/%s", directory(i), (int)(slash - file->path), file->path, link.name) < 0 ?
			     NULL : real, &link);
	return found;
}

static void ask_servers(struct symbol_file *file)
{
	char *path;
	int error;

	file->debug_servers = SERVERS_ASKED;
	if (!file->build_id_bytes)
		return;
	error = debuginfod_get(DEBUGINFOD_DEBUG_FILE, file->build_id, file->build_id_bytes, file->library, &path);
	if (!error)
		take(file, path, NULL);
	else if (error == -ENOENT)
		file->debug_servers = SERVERS_HAVE_NONE;
}

const char *debug_files_find(struct symbol_file *file, bool ask)
{
	/* Parts of a walk read types while another thread reads places. */
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (!file->debug_sought) {
		bool found = false;

		file->debug_sought = true;
		for (size_t i = 0; i < directory_count() && !found; i++)
			found = take(file, path_by_build_id(file, directory(i), ".debug"), NULL);
		if (!found && file->source)
			find_by_link(file);
	}
	if (!file->debug_path && ask && chosen.ask_servers && file->debug_servers == SERVERS_NOT_ASKED)
		ask_servers(file);
	pthread_mutex_unlock(&lock);
	return file->debug_path;
}

/* Looks below @root at the file's path, or, if the file has a build-id to identify it, in @root itself. */
static bool is_below(struct symbol_file *file, const char *root, bool (*try)(struct symbol_file *file, const char *path))
{
	const char *name = strrchr(file->path, '/');
	const char *const parts[] = { file->path, file->build_id_bytes && name && name != file->path ? name : NULL };
	bool found = false;

	for (size_t i = 0; i < 2 && parts[i] && !found; i++) {
		char *path;

		if (asprintf(&path, "%s%s%s", root, *parts[i] == '/' ? "" : "/", parts[i]) < 0)
			continue;
		found = try(file, path);
		free(path);
	}
	return found;
}

bool debug_files_each_original(struct symbol_file *file, bool (*try)(struct symbol_file *file, const char *path))
{
	bool found = false;
	char *path;
	int error;

	for (size_t i = 0; i < chosen.roots.count && !found; i++)
		found = is_below(file, chosen.roots.list[i], try);
	for (size_t i = 0; i < directory_count() && !found; i++) {
		path = path_by_build_id(file, directory(i), "");
		found = path && try(file, path);
		free(path);
	}
	if (found || !chosen.ask_servers || !file->build_id_bytes)
		return found;
	error = debuginfod_get(DEBUGINFOD_EXECUTABLE, file->build_id, file->build_id_bytes, file->library, &path);
	if (!error)
		found = try(file, path);
	else if (error == -ENOENT)
		message("%s: no server in DEBUGINFOD_URLS has this file", file->shown_path);
	free(path);
	return found;
}
