/* SPDX-License-Identifier: MIT */
/*
 * interleavings.c - runs enable, disable, patch, register and unregister in all the orders
 * in which two threads can come between each other.
 *
 * The runtime's own registry.c, patch.c and interface.c are compiled with a call of ours
 * in each basic block (trace-pc), and their locks and system calls lead here. One thread
 * runs at a time; it is interrupted
 *   in each basic block, once, or
 *   at each lock and system call, up to twice,
 * the other one runs until it ends or has to wait, and at every step the sleds are
 * looked at as a thread would that runs through them. At the end the functions must be as
 * if the one had come before the other.
 *
 * Exits with 0 where all is well; says what was wrong, and in which order, and exits with
 * 1 otherwise. A mistake may as well show as a crash.
 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event_path.h"
#include "hand_module.h"
#include "registry.h"
#include "spoor.h"

#define THREADS 2
#define MODULES 2
#define FUNCTIONS 2u
#define PREEMPTIONS 2

static struct hand_module modules[MODULES];
static bool loaded[MODULES];

/* The schedule: at which points the running thread is interrupted. */
static long points, preempt_at[PREEMPTIONS];
static int preemptions;
static bool fine;		/* points are basic blocks, and not locks and system calls alone */

static struct thread {
	pthread_t thread;
	sem_t turn;
	void (*operation)(void);
	bool ended, blocked;
} threads[THREADS];
static sem_t all_ended;
static int begins;
static bool running;		/* a schedule is */
static __thread int self = -1;
static __thread bool looking;
static int lock_owner = -1;	/* the registry's */
static const char *scenario = "";

__attribute__((format(printf, 1, 2), noreturn)) static void wrong(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "interleavings: %s, %s begins, interrupted at", scenario, begins ? "the second" : "the first");
	for (int i = 0; i < preemptions; i++)
		fprintf(stderr, " %ld", preempt_at[i]);
	fprintf(stderr, " of %s: ", fine ? "basic blocks" : "locks and calls");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	_exit(1);
}

/* What a thread finds that runs through a sled now. */
static void look(void)
{
	for (int i = 0; i < MODULES; i++) {
		const struct spoor_instance *instance;

		if (!loaded[i])
			continue;
		instance = modules[i].dso->instance;
		for (uint32_t f = 0; f < FUNCTIONS; f++) {
			const uint8_t *entry = hand_module_at(&modules[i], f), *exit = entry + HAND_EXIT;
			uint32_t code;

			if (entry[0] == 0x41) {
				memcpy(&code, entry + 2, sizeof(code));
				if (entry[1] != 0xbb || entry[6] != 0xe8)
					wrong("an entry sled leads nowhere");
				if (!instance || code != SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, instance->base + f))
					wrong("an entry sled is another function's");
				if (!modules[i].dso->slots[SPOOR_THUNK_ENTRY])
					wrong("a sled leads to a slot that is not set");
			}
			if (exit[0] == 0x41 && (exit[1] != 0xbb || exit[6] != 0xe9))
				wrong("an exit sled leads nowhere");
		}
	}
}

static int next_of(int from)
{
	for (int i = 1; i <= THREADS; i++) {
		int thread = (from + i) % THREADS;

		if (!threads[thread].ended && !threads[thread].blocked)
			return thread;
	}
	return -1;
}

static void go_on(int thread)
{
	int me = self;

	sem_post(&threads[thread].turn);
	sem_wait(&threads[me].turn);
}

static void point(bool is_block)
{
	if (!running || self < 0 || looking)
		return;
	looking = true;
	look();
	looking = false;
	if (fine != is_block)
		return;
	points++;
	for (int i = 0; i < preemptions; i++) {
		int other = next_of(self);

		if (preempt_at[i] == points && other >= 0)
			go_on(other);
	}
}

/* What the compiler inserts, and what the runtime's calls lead to. */
void __sanitizer_cov_trace_pc(void);
int box_mutex_lock(pthread_mutex_t *mutex);
int box_mutex_unlock(pthread_mutex_t *mutex);
int box_mprotect(void *address, size_t bytes, int rights);
long box_syscall(long number, ...);
int box_begin_trace(void);
int box_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *context);

