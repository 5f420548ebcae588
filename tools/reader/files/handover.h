/* SPDX-License-Identifier: MIT */
/*
 * handover.h - numbered slots that one thread fills and another one empties, in order.
 *
 * Whose a slot is at the moment is all that is kept here; what is in it is the two threads' own.
 * Who has waited goes on when half of the slots are there for it, so that two threads of
 * about the same speed do not wake each other for every slot.
 *
 * Invariants
 *   I1  slots [first, first + filled), counted around, are the emptier's, the others the filler's.
 *   I2  what the filler has done before handover_filled the emptier sees after handover_take, and
 *       what that has done before handover_taken the filler sees after handover_fill.
 *
 * [F] is for the filler alone, [E] for the emptier alone; the two may run at the same time.
 */
#ifndef SPOOR_READER_HANDOVER_H
#define SPOOR_READER_HANDOVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct handover {
	pthread_mutex_t lock;
	pthread_cond_t may_fill, may_take;
	size_t slots, first, filled;
	bool ended;		/* nothing follows what is filled */
	bool stopped;		/* nothing more is wanted */
};

void handover_begin(struct handover *handover, size_t slots);
void handover_free(struct handover *handover);

/* [F] The slot to be filled next, which may take until one is empty; negative: handover_stop. */
long handover_fill(struct handover *handover);
void handover_filled(struct handover *handover);

/* [F] Nothing follows. */
void handover_fill_end(struct handover *handover);

/* [E] The slot to be emptied next, which may take until one is filled; negative: there is none left. */
long handover_take(struct handover *handover);
void handover_taken(struct handover *handover);

/* [E] Nothing more is wanted. */
void handover_stop(struct handover *handover);

#endif
