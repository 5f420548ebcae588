/* SPDX-License-Identifier: MIT */
/* clobber_aarch64.h - those of AArch64, by what they leave nothing in. */
#ifndef CLOBBER_AARCH64_H
#define CLOBBER_AARCH64_H

#include <stdint.h>
#include <sys/auxv.h>

void clobber_simd(uint64_t function_id, int event);
void clobber_sve(uint64_t function_id, int event);

/* The one that uses all that the machine has. */
static inline void (*clobber_all(void))(uint64_t, int)
{
	return getauxval(AT_HWCAP) & HWCAP_SVE ? clobber_sve : clobber_simd;
}

#endif
