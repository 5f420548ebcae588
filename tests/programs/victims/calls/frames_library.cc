// SPDX-License-Identifier: MIT
// frames_library.cc - a library that exceptions pass through or are caught in. PLAIN
// is the twin without sleds, which prints nothing.
#include "frames.h"

#ifdef PLAIN
#define NAME(name) plain_##name
#define ENTER(name) 0
#define LEAVE(own) (void)(own)
#define HERE(own) (void)(own)
#else
#define NAME(name) library_##name
#define ENTER(name) book_enter("library_" name)
#define LEAVE(own) book_leave(own)
#define HERE(own) book_here(own)
#endif

extern "C" TRACED void NAME(calls)(callback *function, int argument)
{
	int own = ENTER("calls");

	function(argument);
	LEAVE(own);
}

extern "C" TRACED int NAME(catches)(callback *function, int argument)
{
	int own = ENTER("catches"), caught = 0;

	try {
		function(argument);
	} catch (...) {
		HERE(own);
		caught = 1;
	}
	LEAVE(own);
	return caught;
}
