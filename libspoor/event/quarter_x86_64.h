/* SPDX-License-Identifier: MIT */
/* quarter_x86_64.h - at 2 to 5 GHz: a fifth to half of a second. Included by assembly too. */
#define SPOOR_QUARTER_SHIFT 30
