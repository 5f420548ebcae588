/* SPDX-License-Identifier: MIT */
/*
 * pool.c - creates, saves and unmaps the pool. slices.c uses it.
 */
#define _GNU_SOURCE
#include "event/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/address_space.h"
#include "format/clocks.h"
#include "format/pool_memory.h"
#include "base/time_source.h"
#include "base/memory.h"
#include "event/slices.h"

#define SLICE_COUNT_LEAST 64u

struct spoor_pool *spoor_pool;
struct spoor_pool_limits spoor_pool_limits;
uint64_t spoor_pool_opened[SPOOR_POOL_SLICE_COUNT_MAX / SPOOR_POOL_OPENING / 64];

static uint32_t whole_pages(void)
{
	return (SPOOR_SLICE_BYTES - spoor_pool_limits.dynamic_offset + spoor_page_bytes - 1) / spoor_page_bytes;
}

/* Maps @bytes of @fd at a multiple of the stride. */
static int map_aligned(int fd, size_t bytes, void **address)
{
	size_t reserved = bytes + SPOOR_POOL_SLICE_STRIDE;
	char *all, *begin;

	all = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED)
		return -errno;
	begin = (char *)(((uintptr_t)all + SPOOR_POOL_SLICE_STRIDE - 1) & -(uintptr_t)SPOOR_POOL_SLICE_STRIDE);
	if (mmap(begin, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
	    mprotect(begin, SPOOR_POOL_SLICES_OFFSET, PROT_READ | PROT_WRITE) < 0) {
		int error = -errno;

		munmap(all, reserved);
		return error;
	}
	if (begin > all)
		munmap(all, (size_t)(begin - all));
	if (begin + bytes < all + reserved)
		munmap(begin + bytes, (size_t)(all + reserved - (begin + bytes)));
	*address = begin;
	return 0;
}

/* Sets the bits of the first @count slices in an empty bitmap. */
static void set_first(uint64_t *bitmap, uint32_t count)
{
	memset(bitmap, 0xff, count / 64 * sizeof(*bitmap));
	if (count % 64)
		bitmap[count / 64] = (1ull << (count % 64)) - 1;
}

/* Forgets claims that an earlier pool has left. Slices of the first part may have some without a bit, in a pool that
 * cannot grow. The others are not looked at: reading them would cost a program 30 page faults at its start. */
static void forget_claims(void)
{
	for (uint32_t part = 0; part < SPOOR_POOL_SLICE_COUNT_MAX / SPOOR_POOL_OPENING; part++) {
		if (part == 0 || bit_test(spoor_pool_opened, part))
			memset(&spoor_slice_claims[part * SPOOR_POOL_OPENING], 0, SPOOR_POOL_OPENING * sizeof(*spoor_slice_claims));
	}
}

int spoor_pool_create(int fd, uint64_t session_id, uint32_t slice_count, struct spoor_pool **result)
{
	struct spoor_pool *pool;
	uint64_t share = spoor_address_space_share();
	void *address = NULL;
	size_t mapped;
	int error;

	while (spoor_pool_bytes(slice_count) > share && slice_count / 2 >= SLICE_COUNT_LEAST)
		slice_count /= 2;
	if (spoor_pool_bytes(slice_count) / SPOOR_ADDRESS_SPACE_SHARES_MOST > share)
		return -ENOMEM;
	for (;;) {
		mapped = spoor_pool_bytes(slice_count);
		if (ftruncate(fd, (off_t)mapped) < 0)
			error = -errno;
		else
			error = map_aligned(fd, mapped, &address);
		if (error == 0)
			break;
		if (slice_count / 2 < SLICE_COUNT_LEAST)
			return error;
		slice_count /= 2;
	}
	pool = address;
	forget_claims();
	memset(spoor_pool_opened, 0, sizeof(spoor_pool_opened));
	madvise(pool, mapped, MADV_DONTDUMP);
	/* Without MADV_RANDOM, read-ahead would allocate memory around every touched page. */
	madvise(pool, mapped, MADV_RANDOM);
	if (madvise(pool, SPOOR_POOL_INFOS_OFFSET, MADV_POPULATE_WRITE) < 0) {
		/* Linux before 5.14: allocate the blocks of the header and of a few slices now, and no others
		 * later. */
		error = errno == EFAULT ? -ENOSPC : -errno;	/* would be a SIGBUS */
		if (error != -EINVAL)
			goto unmap;
		slice_count = SLICE_COUNT_LEAST;
		if (posix_fallocate(fd, 0, (off_t)spoor_pool_bytes(slice_count)) != 0) {
			error = -ENOSPC;
			goto unmap;
		}
		if (mprotect(pool, spoor_pool_bytes(slice_count), PROT_READ | PROT_WRITE) < 0) {
			error = -errno;
			goto unmap;
		}
		set_first(pool->warm, slice_count);
		/* Nothing may be given back: slices cannot get memory later. */
		spoor_pool_memory(pool)->cannot_grow = 1;
		spoor_pool_memory(pool)->is_fixed = 1;
	}

	pool->version = SPOOR_TRACE_VERSION;
	pool->slice_bytes = SPOOR_SLICE_BYTES;
	pool->slice_count = slice_count;
	pool->process_id = (uint32_t)getpid();
	pool->session_id = session_id;
	pool->room = slice_count;
	spoor_pool_memory(pool)->reserved = spoor_pool_limits.reserved;
	spoor_pool_memory(pool)->slice_pages = whole_pages();
	if (spoor_pool_limits.pages && spoor_pool_limits.reserved + spoor_pool_limits.pages / whole_pages() < slice_count)
		pool->room = spoor_pool_limits.reserved + spoor_pool_limits.pages / whole_pages();
	pool->low_water = spoor_pool_limits.low_water = pool->room / 16 < 16 ? pool->room / 16 : 16;
	set_first(pool->free, slice_count);
	pool->counter_is_clock = (uint32_t)spoor_counter_is_clock;
	spoor_clocks_read(&pool->begin, spoor_counter_is_clock);
	pool->latest = pool->begin;
	__atomic_store_n(&pool->magic, SPOOR_POOL_MAGIC, __ATOMIC_RELEASE);
	*result = pool;
	return 0;
unmap:
	/* The pool has no memory, so its fields must not be read. */
	munmap(pool, mapped);
	return error;
}

