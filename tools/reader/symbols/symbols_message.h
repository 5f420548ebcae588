/* SPDX-License-Identifier: MIT */
/* symbols_message.h - writes symbols files (libspoor/format/symbols.proto). */
#ifndef SPOOR_TOOLS_SYMBOLS_MESSAGE_H
#define SPOOR_TOOLS_SYMBOLS_MESSAGE_H

#include "base/output.h"
#include "format/symbols.pb-c.h"

/*
 * symbols_message_put - writes all records of one key as a message. Successive messages form one
 * message.
 *
 * If memory runs out, @out's error is set.
 */
void symbols_message_put(struct output *out, uint64_t key, Spoor__FunctionInfo **infos, size_t count);

#endif
