/* SPDX-License-Identifier: MIT */
/*
 * own_malloc.c - a memory allocator whose functions are all traced: a library to
 * preload or to link.
 *
 * It takes blocks of powers of two from mapped pages, with a list for each size, and one lock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "../common/work.h"

#define CLASSES 40
#define HEAD 16		/* bytes before a block: its class, and the distance to its begin */

struct block {
	struct block *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *lists[CLASSES];
static char *room, *room_end;

TRACED static int class_of(size_t bytes)
{
	int class = 5;

	while (((size_t)1 << class) < bytes)
		class++;
	return class;
}

TRACED static void *carve(int class)
{
	size_t bytes = (size_t)1 << class;
	char *result;

	if (bytes > (size_t)(room_end - room)) {
		size_t more = bytes > 1 << 20 ? bytes : 1 << 20;

		room = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (room == MAP_FAILED)
			return NULL;
		room_end = room + more;
	}
	result = room;
	room += bytes;
	return result;
}

TRACED static void *take(int class)
{
	struct block *block;

	pthread_mutex_lock(&lock);
	block = lists[class];
	if (block)
		lists[class] = block->next;
	else
		block = carve(class);
	pthread_mutex_unlock(&lock);
	return block;
}

TRACED static void give_back(void *block, int class)
{
	pthread_mutex_lock(&lock);
	((struct block *)block)->next = lists[class];
	lists[class] = block;
	pthread_mutex_unlock(&lock);
}

TRACED static void *allocate(size_t bytes, size_t alignment)
{
	int class = class_of(bytes + HEAD + alignment);
	char *block = take(class), *result;

	if (!block) {
		errno = ENOMEM;
		return NULL;
	}
	result = (char *)(((uintptr_t)block + HEAD + alignment - 1) & -alignment);
	((uint64_t *)(void *)result)[-1] = (uint64_t)class;
	((uint64_t *)(void *)result)[-2] = (uint64_t)(result - block);
	return result;
}

/* Another thread may hold the lock when the program forks. */
TRACED static void lock_all(void)
{
	pthread_mutex_lock(&lock);
}

TRACED static void unlock_all(void)
{
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(lock_all, unlock_all, unlock_all);
}

TRACED void *malloc(size_t bytes)
{
	return allocate(bytes, 16);
}

TRACED void free(void *memory)
{
	uint64_t *words = memory;

	if (memory)
		give_back((char *)memory - words[-2], (int)words[-1]);
}

TRACED void *calloc(size_t count, size_t bytes)
{
	void *memory = allocate(count * bytes, 16);

	return memory ? memset(memory, 0, count * bytes) : NULL;
}

TRACED void *realloc(void *memory, size_t bytes)
{
	uint64_t *words = memory;
	void *larger = allocate(bytes, 16);
	size_t before;

	if (!memory || !larger)
		return larger;
	before = ((size_t)1 << words[-1]) - words[-2];
	memcpy(larger, memory, before < bytes ? before : bytes);
	free(memory);
	return larger;
}

TRACED int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
	*memory = allocate(bytes, alignment);
	return *memory ? 0 : ENOMEM;
}

TRACED void *aligned_alloc(size_t alignment, size_t bytes)
{
	return allocate(bytes, alignment);
}

TRACED void *memalign(size_t alignment, size_t bytes)
{
	return allocate(bytes, alignment);
}
