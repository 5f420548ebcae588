/* SPDX-License-Identifier: MIT */
/* counts.c - manages the file of counters, its lanes, and their memory. */
#define _GNU_SOURCE
#include "mode/counts.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/address_space.h"
#include "base/large.h"
#include "base/memory.h"
#include "event/pool.h"
#include "base/signal_guard.h"
#include "event/count_lanes.h"
#include "module/module_bits.h"
#include "module/registry.h"
#include "base/owned_file.h"

_Static_assert(sizeof(struct spoor_count_header) <= SPOOR_COUNT_LANES_OFFSET, "the header fits");

/* The trampoline adds 8 times an event's code to the thread's base. The code has the kind in its upper bits, so the
 * base is lower by this. */
#define ENTRY_BYTES ((uint64_t)SPOOR_EVENT_CODE(SPOOR_KIND_ENTRY, 0) * 8)

static struct spoor_owned_file file = { .fd = -1 };
static uint64_t mapped_bytes;
static uint32_t lanes_max;	/* as many as the address space has room for */
static struct spoor_module_bits counted SPOOR_LARGE;	/* modules whose counters have memory */

static char *lane_at(uint32_t lane)
{
	return (char *)spoor_counts + spoor_count_offset(lane, 0);
}

/* The pages of a module's counters in a lane: returns their offset in the file. */
static uint64_t counter_pages(uint32_t lane, const struct spoor_instance *instance, uint64_t *bytes)
{
	uint64_t begin = ((uint64_t)instance->base * 8) & -4096ull;
	uint64_t end = ((uint64_t)(instance->base + instance->count) * 8 + 4095) & -4096ull;

	*bytes = end - begin;
	return spoor_count_offset(lane, 0) + begin;
}

static int cover_lane(uint32_t lane, const struct spoor_instance *instance)
{
	uint64_t bytes, offset = counter_pages(lane, instance, &bytes);

	return spoor_owned_file_populate(&file, spoor_counts, offset, bytes);
}

/* Extends the file by a lane. The signal of a file size limit is blocked. */
static int lane_add(uint32_t lane)
{
	int fd = spoor_owned_file_fd(&file), error;
	struct spoor_signal_guard quiet;

	if (fd < 0)
		return fd;
	spoor_signal_guard_begin(&quiet);
	error = ftruncate(fd, (off_t)spoor_count_offset(lane + 1, 0)) < 0 ? -errno : 0;
	spoor_signal_guard_end(&quiet);
	return error;
}

/* Reserves addresses for all lanes, or for fewer if the address space is limited. */
static int map_lanes(struct spoor_count_header **header)
{
	uint64_t share = spoor_address_space_share();
	uint32_t lanes = SPOOR_COUNT_LANES_MAX;

	while (lanes > 1 && spoor_count_offset(lanes, 0) > share)
		lanes /= 2;
	if (spoor_count_offset(lanes, 0) / SPOOR_ADDRESS_SPACE_SHARES_MOST > share)
		return -ENOMEM;
	for (; lanes; lanes /= 2) {
		uint64_t bytes = spoor_count_offset(lanes, 0);
		void *at = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file.fd, 0);

		if (at == MAP_FAILED)
			continue;
		madvise(at, bytes, MADV_DONTDUMP);
		/* No read-ahead, as for the pool. */
		madvise(at, bytes, MADV_RANDOM);
		*header = at;
		mapped_bytes = bytes;
		lanes_max = lanes;
		return 0;
	}
	return -errno;
}

int spoor_counts_begin(const char *folder, uint64_t session_id)
{
	struct spoor_count_header *header = NULL;
	int error = spoor_owned_file_create(&file, folder, SPOOR_COUNTS_FILE);

	if (error == 0)
		error = lane_add(0);
	if (error == 0)
		error = map_lanes(&header);
	if (error < 0)
		goto close_file;
	error = spoor_owned_file_populate(&file, header, 0, SPOOR_COUNT_LANES_OFFSET);
	if (error < 0)
		goto unmap;
	*header = (struct spoor_count_header){
		.version = SPOOR_TRACE_VERSION,
		.indexes = SPOOR_COUNT_INDEXES,
		.session_id = session_id,
		.process_id = (uint32_t)getpid(),
		.lanes = 1,
	};
	__atomic_store_n(&header->magic, SPOOR_COUNT_MAGIC, __ATOMIC_RELEASE);
	spoor_count_lanes_begin();
	__atomic_store_n(&spoor_counts, header, __ATOMIC_RELEASE);
	return 0;
unmap:
	munmap(header, mapped_bytes);
close_file:
	spoor_owned_file_close(&file);
	if (file.path[0])
		unlink(file.path);
	return error;
}

int spoor_counts_cover(struct spoor_instance *instance)
{
	int error = 0;

	if (spoor_module_bit(&counted, instance->position))
		return 0;
	if ((uint64_t)instance->base + instance->count > SPOOR_COUNT_INDEXES)
		return -ERANGE;
	for (uint32_t lane = 0; lane < spoor_counts->lanes && error == 0; lane++)
		error = cover_lane(lane, instance);
	if (error == 0)
		spoor_module_bit_set(&counted, instance->position);
	return error;
}

/* Adds a lane, with memory for the counters of all counted modules. */
static int lane_begin(uint32_t lane)
{
	int error = lane_add(lane);

	for (uint32_t i = 0; i < spoor_registry_count() && error == 0; i++) {
		if (spoor_module_bit(&counted, i))
			error = cover_lane(lane, spoor_registry_at(i));
	}
	if (error == 0)
		spoor_counts->lanes = lane + 1;
	else
		lanes_max = lane;
	return error;
}

void spoor_counts_attach(struct spoor_thread *thread)
{
	uint32_t lane = spoor_count_lane_free();

	if (thread->counts || thread->shares_counts)
		return;
	if (lane >= lanes_max || (lane >= spoor_counts->lanes && lane_begin(lane) < 0)) {
		thread->shares_counts = 1;
		return;
	}
	spoor_count_lane_take(thread, lane, (uint64_t)lane_at(lane) - ENTRY_BYTES);
}

static void renew_pages(uint64_t offset, uint64_t bytes)
{
	uint64_t before = offset & (spoor_page_bytes - 1);

	spoor_memory_renew((char *)spoor_counts + offset - before, bytes + before);
}

/* A fork may have interrupted a count, which continues in the child: all covered pages stay accessible. */
void spoor_counts_forked(void)
{
	uint32_t lanes = spoor_counts ? spoor_counts->lanes : 0;

	if (!lanes)
		return;
	spoor_memory_close(spoor_counts, mapped_bytes);
	renew_pages(0, SPOOR_COUNT_LANES_OFFSET);
	spoor_counts->lanes = lanes;
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		const struct spoor_instance *instance = spoor_registry_at(i);

		for (uint32_t lane = 0; lane < lanes && spoor_module_bit(&counted, i); lane++) {
			uint64_t bytes, offset = counter_pages(lane, instance, &bytes);

			renew_pages(offset, bytes);
		}
	}
}

static void close_counts(void)
{
	spoor_owned_file_close(&file);
	__atomic_store_n(&spoor_counts, NULL, __ATOMIC_RELEASE);
	spoor_module_bits_clear(&counted);
}

void spoor_counts_abandon(void)
{
	spoor_counts_forked();
	close_counts();
}

void spoor_counts_end(void)
{
	if (spoor_counts)
		munmap(spoor_counts, mapped_bytes);
	close_counts();
}
