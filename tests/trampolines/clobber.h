/* SPDX-License-Identifier: MIT */
/* clobber.h - handlers that leave nothing in any register that a C function may change. */
#ifndef CLOBBER_H
#define CLOBBER_H

#include <stdint.h>

void clobber_general(uint64_t function_id, int event);
void clobber_sse(uint64_t function_id, int event);
void clobber_avx(uint64_t function_id, int event);
void clobber_avx512(uint64_t function_id, int event);

extern uint64_t clobber_calls;	/* of all of them so far */

/* The one that uses all that the machine has. */
static inline void (*clobber_all(void))(uint64_t, int)
{
	return __builtin_cpu_supports("avx512bw") ? clobber_avx512 :
	       __builtin_cpu_supports("avx") ? clobber_avx : clobber_sse;
}

#endif
