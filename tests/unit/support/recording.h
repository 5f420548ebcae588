/* SPDX-License-Identifier: MIT */
/* recording.h - starts a recorder in the test, and makes a pool to send to it. */
#ifndef SPOOR_TESTS_RECORDING_H
#define SPOOR_TESTS_RECORDING_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "event/pool.h"
#include "tests/unit/support/reading.h"
#include "record/recorder.h"

#define SLICES 64u

static struct recorder *recorder;
static struct recorder_totals totals;
static char name[64], folder[64];
static struct spoor_thread thread;
static int pool_fd;

static void begin(void)
{
	strcpy(folder, reading_folder());
	ck_assert_int_eq(recorder_begin(&recorder, name, sizeof(name)), 0);
}

static void end(void)
{
	recorder_end(recorder, &totals);
	reading_remove(folder);
}

static void make_pool(void)
{
	pool_fd = memfd_create("pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ck_assert_int_eq(spoor_pool_create(pool_fd, 1, SLICES, &spoor_pool), 0);
	thread = (struct spoor_thread){ .process_id = 1, .thread_id = 2, .serial = 3 };
}

/* Stores @count events, as a trampoline does. Returns the number of stored events. */
static uint64_t log_events(uint64_t count)
{
	uint64_t stored = 0;

	while (count) {
		uint64_t slot = thread.cursor;

		thread.cursor += 8;
		if (slot & SPOOR_SLICE_BIT) {
			*(uint64_t *)slot = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 1, slot);
			stored++;
			count--;
		} else if (spoor_event_slow(&thread, slot ? slot : 8, SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, 1))) {
			count--;
		}
	}
	return stored;
}

static off_t events_bytes(const char *in)
{
	char path[128];
	struct stat status;

	snprintf(path, sizeof(path), "%s/%s", in, SPOOR_EVENTS_FILE);
	return stat(path, &status) ? -1 : status.st_size;
}

#endif
