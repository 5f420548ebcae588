/* SPDX-License-Identifier: MIT */
/*
 * pieces.h - walks one traced thread in pieces at the same time.
 *
 * Each worker takes the next piece, which is a few slices, unpacks it, computes its effect on the open
 * calls (run_effect.h), and waits for its turn. Turns have the order of the pieces. The main tree,
 * which contains all earlier pieces, passes from one turn to the next.
 *
 * Most pieces have a plain effect. The worker applies it to the main tree at once and ends its turn.
 * Then it walks the piece with a copy of the tree, into its own part. A piece without a plain effect
 * is walked by the main tree during the turn, while no other worker has a turn.
 *
 * Invariants
 *   I1  During a turn, the worker owns the main tree, its events and its part.
 *   I2  The reports of the pieces, in order, are equal to the reports of one walk.
 */
#ifndef SPOOR_TOOLS_WALK_PIECES_H
#define SPOOR_TOOLS_WALK_PIECES_H

#include "walk/walk.h"

/* Returns whether threads of the process can be walked in pieces. */
bool walk_pieces_are_possible(const struct walk *walk, const struct walk_sink *sink, const struct walk_process *process);

/*
 * walk_pieces - the same as walk_thread, for sinks that support pieces.
 *
 * Returns 0 or a negative errno; -ENOTSUP: did nothing, because walk_thread is better.
 */
int walk_pieces(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
		const struct thread_slices *thread, struct thread_events *events);

#endif
