/* SPDX-License-Identifier: MIT */
/* losses.h - writes a report's part about lost events: by cause, and by thread. */
#ifndef SPOOR_TOOLS_REPORT_LOSSES_H
#define SPOOR_TOOLS_REPORT_LOSSES_H

#include "base/output.h"
#include "reader/files/process.h"

#define REPORT_LOSERS_MAX 10u

struct report_losses {
	uint64_t by_cause[SPOOR_LOSS_COUNT + 1];	/* the last one: causes unknown to this version of spoor */
	struct report_loser {
		int64_t process_id;
		uint32_t thread_id;
		uint64_t events;
	} losers[REPORT_LOSERS_MAX];			/* the threads with most losses, the most first */
	uint64_t thread_count;				/* number of threads with losses */
};

/* Adds the losses of a process, in all of its threads. */
void report_losses_add(struct report_losses *losses, const struct process *process);

/* Writes nothing if no event was lost. */
void report_losses_write(const struct report_losses *losses, struct output *out);

/* Writes members of a JSON object, each after a comma. */
void report_losses_json(const struct report_losses *losses, struct output *out);

#endif
