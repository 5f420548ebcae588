/* SPDX-License-Identifier: MIT */
/*
 * inner_ids.h - translates the thread IDs of a process in another PID name space. The process writes
 * its own IDs into the trace, and the drainer records our IDs for them (SPOOR_BLOCK_OUTSIDE).
 *
 * A thread that has ended before its first slice is looked at keeps its own ID. Only the drainer's
 * thread calls these functions.
 */
#ifndef SPOOR_TOOLS_INNER_IDS_H
#define SPOOR_TOOLS_INNER_IDS_H

#include <sys/types.h>

#include "drain/drain.h"

struct inner_ids;

/* inner_ids_begin - *@ids is null if the IDs are the same. Returns 0 or -ENOMEM. */
int inner_ids_begin(struct inner_ids **ids, pid_t process_id, struct spoor_drain *drain);
void inner_ids_end(struct inner_ids *ids);

/* Called before a slice is written: looks up the slice's thread if it is new. */
void inner_ids_slice(struct inner_ids *ids, uint32_t slice);

/* Called between runs: looks for new threads, and writes the IDs that were not written yet. */
void inner_ids_note(struct inner_ids *ids);

#endif
