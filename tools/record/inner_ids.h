/* SPDX-License-Identifier: MIT */
/*
 * inner_ids.h - what the threads of a process in another name space are called here: it writes its
 * own IDs into the trace, and the drainer notes which are ours (SPOOR_BLOCK_OUTSIDE).
 *
 * A thread that has ended before its first slice is looked at keeps its own ID alone. For the
 * drainer's thread.
 */
#ifndef SPOOR_TOOLS_INNER_IDS_H
#define SPOOR_TOOLS_INNER_IDS_H

#include <sys/types.h>

#include "drain/drain.h"

struct inner_ids;

/* inner_ids_begin - *@ids is null where there is nothing to say. Return: 0 or -ENOMEM. */
int inner_ids_begin(struct inner_ids **ids, pid_t process_id, struct spoor_drain *drain);
void inner_ids_end(struct inner_ids *ids);

/* To be called before a slice is written: looks up the slice's thread if it is a new one. */
void inner_ids_slice(struct inner_ids *ids, uint32_t slice);

/* Between runs: looks for new threads, and notes what is known and was not noted. */
void inner_ids_note(struct inner_ids *ids);

#endif
