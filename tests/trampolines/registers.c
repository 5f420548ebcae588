/* SPDX-License-Identifier: MIT */
/*
 * registers.c - runs through each kind of sled on each way that an event can take,
 * with random contents in every register, and says what came out changed.
 *
 * Linked with the runtime's own objects, so that the thread's state can be
 * put where the next event has to take the slow path. To be run with a trace path.
 */
#define _GNU_SOURCE
#include "registers.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "clobber.h"
#include "counts.h"
#include "event_path.h"
#include "registry.h"
#include "spoor.h"
#include "system.h"

#define TRAP_FLAG 0x100
#define FLAGS_ANY 0x8d5		/* overflow, sign, zero, adjust, parity, carry */
#define FLAGS_ALWAYS 0x202
#define MXCSR_CONTROL 0xffc0
#define MXCSR_MASKS 0x1f80

static const struct sled {
	const char *name;
	void (*function)(void);
	bool tail, exit;
	int target;		/* the register that it leaves through; -1: none */
} sleds[] = {
	{ "entry", registers_entry, false, false, -1 },
	{ "exit", registers_exit, false, true, -1 },
	{ "tail call", registers_tail, true, false, -1 },
	{ "tail call through r11", registers_tail_r11, true, false, R11 },
	{ "tail call through rax", registers_tail_rax, true, false, RAX },
	{ "tail call through memory", registers_tail_memory, true, false, -1 },
};

/* What has to come out as it went in. */
struct kept {
	bool logs;		/* not a handler */
	bool r11;
	int vectors_at_entry, vectors_at_exit;	/* from 0 on */
	int vector_bytes;
	bool masks, x87_history, mxcsr_status;
};

static const struct kept everything_but_r11 = { true, false, 32, 32, 64, true, true, true };
static const struct kept everything = { false, true, 32, 32, 64, true, true, true };
static const struct kept bare = { false, false, 32, 32, 64, true, true, true };
static const struct kept arguments_sse = { false, false, 8, 4, 16, false, false, false };
static const struct kept arguments_avx = { false, false, 8, 4, 32, false, false, false };
static const struct kept arguments_avx512 = { false, false, 8, 4, 64, false, false, false };

static int level;
static unsigned long failures, runs;

static uint64_t random_word(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull;
}

static void random_bytes(void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)bytes)[i] = (uint8_t)(random_word() >> 56);
}

