/* SPDX-License-Identifier: MIT */
/* inject_stack.c - walks the stack of a stopped thread by its unwind tables. */
#include "attach/inject/inject_stack.h"

#include <errno.h>
#include <libunwind-ptrace.h>
#include <stdlib.h>
#include <string.h>

#include "attach/inject/inject_unwind.h"

#define FRAMES_MAX 200000u	/* fits into a stack of 8 MB */
#define KNOWN 4096u
#define PAGE 4096u
#define PAGES 256u

struct inject_stacks {
	const struct target *target;
	unw_addr_space_t space;
	/* Cache: an address, and the start of its function. */
	struct {
		uint64_t address, begin;
	} known[KNOWN];
	/* Cache of the process's memory. All threads share it, and all are stopped. */
	uint64_t page_at[PAGES];
	uint8_t pages[PAGES][PAGE];
};

/* The stacks of the present walk: libunwind passes its own context to the accessors. */
static __thread struct inject_stacks *at_hand;

/* Reads whole pages, instead of one system call for each word. */
static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write, void *context)
{
	uint64_t page = address & -(uint64_t)PAGE;
	uint32_t slot = (uint32_t)(page / PAGE % PAGES);

	if (write || address - page > PAGE - sizeof(*value))
		return _UPT_access_mem(space, address, value, write, context);
	if (at_hand->page_at[slot] != page || !page) {
		at_hand->page_at[slot] = 0;
		if (target_read(at_hand->target->pid, page, at_hand->pages[slot], PAGE) < 0)
			return -UNW_EINVAL;
		at_hand->page_at[slot] = page;
	}
	memcpy(value, at_hand->pages[slot] + (address - page), sizeof(*value));
	return 0;
}

int inject_stacks_begin(struct inject_stacks **result, const struct target *target)
{
	struct inject_stacks *stacks = calloc(1, sizeof(*stacks));
	unw_accessors_t accessors = _UPT_accessors;

	*result = stacks;
	if (!stacks)
		return -ENOMEM;
	stacks->target = target;
	accessors.access_mem = access_memory;
	accessors.find_proc_info = inject_unwind_find;
	stacks->space = unw_create_addr_space(&accessors, 0);
	if (!stacks->space) {
		free(stacks);
		return -ENOMEM;
	}
	unw_set_caching_policy(stacks->space, UNW_CACHE_GLOBAL);
	return 0;
}

void inject_stacks_end(struct inject_stacks *stacks)
{
	if (!stacks)
		return;
	unw_destroy_addr_space(stacks->space);
	free(stacks);
}

/* Returns 0 if the start is unknown. */
static uint64_t find_function_begin(struct inject_stacks *stacks, unw_cursor_t *cursor, uint64_t at)
{
	size_t slot = at % KNOWN;
	unw_proc_info_t function;

	if (stacks->known[slot].address == at)
		return stacks->known[slot].begin;
	if (unw_get_proc_info(cursor, &function) < 0)
		return 0;
	stacks->known[slot].address = at;
	stacks->known[slot].begin = function.start_ip;
	return function.start_ip;
}

static int walk_frames(struct inject_stacks *stacks, unw_cursor_t *cursor,
		       int (*tell)(void *context, const struct spoor_stack_frame *frame), void *context)
{
	bool interrupted = true;
	unsigned int libc_frame = 0, i;
	int more = 1, error;

	for (i = 0; i < FRAMES_MAX && more > 0; i++) {
		struct spoor_stack_frame frame = { .kind = interrupted ? SPOOR_STACK_INTERRUPTED : SPOOR_STACK_CALLER };
		const struct target_image *image;
		unw_word_t address, stack;

		if (unw_get_reg(cursor, UNW_REG_IP, &address) < 0)
			return 0;
		image = target_image_at(stacks->target, address);
		if (image && image->kind == TARGET_IMAGE_LIBC)
			libc_frame = i + 1;
		frame.at = interrupted ? address : address - 1;
		interrupted = unw_is_signal_frame(cursor) > 0;
		if (!interrupted)
			frame.function = find_function_begin(stacks, cursor, frame.at);
		more = unw_step(cursor);
		/* The return address is the last word of the caller's stack. */
		if (more > 0 && unw_get_reg(cursor, UNW_REG_SP, &stack) == 0)
			frame.place = stack - sizeof(uint64_t);
		error = frame.function ? tell(context, &frame) : 0;
		if (error < 0)
			return error;
	}
	/* The outermost frames of each stack are in libc, or in _start. */
	return more == 0 && libc_frame && libc_frame >= i - 1;
}

int inject_stack_walk(struct inject_stacks *stacks, pid_t thread,
		      int (*tell)(void *context, const struct spoor_stack_frame *frame), void *context)
{
	void *access = _UPT_create(thread);
	unw_cursor_t cursor;
	int result = 0;

	at_hand = stacks;
	inject_unwind_use(stacks->target);
	if (access && unw_init_remote(&cursor, stacks->space, access) == 0)
		result = walk_frames(stacks, &cursor, tell, context);
	if (access)
		_UPT_destroy(access);
	return result;
}
