/* SPDX-License-Identifier: MIT */
/* quarter_aarch64.h - the length of a quarter: 2.7 s at 25 MHz, 67 ms at 1 GHz. Included by assembly too. */
#define SPOOR_QUARTER_SHIFT 26
