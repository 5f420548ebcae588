/* SPDX-License-Identifier: MIT */
/* box_library.c - logs library calls through the real stubs, and checks arguments and results. */
#include "box_library.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "box.h"
#include "event/capture_path.h"
#include "event/library_path.h"
#include "format/registration.h"

/* Calls in progress, and calls that were left, have different stubs. */
#define STUBS (SPOOR_LIBRARY_STUBS - 1)
#define STACK_WORDS 5

struct result {
	long first, second;
};

struct result reach_library(const void *stub, uint64_t flags, long number);
extern const char reach_library_function[];
struct result reached_library(const char *format, long number, long third, long fourth, long fifth, long sixth,
			      const long words[STACK_WORDS]);
const char reached_format[] = "%d %ld %d %ld %d %ld %d %ld %d %ld";

extern __thread struct spoor_call_stack *spoor_call_stack __attribute__((tls_model("initial-exec")));

static const struct spoor_hook_slots {
	const void *entry, *exit, *exit_without_result;
} slots = { spoor_log_entry, spoor_log_exit, spoor_log_exit },
  mixed_slots = { spoor_mixed_library_entry, spoor_mixed_exit, spoor_log_exit };
_Static_assert(SPOOR_THUNK_ENTRY == 0 && SPOOR_THUNK_EXIT == 1 && SPOOR_LIBRARY_SLOT_NO_RESULT == 2, "box_library.c");

static struct {
	enum box_library_way way;
	uint32_t entry, exit;	/* its events */
	uint32_t within;	/* the stub of the call that it made and that was left */
} calls[SPOOR_LIBRARY_STUBS];
static uint32_t used;

static const struct {
	uint8_t kind;
	uint8_t words;
	uint8_t copied;		/* number of stack words that the function can rely on */
	bool is_pair;		/* entry and exit come before the call */
} ways[BOX_LIBRARY_WAYS + 1] = {
	[BOX_LIBRARY_PLAIN] = { SPOOR_LIBRARY_WORDS, 0, 0, false },
	[BOX_LIBRARY_EVEN] = { SPOOR_LIBRARY_WORDS, 4, 4, false },
	[BOX_LIBRARY_ODD] = { SPOOR_LIBRARY_WORDS, 5, 5, false },
	[BOX_LIBRARY_PRINTF] = { SPOOR_LIBRARY_PRINTF, 0, 5, false },
	[BOX_LIBRARY_UNTIMED] = { SPOOR_LIBRARY_UNTIMED, 0, 5, true },
	[BOX_LIBRARY_FOLLOWED] = { SPOOR_LIBRARY_DLOPEN, 0, 0, false },
	[BOX_LIBRARY_FORKED] = { SPOOR_LIBRARY_FORK, 0, 0, false },
	[BOX_LIBRARY_DORMANT] = { SPOOR_LIBRARY_WORDS, 4, 5, false },
	[BOX_LIBRARY_LEAVES] = { SPOOR_LIBRARY_LEAVES, 0, 5, true },
	[BOX_LIBRARY_AFTER_LEFT] = { SPOOR_LIBRARY_WORDS, 5, 5, false },
	[BOX_LIBRARY_LEFT_WITHIN] = { SPOOR_LIBRARY_WORDS, 4, 4, false },
	[BOX_LIBRARY_LEFT] = { SPOOR_LIBRARY_WORDS, 0, 0, false },
};

static bool depends_on_caller(const char *name)
{
	(void)name;
	return false;
}

static void follow(bool only_if_new)
{
	(void)only_if_new;
}

static const struct spoor_library_helper helper = { depends_on_caller, follow };

static sigjmp_buf left;

/* Returns the number of a stub for a call, whose events begin now. */
static uint32_t make_call(enum box_library_way way, uint32_t mixed)
{
	uint32_t number = 1 + used++ % STUBS;

	spoor_library_helper = &helper;
	calls[number].way = way;
	calls[number].within = 0;
	if (way != BOX_LIBRARY_DORMANT) {
		calls[number].entry = box_event_begin(SPOOR_EVENT_ENTRY, false);
		calls[number].exit = box_event_begin(SPOOR_EVENT_EXIT, true);
		box_action_set(calls[number].entry, mixed | BOX_LIBRARY);
		box_action_set(calls[number].exit, mixed | BOX_LIBRARY);
	}
	spoor_library_calls[number] = (struct spoor_library_call){
		.real = reach_library_function, .slots = (void **)(mixed ? &mixed_slots : &slots),
		.entry_code = SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, calls[number].entry),
		.exit_code = SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, calls[number].exit),
		.words = ways[way].words, .awake = way != BOX_LIBRARY_DORMANT, .kind = ways[way].kind,
	};
	return number;
}

