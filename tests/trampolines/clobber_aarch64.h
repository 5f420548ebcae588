/* SPDX-License-Identifier: MIT */
/* clobber_aarch64.h - the handlers for AArch64, named for the registers that they change. */
#ifndef CLOBBER_AARCH64_H
#define CLOBBER_AARCH64_H

#include <stdint.h>
#include <sys/auxv.h>

void clobber_simd(uint64_t function_id, int event);
void clobber_sve(uint64_t function_id, int event);

/* Returns the handler that changes all registers of this machine. */
static inline void (*clobber_all(void))(uint64_t, int)
{
	return getauxval(AT_HWCAP) & HWCAP_SVE ? clobber_sve : clobber_simd;
}

#endif
