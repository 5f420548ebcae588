/* SPDX-License-Identifier: MIT */
/* contents_x86_64.c - fills all registers of x86-64 at random, and compares those that a sled must keep. */
#define _GNU_SOURCE
#include "registers.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "clobber.h"
#include "event/event_path.h"
#include "event/processor.h"

SPOOR_TRAMPOLINES(any_sse);
SPOOR_TRAMPOLINES(any_avx);
SPOOR_TRAMPOLINES(any_avx512);

#define TRAP_FLAG 0x100
#define FLAGS_ANY 0x8d5		/* overflow, sign, zero, adjust, parity, carry */
#define FLAGS_ALWAYS 0x202
#define MXCSR_CONTROL 0xffc0
#define MXCSR_MASKS 0x1f80

const struct sled sleds[] = {
	{ "entry", registers_entry, false, false, -1 },
	{ "exit", registers_exit, false, true, -1 },
	{ "tail call", registers_tail, true, false, -1 },
	{ "tail call through r11", registers_tail_r11, true, false, R11 },
	{ "tail call through rax", registers_tail_rax, true, false, RAX },
	{ "tail call through memory", registers_tail_indirect, true, false, -1 },
};
const int sled_count = sizeof(sleds) / sizeof(*sleds);

/* The registers that must be the same after the sled. */
struct kept {
	bool r11;
	int vectors_at_entry, vectors_at_exit;	/* how many, from register 0 on */
	int vector_bytes;
	bool masks, x87_history, mxcsr_status;
};

const struct kept kept_by_logging = { false, 32, 32, 64, true, true, true };
const struct kept kept_by_dormant = { true, 32, 32, 64, true, true, true };
const struct kept kept_by_bare = { false, 32, 32, 64, true, true, true };
static const struct kept arguments_sse = { false, 8, 4, 16, false, false, false };
static const struct kept arguments_avx = { false, 8, 4, 32, false, false, false };
static const struct kept arguments_avx512 = { false, 8, 4, 64, false, false, false };

static int level(void)
{
	return __builtin_cpu_supports("avx512bw") ? REGISTERS_AVX512 :
	       __builtin_cpu_supports("avx") ? REGISTERS_AVX : REGISTERS_SSE;
}

/* Sometimes the upper parts are zero, because trampolines for handlers treat that case separately. */
static void randomise(struct registers *registers, const struct sled *sled)
{
	uint64_t shape = random_word();

	random_bytes(registers, sizeof(*registers));
	for (int i = 0; i < 32; i++) {
		size_t bytes = shape % 3 == 0 ? 16 : shape % 3 == 1 ? 32 : 64;

		/* Sometimes only one register has an upper part. */
		if (bytes < 64 && !(shape & 64 && (uint64_t)i == (shape >> 8) % 8))
			memset(registers->vectors[i] + bytes, 0, 64 - bytes);
	}
	registers->flags = FLAGS_ALWAYS | (random_word() & FLAGS_ANY);
	memset(&registers->legacy, 0, offsetof(struct legacy, xmm));
	memset(registers->legacy.reserved_2, 0, sizeof(registers->legacy.reserved_2));
	for (int i = 0; i < 16; i++)
		memcpy(registers->legacy.xmm[i], registers->vectors[i], 16);
	registers->legacy.mxcsr = MXCSR_MASKS | (uint32_t)(random_word() & 0xe07f);
	registers->legacy.control = 0x7f | (uint16_t)(random_word() & 0xc00) | (random_word() & 1 ? 0x300 : 0x200);
	/* A function may return two values on the x87 stack; no argument is there. */
	if (sled->exit) {
		int values = (int)(random_word() % 3), top = (8 - values) % 8;

		registers->legacy.status = (uint16_t)(top << 11);
		for (int i = 0; i < values; i++) {
			registers->legacy.tags |= (uint8_t)(1u << ((top + i) % 8));
			random_bytes(registers->legacy.stack[i], 10);
			registers->legacy.stack[i][7] |= 0x80;	/* a normal number */
		}
	}
	if (sled->target >= 0)
		registers->general[sled->target] = (uint64_t)registers_return;
}