void __sanitizer_cov_trace_pc(void)
{
	point(true);
}

int box_mutex_lock(pthread_mutex_t *mutex)
{
	if (!running || self < 0)
		return pthread_mutex_lock(mutex);
	point(false);
	while (lock_owner >= 0) {
		int other;

		threads[self].blocked = true;
		other = next_of(self);
		if (other < 0)
			wrong("both wait for ever");
		go_on(other);
	}
	lock_owner = self;
	return 0;
}

int box_mutex_unlock(pthread_mutex_t *mutex)
{
	if (!running || self < 0)
		return pthread_mutex_unlock(mutex);
	if (lock_owner != self)
		wrong("a lock is given back that is not held");
	lock_owner = -1;
	for (int i = 0; i < THREADS; i++)
		threads[i].blocked = false;
	point(false);
	return 0;
}

int box_mprotect(void *address, size_t bytes, int rights)
{
	int result;

	point(false);
	result = mprotect(address, bytes, rights);
	for (int i = 0; running && i < MODULES; i++)
		if (!modules[i].text && result < 0)
			wrong("the text of a module that is gone is made writable");
	point(false);
	return result;
}

long box_syscall(long number, ...)
{
	va_list arguments;
	long a, b, c;

	va_start(arguments, number);
	a = va_arg(arguments, int);
	b = va_arg(arguments, int);
	c = va_arg(arguments, int);
	va_end(arguments);
	point(false);
	return syscall(number, a, b, c);
}

/* The linker has a lock of its own: nobody is interrupted under that, and nobody may come
 * here with the registry's (registry.h, I2). */
int box_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *context)
{
	int result;

	if (running && self >= 0 && lock_owner == self)
		wrong("the dynamic linker is called under the registry's lock");
	point(false);
	looking = true;
	result = dl_iterate_phdr(each, context);
	looking = false;
	return result;
}

int box_begin_trace(void)
{
	return 0;
}

/* The operations. */

static void load(int number)
{
	static const char *const build_ids[MODULES] = { "one", "two" };
	struct hand_module *module = &modules[number];

	hand_module_begin(module, 2);
	hand_module_functions(module, 64, FUNCTIONS);
	hand_module_build_id(module, build_ids[number], 3);
	hand_module_finish(module);
	loaded[number] = true;
	spoor_dso_register(module->dso);
}

static void unload(int number)
{
	loaded[number] = false;
	modules[number].dso->unregister(modules[number].dso);
	hand_module_end(&modules[number]);
	modules[number] = (struct hand_module){ 0 };
}

static void enable_all(void)
{
	spoor_functions_enable(NULL, NULL);
}

static void disable_all(void)
{
	spoor_functions_disable(NULL, NULL);
}

static void switch_on(void)
{
	spoor_enable();
}

static void switch_off(void)
{
	spoor_disable();
}

static void load_0(void)
{
	load(0);
}

static void load_1(void)
{
	load(1);
}

static void unload_0(void)
{
	unload(0);
}

static void unload_1(void)
{
	unload(1);
}

/* The end of both: patched is what is wanted, and all the same. */
static void check_end(void)
{
	uint64_t patched = 0;
	int state = -1;

	for (int i = 0; i < MODULES; i++) {
		const struct spoor_instance *instance = loaded[i] ? modules[i].dso->instance : NULL;

		if (!instance)
			continue;
		for (uint32_t f = 0; f < FUNCTIONS; f++) {
			bool wanted = instance->wanted && instance->wanted[0] >> f & 1 && spoor_registry_is_on();
			bool bit = instance->patched && instance->patched[0] >> f & 1;
			uint64_t reached = hand_module_call(&modules[i], f);

			if (bit != wanted)
				wrong("a function is %s and wanted %s", bit ? "awake" : "dormant", wanted ? "awake" : "dormant");
			if (reached != (bit ? 2 : 0))
				wrong("a function that is %s reaches %d thunks", bit ? "awake" : "dormant", (int)reached);
			if (state >= 0 && bit != state)
				wrong("some functions are awake and some are not");
			state = bit;
			patched += bit;
		}
	}
	if (patched != spoor_registry_patched())
		wrong("%d functions are patched, and %d are counted", (int)patched, (int)spoor_registry_patched());
}

