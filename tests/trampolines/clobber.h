/* SPDX-License-Identifier: MIT */
/* clobber.h - handlers that leave nothing in any register that a C function may change. */
#ifndef CLOBBER_H
#define CLOBBER_H

#include <stdint.h>

#include CLOBBER_HEADER

void clobber_general(uint64_t function_id, int event);

/* For SPOOR_HANDLER_SAVES_REGISTERS: what the architecture does not make it save. */
void clobber_nothing(uint64_t function_id, int event);

extern uint64_t clobber_calls;	/* of all of them so far */

#endif
