/* SPDX-License-Identifier: MIT */
/* quarter_aarch64.h - at 25 MHz to 1 GHz: 2.7 seconds to 67 ms. Included by assembly too. */
#define SPOOR_QUARTER_SHIFT 26
