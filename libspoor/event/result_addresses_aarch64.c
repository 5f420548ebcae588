/* SPDX-License-Identifier: MIT */
/*
 * result_addresses_aarch64.c - remembers where functions' results in memory are.
 *
 * The notes are in one table without locks. Frames in the same MiB of a stack never share a place. Others may, and then
 * the newer note stays: so an address may be missing, and is never wrong. The table takes memory as the stacks do: notes
 * of a page of stack are in one page. Runs inside an event: general registers only, no function of libc.
 */
#include "event/result_addresses.h"

#include "base/permanent.h"

#define NOTES_SHIFT 20

struct note {
	uint64_t address, check;
};

static struct note *notes;	/* null before a function's result in memory is captured, and without memory */
static uint64_t generation;

static struct note *note_of(uint64_t stack)
{
	struct note *first = __atomic_load_n(&notes, __ATOMIC_RELAXED);
	uint64_t far = (stack >> 20) * 0x9e3779b97f4a7c15 >> (64 - NOTES_SHIFT);

	return first ? &first[(stack >> 4 ^ far) & ((1 << NOTES_SHIFT) - 1)] : NULL;
}

/* Says to which function and stack pointer an address belongs. Two writers' words do not agree, but by a chance of 2^-64. */
static uint64_t check_of(uint64_t address, uint64_t stack, uint32_t index)
{
	uint64_t check = (address + __atomic_load_n(&generation, __ATOMIC_RELAXED)) * 0x9e3779b97f4a7c15;

	check = (check ^ check >> 32 ^ stack) * 0xbf58476d1ce4e5b9;
	return (check ^ check >> 29 ^ index) * 0x94d049bb133111eb;
}

static void note(uint64_t address, uint64_t stack, uint32_t index)
{
	struct note *note = note_of(stack);

	if (!note)
		return;
	__atomic_store_n(&note->address, address, __ATOMIC_RELAXED);
	__atomic_store_n(&note->check, check_of(address, stack, index), __ATOMIC_RELAXED);
}

/* Returns 0 if the address is unknown. */
static uint64_t find(uint64_t stack, uint32_t index)
{
	const struct note *note = note_of(stack);
	uint64_t address;

	if (!note)
		return 0;
	address = __atomic_load_n(&note->address, __ATOMIC_RELAXED);
	return __atomic_load_n(&note->check, __ATOMIC_RELAXED) == check_of(address, stack, index) ? address : 0;
}

int spoor_capture_or_note(uint32_t code, struct spoor_saved_registers *registers, const uint64_t *stack, uint32_t action)
{
	const struct spoor_capture *capture = &spoor_captures[action & SPOOR_ACTION_NUMBER];
	uint32_t index = code & SPOOR_INDEX_MAX;

	if (capture->flags & SPOOR_CAPTURE_NOTES_RESULT) {
		if (code >> SPOOR_INDEX_BITS == SPOOR_KIND_EXIT) {
			registers->x87[0] = find((uint64_t)stack, index);
		} else {
			note(registers->x87[0], (uint64_t)stack, index);
			if (!capture->arguments)
				return 0;
		}
	}
	spoor_capture_store(code, registers, stack, action);
	return 1;
}

void spoor_result_addresses_prepare(void)
{
	if (!notes)
		__atomic_store_n(&notes, spoor_permanent_alloc(sizeof(struct note) << NOTES_SHIFT), __ATOMIC_RELEASE);
}

void spoor_result_addresses_forget(void)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_SEQ_CST);
}