/* Now and then upper parts are zero: handlers' trampolines treat that apart. */
static void randomise(struct registers *registers, const struct sled *sled)
{
	uint64_t shape = random_word();

	random_bytes(registers, sizeof(*registers));
	for (int i = 0; i < 32; i++) {
		size_t bytes = shape % 3 == 0 ? 16 : shape % 3 == 1 ? 32 : 64;

		/* One of them alone may have an upper part. */
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
	/* A function may return two values there; none goes in. */
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

static void failed(const char *way, const struct sled *sled, const char *what, uint64_t before, uint64_t after)
{
	if (failures++ < 20)
		fprintf(stderr, "%s, %s: %s was 0x%llx and is 0x%llx\n", sled->name, way, what,
			(unsigned long long)before, (unsigned long long)after);
}

static void compare_legacy(const char *way, const struct sled *sled, const struct kept *kept,
			   const struct legacy *before, const struct legacy *after)
{
	uint32_t mxcsr = kept->mxcsr_status ? 0xffff : MXCSR_CONTROL;
	uint16_t status = kept->x87_history ? 0xffff : 0x3800;	/* where the stack begins */

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
	for (int i = 0; level == REGISTERS_SSE && i < 16; i++) {
		if (i < (sled->exit ? kept->vectors_at_exit : kept->vectors_at_entry) &&
		    memcmp(before->xmm[i], after->xmm[i], 16) != 0)
			failed(way, sled, "an xmm register", (uint64_t)i, (uint64_t)i);
	}
}

static void compare_vectors(const char *way, const struct sled *sled, const struct kept *kept,
			    const struct registers *before, const struct registers *after)
{
	int count = sled->exit ? kept->vectors_at_exit : kept->vectors_at_entry;
	int most = level == REGISTERS_AVX512 ? 32 : 16, bytes = level == REGISTERS_AVX512 ? 64 : 32;
	char name[16];

	bytes = kept->vector_bytes < bytes ? kept->vector_bytes : bytes;
	for (int i = 0; i < count && i < most; i++) {
		for (int word = 0; word < bytes / 8; word++) {
			uint64_t from, to;

			memcpy(&from, before->vectors[i] + 8 * word, 8);
			memcpy(&to, after->vectors[i] + 8 * word, 8);
			snprintf(name, sizeof(name), "zmm%d[%d]", i, word);
			if (from != to)
				failed(way, sled, name, from, to);
		}
	}
	for (int i = 0; i < 8 && kept->masks && level == REGISTERS_AVX512; i++) {
		snprintf(name, sizeof(name), "k%d", i);
		if (before->masks[i] != after->masks[i])
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
	if (level > REGISTERS_SSE)
		compare_vectors(way, sled, kept, before, after);
}

static bool single_steps;
static unsigned long steps;

static void run(const char *way, const struct sled *sled, const struct kept *kept)
{
	static struct registers before, after;

	randomise(&before, sled);
	if (single_steps)
		before.flags |= TRAP_FLAG;
	memset(&after, 0, sizeof(after));
	registers_run(&before, &after, sled->function, level);
	before.flags &= ~(uint64_t)TRAP_FLAG;
	compare(way, sled, kept, &before, &after);
	if (spoor_in_handler)
		failed(way, sled, "the guard of handlers", 0, 1);
	runs++;
}

/* Before every instruction from the sled's call to its return: what a signal
 * handler may do there is what it may do anywhere, run through other sleds. */
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

/* Where the next event will find its thread. */

static uint64_t room(void)
{
	return (SPOOR_SLICE_BYTES - (spoor_thread->cursor & (SPOOR_SLICE_BYTES - 1))) / 8;
}

static void put_nowhere(void)
{
	if (room() < 100)
		spoor_thread->cursor += room() * 8;
}

/* As a trampoline stores, which the thread sanitizer does not see either. */
__attribute__((no_sanitize("thread"))) static void put_at_end(void)
{
	const uint64_t nothing = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 0, SPOOR_EXTENDED_NOP);

	if (!(spoor_thread->cursor & SPOOR_SLICE_BIT))
		return;
	for (uint64_t words = room(), *slot; words--;) {
		slot = (uint64_t *)spoor_cursor_add(&spoor_thread->cursor, 8);
		*slot = nothing;
	}
}

static void put_late(void)
{
	spoor_thread->quarter--;
}

static void put_late_at_end(void)
{
	put_at_end();
	put_late();
}

static void log_many(const char *way, void (*put)(void), int count)
{
	for (size_t i = 0; i < sizeof(sleds) / sizeof(*sleds); i++) {
		for (int j = 0; j < count; j++) {
			uint64_t cursor, lost;

			put();
			cursor = spoor_thread->cursor;
			lost = spoor_thread->lost;
			run(way, &sleds[i], &everything_but_r11);
			if (spoor_thread->lost > lost) {
				/* No slice was left: time for who drains them, and again. */
				usleep(1000);
				j--;
			} else if (spoor_thread->cursor == cursor) {
				failed(way, &sleds[i], "the cursor", cursor, cursor);
			}
		}
	}
}

static void *first_event(void *sled)
{
	run("in a new thread", sled, &everything_but_r11);
	/* Exits have nothing to count. */
	if (!spoor_thread->process_id && strcmp(spoor_mode_get(), "count") != 0)
		failed("in a new thread", sled, "the thread", 0, 0);
	return NULL;
}

static void log_first(int count)
{
	for (size_t i = 0; i < sizeof(sleds) / sizeof(*sleds); i++) {
		for (int j = 0; j < count; j++) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, first_event, (void *)(uintptr_t)&sleds[i]) ||
			    pthread_join(thread, NULL))
				abort();
		}
	}
}

