/* SPDX-License-Identifier: MIT */
/* gcc_sleds.h - gives a function its sleds. */
#ifndef SPOOR_GCC_SLEDS_H
#define SPOOR_GCC_SLEDS_H

#include "pass/gcc/gcc_headers.h"

/* For RTL that no later pass moves or copies, before GCC computes the lengths of branches. */
opt_pass *gcc_sleds_pass(void);

#endif
