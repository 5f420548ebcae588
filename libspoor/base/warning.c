/* SPDX-License-Identifier: MIT */
/*
 * warning.c - prints each message with one write(2) to the stderr that the process started with.
 *
 * A program may have closed descriptor 2 and opened a data file there.
 */
#include "base/warning.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signal_guard.h"

static struct stat stderr_at_start;
static int stderr_known;
/* Per thread: an API call that collects messages must not get other threads' messages. Null: messages go to
 * stderr. */
static __thread char *diverted __attribute__((tls_model("initial-exec")));
static __thread size_t diverted_bytes __attribute__((tls_model("initial-exec")));

/* Shared by this process and all its forked children. Nonzero: a message was printed. */
static int *any_printed;

void spoor_warning_begin(void)
{
	stderr_known = fstat(STDERR_FILENO, &stderr_at_start) == 0;
	any_printed = mmap(NULL, sizeof(*any_printed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (any_printed == MAP_FAILED)
		any_printed = NULL;
}

bool spoor_warning_is_first(void)
{
	return diverted || !any_printed || !__atomic_exchange_n(any_printed, 1, __ATOMIC_RELAXED);
}

void spoor_warning_divert(char *text, size_t size)
{
	diverted_bytes = size;
	diverted = text;
}

void spoor_warning(const char *format, ...)
{
	int saved = errno;
	struct stat now;
	char line[1024] = "spoor: ";
	size_t used = strlen(line);
	struct spoor_signal_guard guard;
	va_list arguments;
	int length;

	if (diverted) {
		used = strlen(diverted);
		va_start(arguments, format);
		vsnprintf(diverted + used, diverted_bytes - used, format, arguments);
		va_end(arguments);
		used = strlen(diverted);
		if (used + 1 < diverted_bytes)
			strcpy(diverted + used, "\n");
		goto out;
	}
	if (!stderr_known || fstat(STDERR_FILENO, &now) < 0 || now.st_dev != stderr_at_start.st_dev ||
	    now.st_ino != stderr_at_start.st_ino)
		goto out;
	va_start(arguments, format);
	length = vsnprintf(line + used, sizeof(line) - used - 1, format, arguments);
	va_end(arguments);
	if (length < 0)
		goto out;
	used += (size_t)length < sizeof(line) - used - 2 ? (size_t)length : sizeof(line) - used - 2;
	line[used++] = '\n';
	spoor_signal_guard_begin(&guard);
	/* A write to a full pipe would block the program. */
	if (poll(&(struct pollfd){ .fd = STDERR_FILENO, .events = POLLOUT }, 1, 0) == 1 &&
	    write(STDERR_FILENO, line, used) < 0)
		errno = 0;	/* there is no other place for the message */
	spoor_signal_guard_end(&guard);
out:
	errno = saved;
}
