/* SPDX-License-Identifier: MIT */
/* files.c - reads all source files below a directory. */
#define _GNU_SOURCE
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_source(const char *name)
{
	static const char *const suffixes[] = {
		".c", ".h", ".cc", ".S", ".sh", ".am", ".ac", ".md", ".proto",
	};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

static int read_text(const char *path, struct file *file)
{
	FILE *stream = fopen(path, "re");
	size_t capacity = 0, got;
	int error = 0;

	if (!stream)
		return -errno;
	do {
		if (capacity - file->length < 4096) {
			char *grown = realloc(file->text, capacity = 2 * capacity + 8192);

			if (!grown) {
				error = -ENOMEM;
				break;
			}
			file->text = grown;
		}
		got = fread(file->text + file->length, 1, capacity - file->length, stream);
		file->length += got;
	} while (got > 0);
	if (ferror(stream))
		error = -EIO;
	fclose(stream);
	return error;
}

static int add_file(struct files *files, const char *path)
{
	struct file file = {.path = strdup(path)};
	struct file *grown = realloc(files->list, (files->count + 1) * sizeof(*grown));
	int error;

	if (grown)
		files->list = grown;
	error = grown && file.path ? read_text(path, &file) : -ENOMEM;
	if (error) {
		free(file.text);
		free(file.path);
		return error;
	}
	files->list[files->count++] = file;
	return 0;
}

static int walk(struct files *files, const char *directory, char **failed);

static int add_entry(struct files *files, const char *path, const char *name, char **failed)
{
	struct stat status;

	if (lstat(path, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return strncmp(name, "build", 5) ? walk(files, path, failed) : 0;
	return S_ISREG(status.st_mode) && is_source(name) ? add_file(files, path) : 0;
}

static int walk(struct files *files, const char *directory, char **failed)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	int error = 0;

	if (!stream) {
		error = -errno;
		*failed = strdup(directory);
		return error;
	}
	while (!error && (entry = readdir(stream))) {
		char *path;

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", directory, entry->d_name) < 0) {
			error = -ENOMEM;
			break;
		}
		error = add_entry(files, path, entry->d_name, failed);
		if (error && !*failed)
			*failed = path;
		else
			free(path);
	}
	closedir(stream);
	return error;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

int files_read(struct files *files, const char *directory, char **failed)
{
	int error;

	*files = (struct files){0};
	*failed = NULL;
	error = walk(files, directory, failed);
	if (files->count)
		qsort(files->list, files->count, sizeof(*files->list), compare_paths);
	return error;
}

void files_free(struct files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->list[i].path);
		free(files->list[i].text);
	}
	free(files->list);
	*files = (struct files){0};
}
