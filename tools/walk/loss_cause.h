/* SPDX-License-Identifier: MIT */
/* loss_cause.h - describes the causes of lost events in words. */
#ifndef SPOOR_TOOLS_LOSS_CAUSE_H
#define SPOOR_TOOLS_LOSS_CAUSE_H

#include <stdint.h>

/* Returns a few words for an enum spoor_loss_cause. */
const char *loss_cause_text(uint32_t cause);

#endif
