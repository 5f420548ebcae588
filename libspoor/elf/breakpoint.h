/* SPDX-License-Identifier: MIT */
/* breakpoint.h - a machine's breakpoint instruction, and what a thread was when it met one. */
#ifndef SPOOR_BREAKPOINT_H
#define SPOOR_BREAKPOINT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/operand_value.h"

#include SPOOR_BREAKPOINT_HEADER

#endif
