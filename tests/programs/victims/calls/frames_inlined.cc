// SPDX-License-Identifier: MIT
// frames_inlined.cc - catches in a function that the linker inlines.
#include "frames.h"

extern "C" __attribute__((always_inline)) void catches_inlined(callback *function, int argument, int own)
{
	try {
		function(argument);
	} catch (int) {
		book_here(own);
	}
}
