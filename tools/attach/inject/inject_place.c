/* SPDX-License-Identifier: MIT */
/*
 * inject_place.c - searches a stopped thread's stack for functions that hold locks.
 *
 * libc's internal functions have no names in its symbol table, but the function by which the program entered libc has
 * one: its frame starts at an exported symbol.
 */
#include "attach/inject/inject_place.h"

#include <errno.h>
#include <libunwind-ptrace.h>
#include <stdlib.h>
#include <string.h>

#include "attach/inject/inject_unwind.h"

#define FRAMES_MAX 1000

/* In any module, because the program may have its own allocator. */
static const char *const of_memory[] = {
	"malloc", "free", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc", "posix_memalign", "valloc",
	"pvalloc", "malloc_trim", "mallinfo", "mallinfo2", "malloc_info", "malloc_stats", "mallopt", "malloc_usable_size",
	/* operator new and delete, which tcmalloc and jemalloc implement without malloc */
	"_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
	"_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZnamSt11align_val_tRKSt9nothrow_t", "_ZdlPv", "_ZdaPv", "_ZdlPvm",
	"_ZdaPvm", "_ZdlPvRKSt9nothrow_t", "_ZdaPvRKSt9nothrow_t", "_ZdlPvSt11align_val_t", "_ZdaPvSt11align_val_t",
	"_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t", "_ZdlPvSt11align_val_tRKSt9nothrow_t",
	"_ZdaPvSt11align_val_tRKSt9nothrow_t",
	/* more of jemalloc and tcmalloc */
	"mallocx", "rallocx", "xallocx", "dallocx", "sdallocx", "mallctl", "mallctlbymib", "tc_malloc", "tc_free",
	"tc_calloc", "tc_realloc", "tc_memalign", "tc_new", "tc_delete", "tc_newarray", "tc_deletearray",
};
/* In libc. */
static const char *const of_libc[] = {
	"dlopen", "dlmopen", "dlclose", "dlsym", "dlvsym", "dladdr", "dladdr1", "dlinfo", "dlerror", "dl_iterate_phdr",
	"fork", "_Fork", "vfork", "posix_spawn", "posix_spawnp", "exit", "quick_exit", "__cxa_atexit",
	"__cxa_at_quick_exit", "__cxa_finalize", "__cxa_thread_atexit_impl", "on_exit", "pthread_create",
	"pthread_exit", "pthread_atfork", "__register_atfork", "setenv", "unsetenv", "putenv", "clearenv",
	"__libc_freeres", "__libc_dlopen_mode", "__libc_dlclose", "__libc_dlsym",
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int add_functions(struct inject_places *places, const struct target *target, const struct target_image *image,
			 const char *const *names, size_t count)
{
	uint64_t *functions = reallocarray(places->functions, places->count + count, sizeof(*functions));
	uint64_t *found;

	if (!functions)
		return -ENOMEM;
	places->functions = functions;
	found = functions + places->count;
	target_symbols(target, image, names, count, found);
	for (size_t i = 0; i < count; i++)
		if (found[i])
			functions[places->count++] = found[i];
	return 0;
}

int inject_places_find(struct inject_places *places, const struct target *target)
{
	int error = 0;

	*places = (struct inject_places){ 0 };
	for (size_t i = 0; i < target->image_count && !error; i++) {
		const struct target_image *image = &target->images[i];

		error = add_functions(places, target, image, of_memory, COUNT(of_memory));
		if (!error && image->kind == TARGET_IMAGE_LIBC)
			error = add_functions(places, target, image, of_libc, COUNT(of_libc));
	}
	return error;
}

void inject_places_free(struct inject_places *places)
{
	free(places->functions);
	*places = (struct inject_places){ 0 };
}

static bool takes_locks(const struct inject_places *places, uint64_t function)
{
	for (size_t i = 0; i < places->count; i++)
		if (places->functions[i] == function)
			return true;
	return false;
}

static bool is_ours(const struct target_image *image)
{
	return image && target_image_is(image, "libspoor.so");
}

/* Walks from the innermost frame outwards. */
static bool has_safe_stack(const struct inject_places *places, const struct target *target, unw_cursor_t *cursor)
{
	bool in_program = false;	/* a frame of the program was seen since the last signal frame */
	int libc_frame = -2, last_frame = 0, more = 0;

	for (int frames = 0; frames < FRAMES_MAX; frames++) {
		const struct target_image *image;
		unw_proc_info_t function;
		unw_word_t address;

		if (unw_get_reg(cursor, UNW_REG_IP, &address) < 0)
			return false;
		image = target_image_at(target, address);
		/* The frames that a handler interrupted are judged like the innermost ones. */
		if (unw_is_signal_frame(cursor) > 0)
			in_program = false;
		else if (is_ours(image) || (!in_program && image && image->kind == TARGET_IMAGE_LOADER))
			return false;
		else if (unw_get_proc_info(cursor, &function) == 0 && takes_locks(places, function.start_ip))
			return false;
		else if (image && image->kind == TARGET_IMAGE_OTHER)
			in_program = true;
		if (image && image->kind == TARGET_IMAGE_LIBC)
			libc_frame = frames;
		last_frame = frames;
		more = unw_step(cursor);
		if (more <= 0)
			break;
	}
	/* The outermost frames of each stack are in libc, or in _start. A stack that ends earlier may hide frames. */
	return in_program && more == 0 && libc_frame >= last_frame - 1;
}

static bool is_stack_outside(const struct target_image *image, unw_cursor_t *cursor)
{
	for (int frames = 0; frames < FRAMES_MAX; frames++) {
		unw_word_t address;

		if (unw_get_reg(cursor, UNW_REG_IP, &address) < 0 || (address >= image->begin && address < image->end))
			return false;
		if (unw_step(cursor) <= 0)
			return true;
	}
	return true;
}

/* Examines a stopped thread. Exactly one of @places and @image is given. */
static bool examine_thread(const struct inject_places *places, const struct target *target, const struct target_image *image,
			   pid_t thread)
{
	unw_accessors_t accessors = _UPT_accessors;
	unw_addr_space_t space;
	unw_cursor_t cursor;
	void *context;
	bool yes = false;

	accessors.find_proc_info = inject_unwind_find;
	space = unw_create_addr_space(&accessors, 0);
	context = space ? _UPT_create(thread) : NULL;
	inject_unwind_use(target);
	if (context && unw_init_remote(&cursor, space, context) == 0)
		yes = image ? is_stack_outside(image, &cursor) : has_safe_stack(places, target, &cursor);
	if (context)
		_UPT_destroy(context);
	if (space)
		unw_destroy_addr_space(space);
	inject_unwind_use(NULL);
	return yes;
}

bool inject_place_is_safe(const struct inject_places *places, const struct target *target, pid_t thread)
{
	return examine_thread(places, target, NULL, thread);
}

bool inject_place_is_outside(const struct target *target, const struct target_image *image, pid_t thread)
{
	return examine_thread(NULL, target, image, thread);
}