static struct result reach(uint32_t number, uint64_t flags)
{
	return reach_library(spoor_library_stubs + number * SPOOR_LIBRARY_STUB_BYTES, flags, number);
}

/* The library function, with its stack arguments. */
struct result reached_library(const char *format, long number, long third, long fourth, long fifth, long sixth,
			      const long words[STACK_WORDS])
{
	enum box_library_way way = calls[number].way;

	if (format != reached_format || third != number + 3 || fourth != number + 4 || fifth != number + 5 || sixth != number + 6)
		box_fail("way %d: the function got other arguments", (int)way);
	for (int i = 0; i < ways[way].copied; i++)
		if (words[i] != number + 7 + i)
			box_fail("way %d: stack argument %d is %ld", (int)way, i, words[i] - number);
	if (way != BOX_LIBRARY_DORMANT)
		box_event_end(calls[number].entry);
	if (way == BOX_LIBRARY_LEFT)
		siglongjmp(left, 1);
	if (way == BOX_LIBRARY_LEFT_WITHIN && sigsetjmp(left, 0) == 0)
		reach(calls[number].within, 0);
	if (ways[way].is_pair)
		box_event_end(calls[number].exit);
	return (struct result){ way == BOX_LIBRARY_FORKED ? 0 : number + 12, number + 13 };
}

uint64_t box_library_value(uint32_t code)
{
	for (uint32_t number = 1; number <= STUBS && number <= used; number++) {
		if (calls[number].way == BOX_LIBRARY_DORMANT)
			continue;
		if (code == SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, calls[number].entry))
			return number + 7;
		if (code == SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, calls[number].exit))
			return number + 13;
	}
	return 0;
}

uint32_t box_library_log(uint32_t way, uint32_t mixed, uint64_t flags)
{
	uint32_t number;
	struct result result;

	if (way == BOX_LIBRARY_AFTER_LEFT)
		box_library_log(BOX_LIBRARY_LEAVES, mixed, 0);
	number = make_call((enum box_library_way)way, mixed);
	/* No events begin within the function, because a handler may run at each of its steps. */
	if (way == BOX_LIBRARY_LEFT_WITHIN)
		calls[number].within = make_call(BOX_LIBRARY_LEFT, mixed);
	result = reach(number, flags);
	if (result.first != (way == BOX_LIBRARY_FORKED ? 0 : (long)number + 12) || result.second != (long)number + 13)
		box_fail("way %u: the caller got another result", way);
	if (calls[number].within)
		box_event_end(calls[calls[number].within].exit);
	if (way == BOX_LIBRARY_FORKED)
		box_event_drop(calls[number].exit);
	else if (way != BOX_LIBRARY_DORMANT)
		box_event_end(calls[number].exit);
	return calls[number].entry;
}

void box_library_reset(void)
{
	static struct spoor_open_library_call *end;

	/* The first call makes the list, and the loader binds siglongjmp. */
	if (!end) {
		box_library_log(BOX_LIBRARY_LEFT_WITHIN, 0, 0);
		end = spoor_call_stack->end;
	}
	while (spoor_call_stack->top > &spoor_call_stack->calls[1])
		*--spoor_call_stack->top = (struct spoor_open_library_call){ 0 };
	/* Each run of a case has the same stubs. */
	used = 0;
	spoor_call_stack->left = false;
	spoor_call_stack->end = end;
	spoor_call_stack->unstored = 0;
}

void box_library_verify_closed(void)
{
	for (const struct spoor_open_library_call *open = &spoor_call_stack->calls[1]; open < spoor_call_stack->top; open++)
		if (open->frame || open > &spoor_call_stack->calls[1])
			box_fail("library call %ld is still open", (long)(open - spoor_call_stack->calls));
}
