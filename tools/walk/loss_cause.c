/* SPDX-License-Identifier: MIT */
/* loss_cause.c - describes the causes of lost events in words. */
#include "walk/loss_cause.h"
#include "format/trace_format.h"

const char *loss_cause_text(uint32_t cause)
{
	static const char *const texts[SPOOR_LOSS_COUNT] = {
		[SPOOR_LOSS_POOL_EXHAUSTED] = "the pool was exhausted",
		[SPOOR_LOSS_NO_THREAD] = "a thread could not be set up",
		[SPOOR_LOSS_HOLE] = "reserved and not stored",
		[SPOOR_LOSS_WRITE] = "writing failed",
		[SPOOR_LOSS_LIMIT] = "beyond --max-size",
		[SPOOR_LOSS_CLEARED] = "cleared by the program",
		[SPOOR_LOSS_THREAD_FULL] = "too many events of the thread waited for the disk",
	};

	return cause < SPOOR_LOSS_COUNT ? texts[cause] : "for an unknown reason";
}
