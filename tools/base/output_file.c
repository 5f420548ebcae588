/* SPDX-License-Identifier: MIT */
/* output_file.c - opens the descriptor of an output, and gives the finished file its name. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"

/* Begins to write to @fd, which the output owns. Returns the same as output_begin. @fd may be a failed open(2),
 * with errno set. */
static int begin(struct output *out, int fd)
{
	*out = (struct output){ .fd = fd };
	if (fd < 0)
		return -errno;
	out->buffer = malloc(OUTPUT_BYTES);
	output_numbers_begin();
	if (!out->buffer) {
		if (out->fd != STDOUT_FILENO)
			close(out->fd);
		return -ENOMEM;
	}
	return 0;
}

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define ENDS (sizeof(ends) / sizeof(*ends))

/* The temporary file that a fatal signal removes: the one begun last. */
static char unfinished[PATH_MAX];

static void end_by_signal(int number)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };

	unlink(unfinished);
	sigaction(number, &usual, NULL);
	raise(number);
}

/* Blocks signals until `unfinished` is valid again. */
static void hold_signals(sigset_t *before)
{
	sigset_t ours;

	sigemptyset(&ours);
	for (size_t i = 0; i < ENDS; i++)
		sigaddset(&ours, ends[i]);
	pthread_sigmask(SIG_BLOCK, &ours, before);
}

/* Leaves ignored and handled signals as they are. */
static void replace_handlers(void (*from)(int), void (*to)(int))
{
	struct sigaction action = { .sa_handler = to }, is;

	for (size_t i = 0; i < ENDS; i++)
		if (sigaction(ends[i], NULL, &is) == 0 && is.sa_handler == from)
			sigaction(ends[i], &action, NULL);
}

/* Returns the same as mkostemp(3). */
static int make_unfinished(char *path)
{
	sigset_t before;
	int fd;

	hold_signals(&before);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0) {
		snprintf(unfinished, sizeof(unfinished), "%s", path);
		replace_handlers(SIG_DFL, end_by_signal);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return fd;
}

/* The temporary file has its final name, or was removed. */
static void forget_unfinished(void)
{
	replace_handlers(end_by_signal, SIG_DFL);
	unfinished[0] = '\0';
}

/* Returns the mode that open(2) would give a new file. */
static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * Creates the temporary file. If @path is a symbolic link, its target is replaced.
 *
 * Returns the same as output_begin, or -EACCES and similar errors if the directory allows no new file,
 * -ENOTSUP if @path is not a regular file.
 */
static int begin_beside(struct output *out, const char *path)
{
	char *real = realpath(path, NULL), *begun = NULL;
	struct stat status;
	bool is_new = !real;
	int error = 0, fd = -1;

	if (!*path || (!real && (errno != ENOENT || lstat(path, &status) == 0)))
		return -ENOTSUP;
	if (real && (stat(real, &status) < 0 || !S_ISREG(status.st_mode) || access(real, W_OK) < 0))
		error = -ENOTSUP;
	else if (is_new)
		real = strdup(path);
	if (!error && (!real || asprintf(&begun, "%s.XXXXXX", real) < 0))
		error = -ENOMEM;
	if (!error)
		fd = make_unfinished(begun);
	if (!error && fd < 0)
		error = -errno;
	/* The new file keeps the owner of the old one. */
	if (!error && !is_new && fchown(fd, status.st_uid, status.st_gid) < 0)
		error = -errno;
	if (!error && fchmod(fd, is_new ? new_mode() : status.st_mode & 0777) < 0)
		error = -errno;
	if (!error)
		error = begin(out, fd);
	else if (fd >= 0)
		close(fd);
	if (!error) {
		out->path = real;
		out->begun = begun;
		return 0;
	}
	if (fd >= 0) {
		unlink(begun);
		forget_unfinished();
	}
	free(begun);
	free(real);
	return error;
}

int output_begin_read_along(struct output *out, const char *path)
{
	if (strcmp(path, "-") == 0)
		return begin(out, STDOUT_FILENO);
	return begin(out, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
}

int output_begin(struct output *out, const char *path)
{
	*out = (struct output){ 0 };
	if (!path || strcmp(path, "-") == 0)
		return output_begin_read_along(out, "-");
	/* Writes other kinds of files, and files in closed directories, in place; open(2) reports errors. */
	return begin_beside(out, path) == 0 ? 0 : output_begin_read_along(out, path);
}

int output_begin_in(struct output *out, int directory, const char *name)
{
	return begin(out, openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
}

int output_begin_stderr(struct output *out)
{
	return begin(out, fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
}

int output_begin_temporary(struct output *out)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	sigset_t before;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/spoor.XXXXXX", folder && *folder ? folder : "/tmp") >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return begin(out, -1);
	}
	hold_signals(&before);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return begin(out, fd);
}

/* Renames the temporary file to its final name, unless it is incomplete. */
static void take_name(struct output *out, bool keeps)
{
	if (keeps && !out->error && rename(out->begun, out->path) < 0)
		out->error = -errno;
	if (!keeps || out->error)
		unlink(out->begun);
	forget_unfinished();
	free(out->begun);
	free(out->path);
	out->begun = out->path = NULL;
}

void output_drop(struct output *out)
{
	out->used = 0;
	out->written = 0;
}

int output_end_with(struct output *out, int status)
{
	if (!out->buffer)
		return 0;
	output_flush(out);
	if (out->fd != STDOUT_FILENO && close(out->fd) && !out->error)
		out->error = -errno;
	if (out->begun)
		take_name(out, !status || out->written);
	free(out->buffer);
	out->buffer = NULL;
	return out->error == -EPIPE ? 0 : out->error;
}

int output_end(struct output *out)
{
	return output_end_with(out, 0);
}

void output_warn_if_large(const struct output *out, const char *path, const char *viewer, uint32_t holds_mb,
		      const char *instead)
{
	uint64_t mb = out->written / 1000000;

	if (mb > holds_mb)
		message("%s: the file has %" PRIu64 " MB, and %s can open about %" PRIu32 " MB: select a part (--time, "
			"--min-duration, --thread), or use %s", path ? path : "stdout", mb, viewer, holds_mb, instead);
}
