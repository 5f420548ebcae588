/* SPDX-License-Identifier: MIT */
/* unit_id.h - a name for a translation unit that follows from what is in it. */
#ifndef SPOOR_UNIT_ID_H
#define SPOOR_UNIT_ID_H

#include <llvm-c/Core.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * unit_id_note - computes the ID of a unit and notes it in the unit.
 *
 * The same source and the same options give the same ID, in any folder and on
 * any machine; debug information does not matter, if this is called before any
 * optimisation, which it may lead another way. Never 0.
 */
void unit_id_note(LLVMModuleRef module);

/*
 * unit_id_take - the ID that was noted, and then no longer is, or a fresh one.
 * @name: what to make it of in place of what the unit's functions do, with their
 *        names and that of the source; "" for none
 * @by_folder: of the folder that the source lies in as well, for calls, which carry
 *             the ID: sleds of units with one content are told apart by where they are
 */
uint32_t unit_id_take(LLVMModuleRef module, const char *name, bool by_folder);

#endif
