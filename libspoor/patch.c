/* SPDX-License-Identifier: MIT */
/*
 * patch.c - from a choice of functions to bytes in the text.
 *
 * The unit of cost is the page touched (a copy-on-write of 2 us), never the
 * function: one mprotect makes the whole stretch writable, however few of its
 * pages are written, and none of it ever loses the right to be executed.
 */
#define _GNU_SOURCE
#include "patch.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sled.h"
#include "sled_index.h"

static bool barrier_registered;
static enum { WRITABLE_UNKNOWN, WRITABLE_YES, WRITABLE_NO } text_writable;

static inline bool bit_test(const uint64_t *bits, uint32_t i)
{
	return bits && (bits[i / 64] >> (i % 64) & 1);
}

static inline void bit_set(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= 1ull << (i % 64);
}

void spoor_patch_begin(void)
{
	barrier_registered =
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
}

/* Every core sees the text as it is now before it executes on. */
static void synchronise_cores(void)
{
	if (barrier_registered)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

/* Whether a page may become writable while executable, and be closed again: a
 * filter may let the one through and refuse the other. */
static bool text_can_be_written(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *probe;

	if (text_writable != WRITABLE_UNKNOWN)
		return text_writable == WRITABLE_YES;
	text_writable = WRITABLE_NO;
	probe = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (probe == MAP_FAILED)
		return false;
	if (mprotect(probe, page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0 &&
	    mprotect(probe, page, PROT_READ | PROT_EXEC) == 0)
		text_writable = WRITABLE_YES;
	munmap(probe, page);
	return text_writable == WRITABLE_YES;
}

/* What a pass over the functions that change does to one sled. */
enum step { STEP_MEASURE, STEP_PREPARE, STEP_SWITCH };

struct patching {
	struct spoor_instance *instance;
	const uint64_t *target;
	uintptr_t low, high;	/* the stretch of text that changes */
	bool prepares;		/* some function is patched for the first time */
	long changed;		/* functions */
};

static const void *thunk_of(const struct spoor_dso *dso, uint8_t kind)
{
	return dso->thunks[kind == SPOOR_SLED_ENTRY ? SPOOR_THUNK_ENTRY
			   : kind == SPOOR_SLED_EXIT ? SPOOR_THUNK_EXIT : SPOOR_THUNK_TAIL];
}

/* Looks at a sled for the first time. */
static bool sled_is_good(struct spoor_instance *instance, uint32_t position, const uint8_t *at, uint8_t kind)
{
	struct spoor_left_alone *left_alone = &instance->left_alone;

	switch (spoor_sled_check(at, kind, thunk_of(instance->dso, kind), SPOOR_SLED_BYTES + 8)) {
	case SPOOR_SLED_GOOD:
		return true;
	case SPOOR_SLED_UNEXPECTED:
		left_alone->unexpected_bytes++;
		break;
	case SPOOR_SLED_CONDITIONAL:
		left_alone->conditional_jump++;
		break;
	case SPOOR_SLED_STACK_OPERAND:
		left_alone->stack_operand++;
		break;
	case SPOOR_SLED_OUT_OF_REACH:
		left_alone->out_of_reach++;
		break;
	}
	bit_set(instance->bad_sleds, position);
	return false;
}

/* One step for one function. Return: whether it has a sled that can be patched. */
static bool function_step(struct patching *patching, uint32_t local, enum step step)
{
	struct spoor_instance *instance = patching->instance;
	bool fresh = !bit_test(instance->prepared, local), any = false;

	for (uint32_t i = instance->first_sled[local]; i < instance->first_sled[local + 1]; i++) {
		uint32_t position = instance->sleds[i];
		uint8_t *at = spoor_sled_address(instance->dso, position);
		uint8_t kind = spoor_sled_kind(instance->dso, position);

		if (bit_test(instance->bad_sleds, position))
			continue;
		if (step == STEP_MEASURE) {
			if (fresh && !sled_is_good(instance, position, at, kind))
				continue;
			if ((uintptr_t)at < patching->low)
				patching->low = (uintptr_t)at;
			if ((uintptr_t)at + SPOOR_SLED_BYTES > patching->high)
				patching->high = (uintptr_t)at + SPOOR_SLED_BYTES;
		} else if (step == STEP_PREPARE && fresh) {
			spoor_sled_prepare(at, kind, thunk_of(instance->dso, kind), instance->base + local);
		} else if (step == STEP_SWITCH) {
			spoor_sled_switch(at, kind, instance->base + local, bit_test(patching->target, local));
		}
		any = true;
	}
	return any;
}

/* One step for every function whose state and target differ. */
static void all_steps(struct patching *patching, enum step step)
{
	struct spoor_instance *instance = patching->instance;

	for (uint32_t word = 0; word < (instance->count + 63) / 64; word++) {
		uint64_t target = patching->target ? patching->target[word] : 0;
		uint64_t differ = target ^ instance->patched[word];

		for (; differ; differ &= differ - 1) {
			uint32_t local = word * 64 + (uint32_t)__builtin_ctzll(differ);
			bool any = function_step(patching, local, step);

			if (step == STEP_MEASURE)
				patching->prepares |= any && !bit_test(instance->prepared, local);
			if (step != STEP_SWITCH)
				continue;
			bit_set(instance->prepared, local);
			instance->patched[word] ^= 1ull << (local % 64);
			patching->changed += any;
		}
	}
}

long spoor_patch_apply(struct spoor_instance *instance, const uint64_t *target)
{
	struct patching patching = { .instance = instance, .target = target, .low = UINTPTR_MAX };
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin;
	size_t bytes;

	all_steps(&patching, STEP_MEASURE);
	if (patching.low > patching.high)
		return 0;
	begin = patching.low & -page;
	bytes = ((patching.high + page - 1) & -page) - begin;
	if (!text_can_be_written())
		return -EACCES;
	if (mprotect((void *)begin, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return -errno;
	if (patching.prepares) {
		all_steps(&patching, STEP_PREPARE);
		synchronise_cores();
	}
	all_steps(&patching, STEP_SWITCH);
	mprotect((void *)begin, bytes, PROT_READ | PROT_EXEC);
	synchronise_cores();
	return patching.changed;
}
