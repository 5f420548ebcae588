/* SPDX-License-Identifier: MIT */
/*
 * unwinder.c - walks the calling thread's stack with libunwind as if it were another process's stack.
 *
 * libunwind's functions for the own stack take the lock of the dynamic loader, and probe memory through
 * a pipe. So libunwind gets accessor functions, as a debugger passes them. libunwind still opens that
 * pipe when it is used for the first time: this happens in a thread that has its own table of
 * descriptors and then ends.
 */
#define _GNU_SOURCE
#include "elf/unwinder.h"

#include <dlfcn.h>
#include <linux/mman.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/after_fork.h"
#include "base/memory.h"
#include "format/unwind_table.h"

#include SPOOR_UNWINDER_HEADER

#define FRAMES_MAX 20000u
#define WAIT_S 1
#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)

static struct {
	__typeof__(&unw_create_addr_space) create;
	__typeof__(&unw_set_caching_policy) set_caching;
	__typeof__(&unw_init_remote) init;
	__typeof__(&unw_step) step;
	__typeof__(&unw_get_reg) get_register;
	__typeof__(&unw_get_proc_info) get_function;
	__typeof__(&unw_is_signal_frame) is_signal_frame;
	int (*search)(unw_addr_space_t space, unw_word_t address, unw_dyn_info_t *table, unw_proc_info_t *function,
		      int all, void *context);
} unwind;
static unw_addr_space_t space;
static int (*find_object)(void *address, void *result);
static bool there, tried;

/* The state of a walk. */
struct walk {
	struct spoor_registers registers;
	uint64_t pages[64];	/* pages that are known to exist, hashed by number */
};

static bool page_is_there(struct walk *walk, uint64_t address)
{
	uint64_t page = address & -(uint64_t)spoor_page_bytes;
	uint64_t *known = &walk->pages[page / spoor_page_bytes % 64];

	/* An empty element of the table is 0 as well. */
	if (!page)
		return false;
	if (*known == page)
		return true;
	if (madvise((void *)page, spoor_page_bytes, MADV_POPULATE_READ) < 0)
		return false;
	*known = page;
	return true;
}

/* Not instrumented: a stack has red zones of sanitizers between variables. */
__attribute__((no_sanitize("address", "thread"))) static uint64_t load(uint64_t address)
{
	const volatile uint8_t *bytes = (const volatile uint8_t *)address;
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | bytes[i];
	return value;
}

static int access_memory(unw_addr_space_t unused, unw_word_t address, unw_word_t *value, int write, void *context)
{
	struct walk *walk = context;

	(void)unused;
	if (write || !page_is_there(walk, address) || !page_is_there(walk, address + 7))
		return -UNW_EINVAL;
	*value = load(address);
	return 0;
}

static int access_register(unw_addr_space_t unused, unw_regnum_t number, unw_word_t *value, int write, void *context)
{
	struct walk *walk = context;

	(void)unused;
	if (write || number < 0 || (size_t)number >= sizeof(walk->registers.general) / sizeof(uint64_t))
		return -UNW_EBADREG;
	*value = walk->registers.general[number];
	return 0;
}

