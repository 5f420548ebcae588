/* SPDX-License-Identifier: MIT */
/* breakpoint.h - the breakpoint instruction of the machine, and the state of a thread that reached it. */
#ifndef SPOOR_BREAKPOINT_H
#define SPOOR_BREAKPOINT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/operand_value.h"

#include SPOOR_BREAKPOINT_HEADER

#endif
