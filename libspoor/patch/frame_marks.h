/* SPDX-License-Identifier: MIT */
/* frame_marks.h - finds the functions of a module that log their frames. */
#ifndef SPOOR_FRAME_MARKS_H
#define SPOOR_FRAME_MARKS_H

#include "patch/sled_index.h"

/*
 * spoor_frame_marks_find - sets the bits of sleds->framed.
 *
 * The pass has flagged the functions with marks. Link-time optimisation may have inlined such a function,
 * with its marks, into another one: the addresses of the marks show that.
 *
 * About 3 ns per function and mark. Context: as spoor_sled_index_build, at its end.
 */
void spoor_frame_marks_find(struct spoor_sleds *sleds);

#endif
