/* SPDX-License-Identifier: MIT */
/*
 * box_library.h - logs library calls through the real stubs: box_log(BOX_LIBRARY + way, flags).
 *
 * The function that the stub calls checks its arguments, and the caller its results.
 */
#ifndef BOX_LIBRARY_H
#define BOX_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

enum box_library_way {
	BOX_LIBRARY_PLAIN,	/* no stack arguments */
	BOX_LIBRARY_EVEN,	/* four stack arguments */
	BOX_LIBRARY_ODD,	/* five */
	BOX_LIBRARY_PRINTF,	/* as many as the format says: five */
	BOX_LIBRARY_UNTIMED,	/* the stub jumps to the function */
	BOX_LIBRARY_FOLLOWED,	/* modules are followed after the call */
	BOX_LIBRARY_FORKED,	/* returns 0, as fork in a child, and has no exit */
	BOX_LIBRARY_DORMANT,	/* the stub of a function that is not chosen: no events */
	BOX_LIBRARY_LEAVES,	/* longjmp, and the next call looks for calls that were left */
	BOX_LIBRARY_AFTER_LEFT,	/* a call after a longjmp */
	BOX_LIBRARY_LEFT_WITHIN,	/* calls another library function, which is left */
	BOX_LIBRARY_WAYS,
	BOX_LIBRARY_LEFT = BOX_LIBRARY_WAYS,	/* leaves by siglongjmp to box_library_target */
};

/* Logs a call. @mixed: as in box_log. Returns the index of its entry, or of the next event. */
uint32_t box_library_log(uint32_t way, uint32_t mixed, uint64_t flags);

/* The value that a captured event with this code has; 0: it is not an event of a library call. */
uint64_t box_library_value(uint32_t code);

/* Forgets all open calls of the thread. */
void box_library_reset(void);

/* Ends the test unless all calls of the thread are closed, except for one that was left before its frame was stored. */
void box_library_verify_closed(void);

#endif
