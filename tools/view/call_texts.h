/* SPDX-License-Identifier: MIT */
/*
 * call_texts.h - keeps the arguments and results of calls as texts, until they are written to chunks.
 *
 * The texts of a call are its number of values, then the name and the text of each value, as view_bytes_text writes
 * them; in the memory their length is before the names. The memory is limited to the size of the page: later calls are stored without
 * their values, and the page says so.
 */
#ifndef SPOOR_TOOLS_VIEW_CALL_TEXTS_H
#define SPOOR_TOOLS_VIEW_CALL_TEXTS_H

#include "reader/events/call_tree.h"
#include "view/view.h"

/* Returns the place of the texts + 1; or 0 if the call has no values, or the memory is used up. */
uint64_t view_call_texts_add(struct view *view, const struct call *call);

/* Appends the texts at @place to a column. */
void view_call_texts_put(struct view_bytes *column, const struct view_bytes *texts, uint64_t place);

#endif