static void handle_many(const char *way, const struct kept *kept, int count)
{
	for (size_t i = 0; i < sizeof(sleds) / sizeof(*sleds); i++) {
		uint64_t handled = clobber_calls;

		for (int j = 0; j < count; j++)
			run(way, &sleds[i], kept);
		if (single_steps ? clobber_calls < handled + (uint64_t)count : clobber_calls != handled + (uint64_t)count)
			failed(way, &sleds[i], "the handler's calls", handled + (uint64_t)count, clobber_calls);
	}
}

#define HANDLE_MANY(what, handler, set, kept, count)                                                   \
	do {                                                                                           \
		spoor_set_handler(handler, 0);                                                         \
		spoor_registry_set_trampolines(spoor_##set##_entry, spoor_##set##_exit, spoor_##set##_tail); \
		handle_many("with a handler that clobbers " what, kept, count);                        \
	} while (0)

/* What is counted is not logged: neither cursor nor pool is asked. */
static void count_many(const char *way, bool shares, int count)
{
	for (size_t i = 0; i < sizeof(sleds) / sizeof(*sleds); i++) {
		for (int j = 0; j < count; j++) {
			if (shares) {
				spoor_counts_detach(spoor_thread);
				spoor_thread->shares_counts = 1;
			}
			run(way, &sleds[i], &everything_but_r11);
		}
	}
	spoor_thread->shares_counts = 0;
}

static void count_all(int count, int first_count)
{
	if (spoor_mode_set("count") < 0)
		abort();
	log_first(first_count);
	registers_entry();
	if (!spoor_thread->counts)
		abort();
	count_many("in a lane of counters", false, count);
	count_many("in the shared lane of counters", true, count);
	if (spoor_mode_set("log") < 0)
		abort();
}

/* All ways of an event. @first_count: of new threads */
static void run_all(int count, int first_count)
{
	spoor_set_handler(NULL, 0);
	log_first(first_count);
	registers_entry();
	log_many("within a slice", put_nowhere, count);
	log_many("at a slice's end", put_at_end, count);
	log_many("after a quarter of the counter", put_late, count);
	log_many("at a slice's end after a quarter", put_late_at_end, count);

	count_all(count, first_count);
	spoor_set_handler(clobber_general, SPOOR_HANDLER_GENERAL_REGISTERS_ONLY);
	handle_many("with a handler without vector registers", &bare, count);
	HANDLE_MANY("xmm0-15", clobber_sse, any_sse, &arguments_sse, count);
	if (level >= REGISTERS_AVX)
		HANDLE_MANY("ymm0-15", clobber_avx, any_avx, &arguments_avx, count);
	if (level == REGISTERS_AVX512)
		HANDLE_MANY("zmm0-31", clobber_avx512, any_avx512, &arguments_avx512, count);
	/* What the machine itself chooses. */
	spoor_set_handler(clobber_all(), 0);
	handle_many("with a handler of any C", level == REGISTERS_AVX512 ? &arguments_avx512 :
		    level == REGISTERS_AVX ? &arguments_avx : &arguments_sse, count);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 300;
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	if (__builtin_cpu_supports("avx512bw"))
		level = REGISTERS_AVX512;
	else if (__builtin_cpu_supports("avx"))
		level = REGISTERS_AVX;
	if (!spoor_is_enabled()) {
		fprintf(stderr, "no sled is patched\n");
		return 1;
	}
	sigaction(SIGTRAP, &action, NULL);
	run_all(count, count / 10 + 1);
	single_steps = true;
	run_all(count / 300 + 1, 1);
	single_steps = false;

	spoor_disable();
	spoor_set_handler(NULL, 0);
	for (size_t i = 0; i < sizeof(sleds) / sizeof(*sleds); i++)
		run("dormant", &sleds[i], &everything);
	printf("%lu runs, %lu instructions stepped, %lu registers changed\n", runs, steps, failures);
	return failures || steps < 1000 ? 1 : 0;
}
