/* SPDX-License-Identifier: MIT */
/* clobber.h - handlers that change every register that a C function may change. */
#ifndef CLOBBER_H
#define CLOBBER_H

#include <stdint.h>

#include CLOBBER_HEADER

void clobber_general(uint64_t function_id, int event);

/* For SPOOR_HANDLER_SAVES_REGISTERS: changes only registers that such a handler need not save. */
void clobber_nothing(uint64_t function_id, int event);

extern uint64_t clobber_calls;	/* number of calls of all these handlers */

#endif
