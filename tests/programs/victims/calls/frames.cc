// SPDX-License-Identifier: MIT
// frames.cc - exceptions, longjmp, pthread_exit and cancellation leave functions:
// at every depth, rethrown, in recursions, through libraries. With an argument, a
// library without sleds catches the exceptions.
#include "frames.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

static thread_local FILE *book;
static thread_local int depth;
static pthread_key_t key;
static jmp_buf jump;
static sigjmp_buf signal_jump;

UNTRACED int book_enter(const char *name)
{
	if (!book) {
		char path[32];

		snprintf(path, sizeof(path), "book.%d", static_cast<int>(gettid()));
		book = fopen(path, "w");
	}
	fprintf(book, "%d %s\n", depth, name);
	fflush(book);
	return depth++;
}

UNTRACED void book_here(int own)
{
	depth = own + 1;
}

UNTRACED void book_leave(int own)
{
	KEEP;	// so that the call before it is no tail call
	depth = own;
}

extern "C" {

TRACED void leaf()
{
	book_leave(book_enter("leaf"));
}

// This function has no cleanup, so its frame disappears without running code.
TRACED void throws(int level)
{
	int own = book_enter("throws");

	if (level == 0)
		throw level;
	throws(level - 1);
	book_leave(own);
}

TRACED void cleans(int level);
TRACED void catches(int level);
TRACED void rethrows(int level);
TRACED void visits(int level);

} // extern "C"

namespace {

struct Cleaner {
	int own;

	TRACED ~Cleaner();
};

// Called while another function is being left.
Cleaner::~Cleaner()
{
	int mine;

	book_here(own);
	mine = book_enter("(anonymous namespace)::Cleaner::~Cleaner()");
	leaf();
	book_leave(mine);
}

} // namespace

extern "C" {

TRACED void cleans(int level)
{
	Cleaner cleaner = { book_enter("cleans") };

	if (level % 3 == 2)
		throws(level / 3);
	else
		cleans(level + 1);
	book_leave(cleaner.own);
}

TRACED void catches(int level)
{
	int own = book_enter("catches");

	try {
		throws(level);
	} catch (int) {
		book_here(own);
		leaf();
	}
	leaf();
	book_leave(own);
}

TRACED void catches_what_was_cleaned(int level)
{
	int own = book_enter("catches_what_was_cleaned");

	try {
		cleans(level);
	} catch (int) {
		book_here(own);
		leaf();
	}
	leaf();
	book_leave(own);
}

TRACED void rethrows(int level)
{
	int own = book_enter("rethrows");

	try {
		if (level)
			rethrows(level - 1);
		else
			throws(2);
	} catch (int) {
		book_here(own);
		leaf();
		throw;
	}
	book_leave(own);
}

TRACED void catches_rethrown(int level)
{
	int own = book_enter("catches_rethrown");

	try {
		rethrows(level);
	} catch (...) {
		book_here(own);
		leaf();
	}
	book_leave(own);
}

// Only one call of the recursion catches, and other calls are inside it.
TRACED void visits(int level)
{
	int own = book_enter("visits");

	if (level == 0)
		throw level;
	if (level == 3 || level == 7) {
		try {
			visits(level - 1);
		} catch (int) {
			book_here(own);
			leaf();
			if (level == 3)
				throw;
		}
	} else {
		visits(level - 1);
	}
	leaf();
	book_leave(own);
}

TRACED void catches_from_libraries(int level)
{
	int own = book_enter("catches_from_libraries");

	for (int way = 0; way < 3; way++) {
		try {
			if (way == 0)
				library_calls(throws, level);
			else if (way == 1)
				plain_calls(throws, level);
			else
				plain_calls(rethrows, level);
		} catch (int) {
			book_here(own);
			leaf();
		}
	}
	library_catches(throws, level);
	leaf();
	book_leave(own);
}

TRACED void jumps(int level)
{
	int own = book_enter("jumps");

	if (level == 0)
		longjmp(jump, 1);
	if (level == 20)
		siglongjmp(signal_jump, 7);
	jumps(level - 1);
	book_leave(own);
}

TRACED void returns_twice(int level)
{
	volatile int own = book_enter("returns_twice");

	if (setjmp(jump) == 0) {
		jumps(level);
	} else {
		book_here(own);
		leaf();
	}
	if (sigsetjmp(signal_jump, 1) == 0) {
		jumps(20 + level);
	} else {
		book_here(own);
		leaf();
	}
	book_leave(own);
}

// The jump passes calls of the same function that it ends in.
TRACED void returns_twice_outside(int level)
{
	volatile int own = book_enter("returns_twice_outside");

	if (level == 0)
		jumps(3);
	if (level == 4) {
		if (setjmp(jump) == 0)
			returns_twice_outside(level - 1);
		book_here(own);
		leaf();
	} else {
		returns_twice_outside(level - 1);
	}
	book_leave(own);
}

#ifdef INLINED
// Has a landing pad only after linking.
TRACED void catches_by_inlining(int level)
{
	int own = book_enter("catches_by_inlining");

	if (level == 0)
		throw level;
	if (level == 3)
		catches_inlined(catches_by_inlining, level - 1, own);
	else
		catches_by_inlining(level - 1);
	leaf();
	book_leave(own);
}
#endif

TRACED void ends_thread(int level)
{
	int own = book_enter("ends_thread");

	if (level == 0)
		pthread_exit(nullptr);
	ends_thread(level - 1);
	book_leave(own);
}

TRACED void ends_thread_clean(int level)
{
	Cleaner cleaner = { book_enter("ends_thread_clean") };

	if (level == 0)
		pthread_exit(nullptr);
	ends_thread_clean(level - 1);
	book_leave(cleaner.own);
}

TRACED void is_cancelled(int level)
{
	Cleaner cleaner = { book_enter("is_cancelled") };

	if (level) {
		is_cancelled(level - 1);
	} else {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
	book_leave(cleaner.own);
}

TRACED void key_ends(void *)
{
	book_here(-1);
	book_leave(book_enter("key_ends"));
}

TRACED void *thread_begins(void *way)
{
	int own = book_enter("thread_begins");

	pthread_setspecific(key, &key);
	switch (*static_cast<int *>(way) % 4) {
	case 0:
		ends_thread(*static_cast<int *>(way));
		break;
	case 1:
		ends_thread_clean(*static_cast<int *>(way));
		break;
	case 2:
		is_cancelled(*static_cast<int *>(way));
		break;
	default:
		leaf();
		break;
	}
	book_leave(own);
	return nullptr;
}

TRACED void passes_by(int level)
{
	int own = book_enter("passes_by");

	plain_catches(throws, level);
	leaf();
	book_leave(own);
}

} // extern "C"

int main(int argc, char **)
{
	int own = book_enter("main");

	if (argc > 1) {
		passes_by(2);
		book_here(own);
		leaf();
		return 0;
	}
	for (int level = 0; level < 12; level++) {
		catches(level);
		catches_what_was_cleaned(level);
		catches_rethrown(level);
		catches_from_libraries(level);
		returns_twice(level % 10);
	}
	visits(9);
	returns_twice_outside(6);
#ifdef INLINED
	catches_by_inlining(5);
#endif
	pthread_key_create(&key, key_ends);
	for (int way = 0; way < 12; way++) {
		pthread_t thread;

		pthread_create(&thread, nullptr, thread_begins, &way);
		pthread_join(thread, nullptr);
	}
	leaf();
}
