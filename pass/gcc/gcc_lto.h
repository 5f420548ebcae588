/* SPDX-License-Identifier: MIT */
/* gcc_lto.h - a warning for objects of -flto that are linked without the plugin, whose functions then have no sleds. */
#ifndef SPOOR_PASS_GCC_LTO_H
#define SPOOR_PASS_GCC_LTO_H

/* Called when the unit begins, if it is instrumented: when it is compiled, and when the link generates code. */
void gcc_lto_begin(void);

#endif
