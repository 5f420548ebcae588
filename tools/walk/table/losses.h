/* SPDX-License-Identifier: MIT */
/* losses.h - what a report says of events that were lost: by cause, and by thread. */
#ifndef SPOOR_TOOLS_REPORT_LOSSES_H
#define SPOOR_TOOLS_REPORT_LOSSES_H

#include "base/output.h"
#include "reader/files/process.h"

#define REPORT_LOSERS_MAX 10u

struct report_losses {
	uint64_t by_cause[SPOOR_LOSS_COUNT + 1];	/* the last: causes that this spoor does not know */
	struct report_loser {
		int64_t process_id;
		uint32_t thread_id;
		uint64_t events;
	} losers[REPORT_LOSERS_MAX];			/* those that lost most, the most first */
	uint64_t thread_count;				/* of all that lost */
};

/* Adds what a process lost, in all of its threads. */
void report_losses_add(struct report_losses *losses, const struct process *process);

/* Writes nothing where nothing was lost. */
void report_losses_write(const struct report_losses *losses, struct output *out);

/* Members of a JSON object, each with its comma in front. */
void report_losses_json(const struct report_losses *losses, struct output *out);

#endif
