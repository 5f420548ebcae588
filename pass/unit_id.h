/* SPDX-License-Identifier: MIT */
/* unit_id.h - a name for a translation unit that follows from what is in it. */
#ifndef SPOOR_UNIT_ID_H
#define SPOOR_UNIT_ID_H

#include <llvm-c/Core.h>

#include <stdint.h>

/*
 * unit_id_compute - hashes the code and the constants of a unit, before sleds.
 *
 * The same source and the same options give the same ID, in any folder and on
 * any machine; debug information does not matter. Never 0.
 */
uint32_t unit_id_compute(LLVMModuleRef module);

#endif
