/* SPDX-License-Identifier: MIT */
/*
 * pieces.h - one traced thread in pieces that are walked at the same time.
 *
 * Each of some workers takes the next piece, a few slices; unpacks it; finds what it does to the calls that
 * are open before it (run_effect.h); and waits for its turn. Turns come in the order of pieces, and the
 * tree of all pieces before goes from one to the next. With most pieces that tree has the effect at once, the turn
 * is the next one's, and the piece is walked, by a tree that begins with a copy, into the worker's own part.
 * With what is not plain the piece is walked by the tree itself: nobody else's turn comes meanwhile.
 *
 * Invariants
 *   I1  while it is somebody's turn, the tree of all, its events and its part are that worker's.
 *   I2  what is told of the pieces, in their order, is what one walk tells.
 */
#ifndef SPOOR_TOOLS_WALK_PIECES_H
#define SPOOR_TOOLS_WALK_PIECES_H

#include "walk/walk.h"

/* Whether threads of the process can be walked so. */
bool walk_pieces_are_possible(const struct walk *walk, const struct walk_sink *sink, const struct walk_process *process);

/*
 * walk_pieces - as walk_thread, for sinks that have pieces.
 *
 * Return: 0 or a negative errno; -ENOTSUP: nothing was done, walk_thread is better.
 */
int walk_pieces(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
		const struct thread_slices *thread, struct thread_events *events);

#endif
