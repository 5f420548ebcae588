/* SPDX-License-Identifier: MIT */
/* frame_marks.h - the functions of a module that log their frames. */
#ifndef SPOOR_FRAMED_H
#define SPOOR_FRAMED_H

#include "patch/sled_index.h"

/*
 * spoor_frame_marks_find - sets the bits of sleds->framed.
 *
 * The pass has flagged functions with marks. Link-time optimisation may have put
 * one of them, with its marks, into another function: the marks say where they are.
 *
 * About 3 ns a function and mark. Context: as spoor_sled_index_build, at its end.
 */
void spoor_frame_marks_find(struct spoor_sleds *sleds);

#endif
