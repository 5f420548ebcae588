/* SPDX-License-Identifier: MIT */
/* module_files.c - keeps the names of modules whose files are removed or replaced during a recording. */
#include "record/module_files.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "reader/files/trace_reader.h"
#include "reader/packed/pack_file.h"
#include "reader/packed/symbol_pack.h"

#define FILES_MAX 1024u	/* the descriptors are needed for processes, too */

struct module_file {
	struct module_file *next;
	int fd;
	dev_t device;
	ino_t inode;
	char path[];
};

static void ignore_message(const char *text)
{
	(void)text;
}

void module_file_pack(const struct symbol_file *module, const char *folder, int fd)
{
	struct symbol_file *file;
	const char *wrong = NULL;
	char source[32], *path = NULL;

	snprintf(source, sizeof(source), "/proc/self/fd/%d", fd);
	file = symbol_file_new(source, module->library, module->build_id, module->build_id_bytes, module->module_id,
			       module->count, false);
	if (!file)
		return;
	file->hooked = module->hooked;
	file->by_symbol = module->by_symbol;
	message_divert(ignore_message);
	if (symbol_file_check(file) && symbol_pack_path(folder, module, &path) == 0 &&
	    (mkdir(folder, 0700) == 0 || errno == EEXIST))
		wrong = pack_file(file, path);
	message_divert(NULL);
	if (wrong)
		message("%s: its names cannot be kept in the trace: %s", module->path, wrong);
	free(path);
	symbol_file_free(file);
}

static bool is_known(const struct module_files *files, const struct stat *status, const char *path)
{
	for (const struct module_file *file = files->list; file; file = file->next)
		if (file->device == status->st_dev && file->inode == status->st_ino && strcmp(file->path, path) == 0)
			return true;
	return false;
}

void module_files_add(struct module_files *files, int fd, const char *path)
{
	struct module_file *file = NULL;
	struct stat status;

	if (files->count < FILES_MAX && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    !is_known(files, &status, path))
		file = malloc(sizeof(*file) + strlen(path) + 1);
	if (!file) {
		close(fd);
		return;
	}
	file->fd = fd;
	file->device = status.st_dev;
	file->inode = status.st_ino;
	strcpy(file->path, path);
	file->next = files->list;
	files->list = file;
	files->count++;
}

/* Closes the files that are still at their path. */
static void drop_present(struct module_files *files)
{
	struct module_file **last = &files->list, *file;
	struct stat status;

	while ((file = *last)) {
		if (stat(file->path, &status) < 0 || status.st_dev != file->device || status.st_ino != file->inode) {
			last = &file->next;
			continue;
		}
		*last = file->next;
		close(file->fd);
		free(file);
	}
}

/* Reads the processes of the trace, which loads its list of modules. */
static void pack_absent(const struct module_files *files, const char *trace_path)
{
	static struct process process;	/* 32 KiB, static because the program may need a small stack limit */
	char folder[PATH_MAX];
	struct trace trace;

	if (snprintf(folder, sizeof(folder), "%s/" SYMBOL_PACK_FOLDER, trace_path) >= (int)sizeof(folder))
		return;
	/* Commands that read the trace report its faults. */
	message_divert(ignore_message);
	if (trace_open(&trace, trace_path, true) == 0) {
		for (size_t i = 0; i < trace.count; i++)
			if (trace_open_process(&trace, i, &process) == 0)
				process_close(&process);
		message_divert(NULL);
		for (size_t i = 0; i < trace.symbols.count; i++)
			for (const struct module_file *file = files->list; file; file = file->next)
				if (strcmp(file->path, trace.symbols.files[i]->path) == 0)
					module_file_pack(trace.symbols.files[i], folder, file->fd);
		trace_close(&trace);
	}
	message_divert(NULL);
}

void module_files_end(struct module_files *files, const char *trace_path)
{
	drop_present(files);
	if (files->list && trace_path)
		pack_absent(files, trace_path);
	for (struct module_file *file = files->list, *next; file; file = next) {
		next = file->next;
		close(file->fd);
		free(file);
	}
	*files = (struct module_files){ 0 };
}
