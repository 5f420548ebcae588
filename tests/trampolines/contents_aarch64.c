/* SPDX-License-Identifier: MIT */
/* contents_aarch64.c - fills all registers of AArch64 at random, and compares those that a sled must keep. */
#define _GNU_SOURCE
#include "registers.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "clobber.h"
#include "event/event_path.h"

SPOOR_TRAMPOLINES(any_simd);
SPOOR_TRAMPOLINES(any_sve);

#define FLAGS_ANY 0xf0000000u	/* negative, zero, carry, overflow */
#define FPCR_ANY 0x07c00000u	/* half precision, NaN, flush to zero, rounding mode */
#define FPSR_ANY 0x0800009fu	/* saturation, and the exceptions that occurred */

const struct sled sleds[] = {
	{ "entry", registers_entry, false, false, -1 },
	{ "exit", registers_exit, false, true, -1 },
	{ "tail call", registers_tail, true, false, -1 },
	{ "tail call through x16", registers_tail_indirect, true, false, 16 },
	{ "tail call through x17", registers_tail_x17, true, false, 17 },
	{ "tail call through x9", registers_tail_x9, true, false, 9 },
	{ "tail call that the map calls an exit", registers_tail_old, true, false, 16 },
};
const int sled_count = sizeof(sleds) / sizeof(*sleds);

/* A program cannot single-step itself on this architecture. */
void (*const registers_trapped)(int, siginfo_t *, void *) = NULL;

struct kept {
	bool x16_x17;		/* kept where the function is entered or returns; tail calls keep them always */
	int vectors;		/* how many, from v0 on */
	bool first_fault;
};

const struct kept kept_by_logging = { false, 32, true };
const struct kept kept_by_bare = { false, 32, true };
const struct kept kept_by_dormant = { true, 32, true };
static const struct kept arguments = { false, 24, false };

static int level(void)
{
	return getauxval(AT_HWCAP) & HWCAP_SVE ? REGISTERS_SVE : REGISTERS_SIMD;
}

/* Returns the size of a vector register in bytes. */
static size_t vector_bytes(void)
{
	return level() == REGISTERS_SVE ? (size_t)(prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) : 16;
}

#define SVC 0xd4000001u
#define B(words) (0x14000000u | ((uint32_t)(words) & 0x03ffffffu))

/* Makes the system calls of the linked libraries pass through registers_calls, because under an emulator the
 * kernel's calls do not clear registers. */
static int calls_redirect(struct dl_phdr_info *program, size_t size, void *unused)
{
	uint32_t *call = registers_calls + 1, *end = call + REGISTERS_CALLS * REGISTERS_CALL_WORDS, *begin = call;

	(void)size;
	(void)unused;
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
		uintptr_t low = program->dlpi_addr + segment->p_vaddr, high = low + segment->p_filesz;
		uintptr_t page = low & -getauxval(AT_PAGESZ);

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		if (mprotect((void *)page, high - page, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
			abort();
		for (uint32_t *at = (uint32_t *)low; at < (uint32_t *)high; at++) {
			if (*at != SVC || (at >= begin && at < end))
				continue;
			if (call == end)
				abort();
			*at = B(call - at);
			call[REGISTERS_CALL_WORDS - 1] = B(at + 1 - (call + REGISTERS_CALL_WORDS - 1));
			call += REGISTERS_CALL_WORDS;
		}
		__builtin___clear_cache((char *)low, (char *)high);
		mprotect((void *)page, high - page, PROT_READ | PROT_EXEC);
	}
	if (call == begin)
		abort();
	return 1;	/* only the program's own calls, not those of libraries */
}

__attribute__((constructor)) static void calls_begin(void)
{
	if (level() == REGISTERS_SVE)
		dl_iterate_phdr(calls_redirect, NULL);
}

static void randomise(struct registers *registers, const struct sled *sled)
{
	size_t faults = (size_t)(random_word() % (vector_bytes() + 1));

	random_bytes(registers, sizeof(*registers));
	registers->stack_moved = 0;
	registers->flags &= FLAGS_ANY;
	registers->fpcr &= FPCR_ANY;
	registers->fpsr &= FPSR_ANY;
	/* First ones, then zeroes. */
	memset(registers->first_fault, 0, sizeof(registers->first_fault));
	for (size_t i = 0; i < faults; i++)
		registers->first_fault[i / 8] |= (uint8_t)(1u << i % 8);
	if (sled->target >= 0)
		registers->general[sled->target] = (uint64_t)registers_return;
}

static void compare_bytes(const char *way, const struct sled *sled, const char *what, int number, size_t bytes,
			  const uint8_t *before, const uint8_t *after)
{
	char name[48];

	for (size_t i = 0; i < bytes; i++) {
		size_t at = (size_t)number * bytes + i;

		if (before[at] == after[at])
			continue;
		snprintf(name, sizeof(name), "%s%d, byte %zu", what, number, i);
		failed(way, sled, name, before[at], after[at]);
	}
}

static void compare(const char *way, const struct sled *sled, const struct kept *kept,
		    const struct registers *before, const struct registers *after)
{
	char name[8];

	for (int i = 0; i < GENERAL_COUNT; i++) {
		if (before->general[i] == after->general[i] || ((i == 16 || i == 17) && !kept->x16_x17 && !sled->tail))
			continue;
		snprintf(name, sizeof(name), "x%d", i);
		failed(way, sled, name, before->general[i], after->general[i]);
	}
	if (before->flags != after->flags)
		failed(way, sled, "nzcv", before->flags, after->flags);
	if (before->fpcr != after->fpcr)
		failed(way, sled, "fpcr", before->fpcr, after->fpcr);
	if (before->fpsr != after->fpsr)
		failed(way, sled, "fpsr", before->fpsr, after->fpsr);
	if (after->stack_moved || memcmp(before->stack, after->stack, sizeof(before->stack)) != 0)
		failed(way, sled, "the stack", 0, after->stack_moved);
	/* At a tail call the sled may use the last vector register. */
	for (int i = 0; i < kept->vectors - (sled->tail && kept != &kept_by_dormant && kept->vectors == 32); i++)
		compare_bytes(way, sled, "vector ", i, vector_bytes(), before->vectors, after->vectors);
	if (level() != REGISTERS_SVE)
		return;
	for (int i = 0; i < 16; i++)
		compare_bytes(way, sled, "predicate ", i, vector_bytes() / 8, before->predicates, after->predicates);
	if (kept->first_fault)
		compare_bytes(way, sled, "the first-fault register ", 0, vector_bytes() / 8, before->first_fault,
			      after->first_fault);
}

void registers_try(const char *way, const struct sled *sled, const struct kept *kept)
{
	static struct registers before, after;

	randomise(&before, sled);
	memset(&after, 0, sizeof(after));
	registers_run(&before, &after, sled->function, level());
	compare(way, sled, kept, &before, &after);
}

void registers_handle(handle_all *handle, int count)
{
	static const struct spoor_trampolines simd = SPOOR_TRAMPOLINES_OF(any_simd), sve = SPOOR_TRAMPOLINES_OF(any_sve);

	if (level() == REGISTERS_SIMD)
		handle(clobber_simd, &simd, "with a handler that clobbers v0-v31", &arguments, count);
	else
		handle(clobber_sve, &sve, "with a handler that clobbers z0-z31", &arguments, count);
	/* The handler that the runtime chooses for this machine. */
	handle(clobber_all(), NULL, "with a handler of any C", &arguments, count);
}