static void *run_thread(void *number)
{
	struct thread *thread = &threads[(int)(intptr_t)number];
	int next;

	self = (int)(intptr_t)number;
	sem_wait(&thread->turn);
	thread->operation();
	thread->ended = true;
	next = next_of(self);
	/* What runs when it is gone is not scheduled. */
	self = -1;
	sem_post(next >= 0 ? &threads[next].turn : &all_ended);
	return NULL;
}

/* One schedule. Return: how many points it had. */
static long run(void (*setup)(void), void (*const operations[THREADS])(void), int first)
{
	setup();
	points = 0;
	lock_owner = -1;
	sem_init(&all_ended, 0, 0);
	for (int i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){ .operation = operations[i] };
		sem_init(&threads[i].turn, 0, 0);
		pthread_create(&threads[i].thread, NULL, run_thread, (void *)(intptr_t)i);
	}
	running = true;
	begins = first;
	sem_post(&threads[first].turn);
	sem_wait(&all_ended);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i].thread, NULL);
	running = false;
	check_end();
	for (int i = 0; i < MODULES; i++)
		if (loaded[i])
			unload(i);
	spoor_enable();
	spoor_functions_enable(NULL, NULL);
	return points;
}

static long schedules;

static void each_schedule(void (*setup)(void), void (*const operations[THREADS])(void), int first, int most, long from)
{
	long length = run(setup, operations, first);

	schedules++;
	if (preemptions == most)
		return;
	for (long at = from; at <= length; at++) {
		preempt_at[preemptions++] = at;
		each_schedule(setup, operations, first, most, at + 1);
		preemptions--;
	}
}

static void none_loaded(void)
{
}

static void one_awake(void)
{
	load(0);
}

static void both_awake(void)
{
	load(0);
	load(1);
}

static void both_dormant(void)
{
	both_awake();
	disable_all();
}

static void one_dormant(void)
{
	load(0);
	disable_all();
}

static void one_switched_off(void)
{
	load(0);
	switch_off();
}

int main(void)
{
	static const struct {
		const char *name;
		void (*setup)(void);
		void (*operations[THREADS])(void);
	} scenarios[] = {
		{ "enable beside disable", both_awake, { disable_all, enable_all } },
		{ "enable beside enable", both_dormant, { enable_all, enable_all } },
		{ "enable beside unregister", both_dormant, { enable_all, unload_1 } },
		{ "disable beside unregister", both_awake, { disable_all, unload_0 } },
		{ "register beside disable", one_awake, { load_1, disable_all } },
		{ "register beside enable", one_dormant, { load_1, enable_all } },
		{ "register beside unregister", one_awake, { load_1, unload_0 } },
		{ "register beside register", none_loaded, { load_0, load_1 } },
		{ "unregister beside unregister", both_awake, { unload_0, unload_1 } },
		{ "switch on beside switch off", one_switched_off, { switch_on, switch_off } },
		{ "switch off beside register", one_awake, { switch_off, load_1 } },
		{ "switch on beside unregister", one_switched_off, { switch_on, unload_0 } },
	};

	cpu_set_t one;

	alarm(250);
	/* One thread runs at a time: handing over is quicker on one processor. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	/* What is done once in a process is done. */
	both_awake();
	unload(0);
	unload(1);
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		scenario = scenarios[i].name;
		for (int first = 0; first < THREADS; first++) {
			fine = true;
			each_schedule(scenarios[i].setup, scenarios[i].operations, first, 1, 1);
			fine = false;
			each_schedule(scenarios[i].setup, scenarios[i].operations, first, PREEMPTIONS, 1);
		}
	}
	printf("%ld schedules\n", schedules);
	return 0;
}