static void compare_legacy(const char *way, const struct sled *sled, const struct kept *kept,
			   const struct legacy *before, const struct legacy *after)
{
	uint32_t mxcsr = kept->mxcsr_status ? 0xffff : MXCSR_CONTROL;
	uint16_t status = kept->x87_history ? 0xffff : 0x3800;	/* the top of the stack */

	if (before->control != after->control)
		failed(way, sled, "the x87 control word", before->control, after->control);
	if ((before->status ^ after->status) & status)
		failed(way, sled, "the x87 status", before->status, after->status);
	if (before->tags != after->tags)
		failed(way, sled, "the x87 tags", before->tags, after->tags);
	if (kept->x87_history && before->instruction != after->instruction)
		failed(way, sled, "the last x87 instruction", before->instruction, after->instruction);
	if ((before->mxcsr ^ after->mxcsr) & mxcsr)
		failed(way, sled, "mxcsr", before->mxcsr, after->mxcsr);
	for (int i = 0; i < 8; i++) {
		int physical = (i + (before->status >> 11 & 7)) % 8;

		if (before->tags >> physical & 1 && memcmp(before->stack[i], after->stack[i], 10) != 0)
			failed(way, sled, "a value on the x87 stack", (uint64_t)i, (uint64_t)i);
	}
	for (int i = 0; level() == REGISTERS_SSE && i < 16; i++) {
		if (i < (sled->exit ? kept->vectors_at_exit : kept->vectors_at_entry) &&
		    memcmp(before->xmm[i], after->xmm[i], 16) != 0)
			failed(way, sled, "an xmm register", (uint64_t)i, (uint64_t)i);
	}
}

static void compare_vectors(const char *way, const struct sled *sled, const struct kept *kept,
			    const struct registers *before, const struct registers *after)
{
	int count = sled->exit ? kept->vectors_at_exit : kept->vectors_at_entry;
	int most = level() == REGISTERS_AVX512 ? 32 : 16, bytes = level() == REGISTERS_AVX512 ? 64 : 32;
	char name[16];

	bytes = kept->vector_bytes < bytes ? kept->vector_bytes : bytes;
	for (int i = 0; i < count && i < most; i++) {
		for (int word = 0; word < bytes / 8; word++) {
			uint64_t from, to;

			memcpy(&from, before->vectors[i] + 8 * word, 8);
			memcpy(&to, after->vectors[i] + 8 * word, 8);
			if (from == to)
				continue;
			snprintf(name, sizeof(name), "zmm%d[%d]", i, word);
			failed(way, sled, name, from, to);
		}
	}
	for (int i = 0; i < 8 && kept->masks && level() == REGISTERS_AVX512; i++) {
		if (before->masks[i] == after->masks[i])
			continue;
		snprintf(name, sizeof(name), "k%d", i);
		failed(way, sled, name, before->masks[i], after->masks[i]);
	}
}

static void compare(const char *way, const struct sled *sled, const struct kept *kept,
		    const struct registers *before, const struct registers *after)
{
	static const char *const names[] = { "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8",
					     "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

	for (int i = 0; i < GENERAL_COUNT; i++) {
		if (before->general[i] != after->general[i] && (i != R11 || kept->r11 || sled->tail))
			failed(way, sled, names[i], before->general[i], after->general[i]);
	}
	if ((before->flags ^ after->flags) & ~(uint64_t)FLAGS_ANY)
		failed(way, sled, "a flag", before->flags, after->flags);
	if (memcmp(before->stack, after->stack, sizeof(before->stack)) != 0)
		failed(way, sled, "the stack", before->stack[0], after->stack[0]);
	compare_legacy(way, sled, kept, &before->legacy, &after->legacy);
	if (level() > REGISTERS_SSE)
		compare_vectors(way, sled, kept, before, after);
}

void registers_try(const char *way, const struct sled *sled, const struct kept *kept)
{
	static struct registers before, after;

	randomise(&before, sled);
	if (single_steps)
		before.flags |= TRAP_FLAG;
	memset(&after, 0, sizeof(after));
	registers_run(&before, &after, sled->function, level());
	before.flags &= ~(uint64_t)TRAP_FLAG;
	compare(way, sled, kept, &before, &after);
}

/* Runs before every instruction from the sled's call to its return, and runs through other sleds, as a signal
 * handler may do anywhere. */
static void trapped(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	steps++;
	if ((uint64_t)registers[REG_RIP] == (uint64_t)registers_after)
		registers[REG_EFL] &= ~TRAP_FLAG;
	registers_entry();
	registers_tail();
	registers_exit();
}

void (*const registers_trapped)(int, siginfo_t *, void *) = trapped;

void registers_handle(handle_all *handle, int count)
{
	static const struct spoor_trampolines sse = SPOOR_TRAMPOLINES_OF(any_sse), avx = SPOOR_TRAMPOLINES_OF(any_avx),
					      avx512 = SPOOR_TRAMPOLINES_OF(any_avx512);

	handle(clobber_sse, &sse, "with a handler that clobbers xmm0-15", &arguments_sse, count);
	if (level() >= REGISTERS_AVX)
		handle(clobber_avx, &avx, "with a handler that clobbers ymm0-15", &arguments_avx, count);
	if (level() == REGISTERS_AVX512)
		handle(clobber_avx512, &avx512, "with a handler that clobbers zmm0-31", &arguments_avx512, count);
	/* The handler that the runtime chooses for this machine. */
	handle(clobber_all(), NULL, "with a handler of any C", level() == REGISTERS_AVX512 ? &arguments_avx512 :
	       level() == REGISTERS_AVX ? &arguments_avx : &arguments_sse, count);
}