void spoor_pool_unmap(struct spoor_pool *pool)
{
	if (pool)
		munmap(pool, spoor_pool_bytes(pool->slice_count));
}

/* A signal handler may have forked in the middle of an event, which continues here. So accessible memory stays
 * accessible at each moment. */
void spoor_pool_abandon(struct spoor_pool *pool)
{
	uint64_t bytes = pool ? spoor_pool_bytes(pool->slice_count) : 0;
	uint32_t parts = pool ? (pool->slice_count + SPOOR_POOL_OPENING - 1) / SPOOR_POOL_OPENING : 0, end;

	if (!pool)
		return;
	if (spoor_memory_renew(pool, SPOOR_POOL_SLICES_OFFSET) == MAP_FAILED)
		munmap(pool, SPOOR_POOL_SLICES_OFFSET);
	for (uint32_t part = 0; part < parts; part = end) {
		uint64_t low = SPOOR_POOL_SLICES_OFFSET + part * SPOOR_POOL_OPENING_BYTES, high;
		void *at = (char *)pool + low;

		for (end = part + 1; end < parts && bit_test(spoor_pool_opened, end) == bit_test(spoor_pool_opened, part); end++)
			;
		high = SPOOR_POOL_SLICES_OFFSET + end * SPOOR_POOL_OPENING_BYTES;
		high = high < bytes ? high : bytes;
		if ((bit_test(spoor_pool_opened, part) ? spoor_memory_renew : spoor_memory_close)(at, high - low) == MAP_FAILED)
			munmap(at, high - low);
	}
}

void spoor_pool_trim(struct spoor_pool *pool)
{
	if (spoor_pool_memory(pool)->is_fixed)
		return;
	/* Most slices never had memory, so look only at bitmaps. */
	for (uint32_t word = 0; word < (pool->slice_count + 63) / 64; word++) {
		uint64_t used = spoor_pool_with_memory(pool, word);

		for (; used; used &= used - 1)
			spoor_pool_give_back(pool, word * 64 + (uint32_t)__builtin_ctzll(used));
	}
	/* There is memory again. */
	__atomic_store_n(&spoor_pool_memory(pool)->cannot_grow, 0, __ATOMIC_RELAXED);
}

static int save(struct spoor_pool *pool, int fd, uint64_t offset, uint64_t bytes)
{
	while (bytes) {
		ssize_t written = pwrite(fd, (char *)pool + offset, bytes, (off_t)offset);

		if (written < 0 && errno != EINTR)
			return -errno;
		offset += written > 0 ? (uint64_t)written : 0;
		bytes -= written > 0 ? (uint64_t)written : 0;
	}
	return 0;
}

int spoor_pool_save(struct spoor_pool *pool, int fd)
{
	int error = ftruncate(fd, (off_t)spoor_pool_bytes(pool->slice_count)) < 0 ? -errno : 0;

	/* Write the slices first: readers reject a file whose header is missing. */
	for (uint32_t i = 0; error == 0 && i < pool->slice_count; i++) {
		uint64_t bit = 1ull << (i % 64), free = __atomic_load_n(&pool->free[i / 64], __ATOMIC_ACQUIRE);

		uint32_t begin = spoor_pool_info(pool, i)->offset;

		/* Do not allocate memory for a slice that was never used. */
		if (!(free & bit) && begin < SPOOR_SLICE_BYTES)
			error = save(pool, fd, spoor_pool_slice_offset(i) + begin, SPOOR_SLICE_BYTES - begin);
		/* The slice's part is not accessible yet: a thread is about to use it. */
		if (error == -EFAULT)
			error = 0;
	}
	return error ? error : save(pool, fd, 0, SPOOR_POOL_SLICES_OFFSET);
}
