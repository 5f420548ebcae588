/* SPDX-License-Identifier: MIT */
/* unit_id.h - computes an ID of a translation unit from its contents. */
#ifndef SPOOR_UNIT_ID_H
#define SPOOR_UNIT_ID_H

#include <llvm-c/Core.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * unit_id_note - computes the ID of a unit and notes it in the unit.
 *
 * The same source and the same options give the same ID, in any folder and on
 * any machine. Debug information does not matter if this is called before any
 * optimisation, which debug information may influence. The ID is never 0.
 */
void unit_id_note(LLVMModuleRef module);

/*
 * unit_id_take - returns the noted ID and removes the note, or computes an ID.
 * @name: if not "", used instead of the functions' contents, with the functions' names
 *        and the source's
 * @by_folder: also uses the folder of the source. For call mode, whose calls contain the ID:
 *             sleds of units with equal contents differ by their addresses
 */
uint32_t unit_id_take(LLVMModuleRef module, const char *name, bool by_folder);

#endif
