/* SPDX-License-Identifier: MIT */
/* event_words.c - the variables that events read and code above the event path stores. */
#include "base/large.h"
#include "event/event_path.h"

uint64_t spoor_function_ids[(SPOOR_INDEX_MAX >> SPOOR_ID_CHUNK_SHIFT) + 1] SPOOR_LARGE;

void (*spoor_any_handler)(uint64_t function_id, int event);
void (*spoor_bare_handler)(uint64_t function_id, int event);
void (*spoor_saving_handler)(uint64_t function_id, int event);
uint64_t spoor_handler_unreported;
__thread char spoor_in_handler __attribute__((tls_model("initial-exec")));

uint32_t spoor_roots_waiting;

struct spoor_order_header *spoor_order;
uint64_t *spoor_order_seen;
