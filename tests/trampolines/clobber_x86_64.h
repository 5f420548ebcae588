/* SPDX-License-Identifier: MIT */
/* clobber_x86_64.h - the handlers for x86-64, named for the registers that they change. */
#ifndef CLOBBER_X86_64_H
#define CLOBBER_X86_64_H

#include <stdint.h>

void clobber_sse(uint64_t function_id, int event);
void clobber_avx(uint64_t function_id, int event);
void clobber_avx512(uint64_t function_id, int event);

/* Returns the handler that changes all registers of this machine. */
static inline void (*clobber_all(void))(uint64_t, int)
{
	return __builtin_cpu_supports("avx512bw") ? clobber_avx512 :
	       __builtin_cpu_supports("avx") ? clobber_avx : clobber_sse;
}

#endif
