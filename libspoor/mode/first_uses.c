/* SPDX-License-Identifier: MIT */
/* first_uses.c - manages the file of first executions, and its memory. */
#include "mode/first_uses.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/large.h"
#include "event/event_path.h"
#include "base/signal_guard.h"
#include "module/module_bits.h"
#include "module/registry.h"
#include "base/owned_file.h"

#define ENTRIES_BYTES ((size_t)SPOOR_ORDER_INDEXES * sizeof(uint32_t))
#define MAPPED_BYTES (SPOOR_ORDER_ENTRIES_OFFSET + ENTRIES_BYTES + 4096)
#define SEEN_BYTES (SPOOR_ORDER_INDEXES / 8)

_Static_assert(sizeof(struct spoor_order_header) <= SPOOR_ORDER_ENTRIES_OFFSET, "the header fits");

static struct spoor_owned_file file = { .fd = -1 };
static struct spoor_module_bits ordered SPOOR_LARGE;	/* modules whose functions have room in the file */

/* Extends the file to @capacity entries and one more page, for entries that a fork duplicates. */
static int extend_file(struct spoor_order_header *header, uint32_t capacity)
{
	size_t bytes = (SPOOR_ORDER_ENTRIES_OFFSET + capacity * sizeof(uint32_t) + 2 * 4096 - 1) & -4096ul;
	int fd = spoor_owned_file_fd(&file), error;
	struct spoor_signal_guard quiet;

	if (fd < 0)
		return fd;
	spoor_signal_guard_begin(&quiet);
	error = ftruncate(fd, (off_t)bytes) < 0 ? -errno : 0;
	spoor_signal_guard_end(&quiet);
	if (error == 0)
		error = spoor_owned_file_populate(&file, header, 0, bytes);
	return error;
}

int spoor_order_begin(const char *folder, uint64_t session_id)
{
	struct spoor_order_header *header = MAP_FAILED;
	uint64_t *seen = MAP_FAILED;
	int error = spoor_owned_file_create(&file, folder, SPOOR_ORDER_FILE);

	if (error < 0)
		return error;
	header = mmap(NULL, MAPPED_BYTES, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file.fd, 0);
	seen = mmap(NULL, SEEN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	error = header == MAP_FAILED || seen == MAP_FAILED ? -errno : extend_file(header, 0);
	if (error == 0) {
		*header = (struct spoor_order_header){
			.magic = SPOOR_ORDER_MAGIC,
			.version = SPOOR_TRACE_VERSION,
			.process_id = (uint32_t)getpid(),
			.session_id = session_id,
		};
		spoor_order_seen = seen;
		__atomic_store_n(&spoor_order, header, __ATOMIC_RELEASE);
		return 0;
	}
	if (header != MAP_FAILED)
		munmap(header, MAPPED_BYTES);
	if (seen != MAP_FAILED)
		munmap(seen, SEEN_BYTES);
	spoor_owned_file_close(&file);
	if (file.path[0])
		unlink(file.path);
	return error;
}

int spoor_order_cover(struct spoor_instance *instance)
{
	uint32_t capacity = spoor_order->capacity + instance->count;
	int error;

	if (spoor_module_bit(&ordered, instance->position))
		return 0;
	if ((uint64_t)instance->base + instance->count > SPOOR_ORDER_INDEXES)
		return -ERANGE;
	error = extend_file(spoor_order, capacity);
	if (error < 0)
		return error;
	spoor_order->capacity = capacity;
	spoor_module_bit_set(&ordered, instance->position);
	return 0;
}

static void close_order(void)
{
	spoor_owned_file_close(&file);
	__atomic_store_n(&spoor_order, NULL, __ATOMIC_RELEASE);
	spoor_module_bits_clear(&ordered);
}

/* The memory stays mapped: a trampoline may be about to store there. */
void spoor_order_abandon(void)
{
	close_order();
}

void spoor_order_end(void)
{
	struct spoor_order_header *header = spoor_order;

	close_order();
	if (header)
		munmap(header, MAPPED_BYTES);
	if (spoor_order_seen)
		munmap(spoor_order_seen, SEEN_BYTES);
	spoor_order_seen = NULL;
}