static int access_vector(unw_addr_space_t unused, unw_regnum_t number, unw_fpreg_t *value, int write, void *context)
{
	(void)unused, (void)number, (void)value, (void)write, (void)context;
	return -UNW_EBADREG;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
static int find_function(unw_addr_space_t given, unw_word_t address, unw_proc_info_t *function, int all, void *context)
{
	struct dl_find_object object;
	unw_dyn_info_t table = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	const struct spoor_unwind_table *head;

	if (find_object((void *)address, &object) < 0 || !object.dlfo_eh_frame)
		return -UNW_ENOINFO;
	head = object.dlfo_eh_frame;
	if (!spoor_unwind_table_is_one(head))
		return -UNW_ENOINFO;
	table.start_ip = (unw_word_t)object.dlfo_map_start;
	table.end_ip = (unw_word_t)object.dlfo_map_end;
	table.u.rti.segbase = (unw_word_t)head;
	table.u.rti.table_data = (unw_word_t)head->entries;
	table.u.rti.table_len = head->count * 8ull / sizeof(unw_word_t);
	return unwind.search(given, address, &table, function, all, context);
}
#else
static int find_function(unw_addr_space_t given, unw_word_t address, unw_proc_info_t *function, int all, void *context)
{
	(void)given, (void)address, (void)function, (void)all, (void)context;
	return -UNW_ENOINFO;
}
#endif

static void put_function(unw_addr_space_t unused, unw_proc_info_t *function, void *context)
{
	(void)unused, (void)function, (void)context;
}

static int no_list(unw_addr_space_t unused, unw_word_t *address, void *context)
{
	(void)unused, (void)address, (void)context;
	return -UNW_ENOINFO;
}

static int no_resume(unw_addr_space_t unused, unw_cursor_t *cursor, void *context)
{
	(void)unused, (void)cursor, (void)context;
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t unused, unw_word_t address, char *name, size_t size, unw_word_t *offset, void *context)
{
	(void)unused, (void)address, (void)name, (void)size, (void)offset, (void)context;
	return -UNW_ENOINFO;
}

static bool walk_from(struct walk *walk, void (*visit)(const struct spoor_stack_frame *frame))
{
	bool interrupted = true;
	unw_cursor_t cursor;
	int more = 1;

	if (unwind.init(&cursor, space, walk) < 0)
		return false;
	for (uint32_t i = 0; i < FRAMES_MAX && more > 0; i++) {
		struct spoor_stack_frame frame = { .kind = interrupted ? SPOOR_STACK_INTERRUPTED : SPOOR_STACK_CALLER };
		unw_proc_info_t function;
		unw_word_t address, stack;

		if (unwind.get_register(&cursor, UNW_REG_IP, &address) < 0)
			return false;
		frame.at = interrupted ? address : address - 1;
		interrupted = unwind.is_signal_frame(&cursor) > 0;
		if (!interrupted && unwind.get_function(&cursor, &function) == 0)
			frame.function = function.start_ip;
		more = unwind.step(&cursor);
		/* The return address is the last word of the stack before the caller's. */
		if (more > 0 && unwind.get_register(&cursor, UNW_REG_SP, &stack) == 0)
			frame.place = stack - sizeof(uint64_t);
		if (frame.function)
			visit(&frame);
	}
	return more == 0;
}

bool spoor_unwinder_walk(void (*visit)(const struct spoor_stack_frame *frame))
{
	struct walk walk = { 0 };

	spoor_registers_get(&walk.registers);
	return walk_from(&walk, visit);
}

bool spoor_unwinder_is_there(void)
{
	return __atomic_load_n(&there, __ATOMIC_ACQUIRE);
}

static void ignore_frame(const struct spoor_stack_frame *frame)
{
	(void)frame;
}

/* Runs in its own thread. */
static void *use_first(void *unused)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_function,
		.put_unwind_info = put_function,
		.get_dyn_info_list_addr = no_list,
		.access_mem = access_memory,
		.access_reg = access_register,
		.access_fpreg = access_vector,
		.resume = no_resume,
		.get_proc_name = no_name,
	};

	(void)unused;
	if (unshare(CLONE_FILES) < 0)
		return NULL;
	space = unwind.create(&accessors, 0);
	if (!space)
		return NULL;
	/* A cache would have to follow dlclose. */
	unwind.set_caching(space, UNW_CACHE_NONE);
	if (spoor_unwinder_walk(ignore_frame))
		__atomic_store_n(&there, true, __ATOMIC_RELEASE);
	return NULL;
}

static bool find_names(void *library)
{
	const struct {
		void *function;
		const char *name;
	} names[] = {
		{ &unwind.create, NAME_OF(unw_create_addr_space) }, { &unwind.set_caching, NAME_OF(unw_set_caching_policy) },
		{ &unwind.init, NAME_OF(unw_init_remote) }, { &unwind.step, NAME_OF(unw_step) },
		{ &unwind.get_register, NAME_OF(unw_get_reg) }, { &unwind.get_function, NAME_OF(unw_get_proc_info) },
		{ &unwind.is_signal_frame, NAME_OF(unw_is_signal_frame) },
		{ &unwind.search, NAME_OF(UNW_OBJ(dwarf_search_unwind_table)) },
		{ &find_object, NULL },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *found = names[i].name ? dlsym(library, names[i].name) : dlsym(RTLD_DEFAULT, "_dl_find_object");

		if (!found)
			return false;
		memcpy(names[i].function, &found, sizeof(found));
	}
	return true;
}

/* If a debugger makes one thread of a stopped process call this, the new thread cannot run. After a second it
 * is detached and runs later. */
static void wait_briefly(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_S;
	if (pthread_timedjoin_np(thread, NULL, &until) != 0)
		pthread_detach(thread);
}

void spoor_unwinder_load(void)
{
	sigset_t all, before;
	pthread_t thread;
	void *library;

	if (__atomic_exchange_n(&tried, true, __ATOMIC_ACQ_REL) || !spoor_after_fork_has_linker())
		return;
	/* If the program uses libunwind too, it would lose the pipe, which the ending thread closes. */
	library = dlopen(SPOOR_UNWINDER_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	if (library) {
		dlclose(library);
		return;
	}
	library = dlopen(SPOOR_UNWINDER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library || !find_names(library)) {
		/* Clears the error, which the program must not see. */
		dlerror();
		return;
	}
	/* The program's signals must not be handled in a thread that it does not know. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, use_first, NULL) == 0)
		wait_briefly(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
