/* SPDX-License-Identifier: MIT */
/* quarter_x86_64.h - the length of a quarter: 0.5 s at 2 GHz, 0.2 s at 5 GHz. Included by assembly too. */
#define SPOOR_QUARTER_SHIFT 30
