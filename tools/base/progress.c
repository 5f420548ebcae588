/* SPDX-License-Identifier: MIT */
/* progress.c - shows the progress of long work on a terminal. */
#include "base/progress.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/message.h"
#include "base/system/monotonic.h"

#define QUIET_NS 1000000000
#define REFRESH_NS 200000000

static struct {
	const char *what;
	uint64_t total, done;
	int64_t next_ns;
	bool shown;
} progress;

/* Readers update the display, and threads with a message erase it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t begin_ns;

bool progress_is_shown(void)
{
	static int wanted = -1;

	if (wanted < 0) {
		wanted = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO) && !message_is_quiet();
		begin_ns = monotonic_ns();
	}
	return wanted;
}

static void wipe(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
}

void progress_begin(const char *what, uint64_t total)
{
	pthread_mutex_lock(&lock);
	wipe();
	progress.what = what;
	progress.done = 0;
	progress.total = progress_is_shown() ? total : 0;
	progress.next_ns = begin_ns + QUIET_NS;
	pthread_mutex_unlock(&lock);
}

void progress_add(uint64_t done)
{
	int64_t now;

	pthread_mutex_lock(&lock);
	progress.done += done;
	if (progress.total && (now = monotonic_ns()) >= progress.next_ns) {
		progress.next_ns = now + REFRESH_NS;
		progress.shown = true;
		fprintf(stderr, "\r\033[K%s %3.0f %%", progress.what,
			100.0 * (double)progress.done / (double)progress.total);
	}
	pthread_mutex_unlock(&lock);
}

void progress_print(const char *format, ...)
{
	int64_t now = monotonic_ns();
	va_list arguments;

	pthread_mutex_lock(&lock);
	if (progress_is_shown() && now >= progress.next_ns && now >= begin_ns + QUIET_NS) {
		progress.next_ns = now + REFRESH_NS;
		progress.shown = true;
		fputs("\r\033[K", stderr);
		va_start(arguments, format);
		vfprintf(stderr, format, arguments);
		va_end(arguments);
	}
	pthread_mutex_unlock(&lock);
}

void progress_wipe(void)
{
	pthread_mutex_lock(&lock);
	wipe();
	pthread_mutex_unlock(&lock);
}
