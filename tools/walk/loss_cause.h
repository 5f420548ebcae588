/* SPDX-License-Identifier: MIT */
/* loss_cause.h - why events were lost, in words. */
#ifndef SPOOR_TOOLS_LOSS_CAUSE_H
#define SPOOR_TOOLS_LOSS_CAUSE_H

#include <stdint.h>

/* What an enum spoor_loss_cause means, in a few words. */
const char *loss_cause_text(uint32_t cause);

#endif
