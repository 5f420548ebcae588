/* SPDX-License-Identifier: MIT */
/*
 * count_hooks.c - counts entries and exits of every function that was compiled with
 * -finstrument-functions-after-inlining. Tests compare a trace with these counts.
 *
 * This is a library to preload. At the end of the process it writes a line for each
 * function to the file COUNT_HOOKS_OUTPUT with the process ID appended: the
 * module's path, the address in the module, entries, exits, separated by tabs.
 * A forked child counts from zero.
 *
 * Each thread has its own table of counts, which outlives the thread. Two cases are not
 * counted: functions in destructors that run after this library's own, and a library
 * that is loaded at the address of a library that was closed.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNCOUNTED __attribute__((no_instrument_function))
#define HOOK UNCOUNTED __attribute__((visibility("default")))

enum { SLOTS = 1 << 16, MODULES = 256 };

struct slot {
	const void *function;
	uint64_t entries, exits;
};

struct table {
	struct table *next;
	uint64_t used;
	struct slot slots[SLOTS];
};

struct module {
	uintptr_t begin, end, base;
	char path[PATH_MAX];
};

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

static __thread struct table *table __attribute__((tls_model("initial-exec")));
static _Atomic(struct table *) tables;

static struct module modules[MODULES];
static size_t module_count;
static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;

UNCOUNTED static void die(const char *what)
{
	dprintf(STDERR_FILENO, "count_hooks: %s\n", what);
	_exit(125);
}

UNCOUNTED static int note_module(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t wanted = (uintptr_t)data, begin = UINTPTR_MAX, end = 0;
	struct module *module;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + header->p_vaddr < begin)
			begin = info->dlpi_addr + header->p_vaddr;
		if (info->dlpi_addr + header->p_vaddr + header->p_memsz > end)
			end = info->dlpi_addr + header->p_vaddr + header->p_memsz;
	}
	if (wanted < begin || wanted >= end)
		return 0;
	if (module_count == MODULES)
		die("too many modules");
	module = &modules[module_count];
	*module = (struct module){.begin = begin, .end = end, .base = info->dlpi_addr};
	if (!realpath(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe", module->path))
		die("a module's file cannot be found");
	module_count++;
	return 1;
}

UNCOUNTED static const struct module *find_module(const void *function)
{
	for (size_t i = 0; i < module_count; i++)
		if ((uintptr_t)function >= modules[i].begin && (uintptr_t)function < modules[i].end)
			return &modules[i];
	return NULL;
}

/* A module is recorded at its first call of a function, because it may be unloaded later. */
UNCOUNTED static void know_module_of(const void *function)
{
	pthread_mutex_lock(&modules_lock);
	if (!find_module(function))
		dl_iterate_phdr(note_module, (void *)function);
	pthread_mutex_unlock(&modules_lock);
}

UNCOUNTED static struct table *new_table(void)
{
	struct table *new = mmap(NULL, sizeof(*new), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (new == MAP_FAILED)
		die("no memory");
	new->next = atomic_load(&tables);
	while (!atomic_compare_exchange_weak(&tables, &new->next, new))
		;
	return new;
}

UNCOUNTED static struct slot *find_slot(struct table *t, const void *function)
{
	size_t i = ((uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15)) >> 48;

	while (t->slots[i % SLOTS].function && t->slots[i % SLOTS].function != function)
		i++;
	return &t->slots[i % SLOTS];
}

UNCOUNTED static struct slot *slot_of(const void *function)
{
	struct slot *slot;

	if (!table)
		table = new_table();
	slot = find_slot(table, function);
	if (!slot->function) {
		if (++table->used > SLOTS * 3 / 4)
			die("too many functions");
		know_module_of(function);
		slot->function = function;
	}
	return slot;
}

HOOK void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)call_site;
	slot_of(function)->entries++;
}

HOOK void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)call_site;
	slot_of(function)->exits++;
}

UNCOUNTED static void forget(void)
{
	for (struct table *t = atomic_load(&tables); t; t = t->next)
		for (size_t i = 0; i < SLOTS; i++)
			t->slots[i].entries = t->slots[i].exits = 0;
}

__attribute__((constructor)) UNCOUNTED static void begin(void)
{
	pthread_atfork(NULL, NULL, forget);
}

__attribute__((destructor)) UNCOUNTED static void dump(void)
{
	const char *prefix = getenv("COUNT_HOOKS_OUTPUT");
	char path[4096];
	FILE *output;

	if (!prefix)
		return;
	snprintf(path, sizeof(path), "%s.%d", prefix, (int)getpid());
	output = fopen(path, "we");
	if (!output)
		die("cannot write COUNT_HOOKS_OUTPUT");
	for (struct table *t = atomic_load(&tables); t; t = t->next)
		for (size_t i = 0; i < SLOTS; i++) {
			const struct slot *slot = &t->slots[i];
			const struct module *module = find_module(slot->function);

			if (module && (slot->entries || slot->exits))
				fprintf(output, "%s\t%jx\t%ju\t%ju\n", module->path,
					(uintmax_t)((uintptr_t)slot->function - module->base),
					(uintmax_t)slot->entries, (uintmax_t)slot->exits);
		}
	if (fclose(output))
		die("cannot write COUNT_HOOKS_OUTPUT");
}
