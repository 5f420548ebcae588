/* SPDX-License-Identifier: MIT */
/* start_asleep.h - adds a note to a program that makes it start untraced. */
#ifndef SPOOR_START_ASLEEP_H
#define SPOOR_START_ASLEEP_H

#include <llvm-c/Core.h>

#include <stdint.h>

/*
 * start_asleep_note - adds the ELF note SPOOR_NOTE_ASLEEP to the unit that defines main.
 * @what: enum spoor_asleep; 0 adds no note
 *
 * Returns 0, or -ENOMEM.
 */
int start_asleep_note(LLVMModuleRef module, uint32_t what);

#endif
