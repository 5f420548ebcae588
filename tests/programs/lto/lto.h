/* SPDX-License-Identifier: MIT */
/*
 * lto.h - a program of several units and a library. Each function counts its calls
 * under the name that a trace must have for it.
 */
#include <stdlib.h>

#define OWN __attribute__((noinline))

#ifdef __cplusplus
extern "C" {
#endif

struct tally {
	const char *name;
	unsigned long calls;
	struct tally *next;
};
extern struct tally *tallies;

/* The functions that units use of each other. */
int alpha(int x);
int beta(int x);
int fill_one(int *values, int x);
int compare_both(const void *left, const void *right);
int library_sum(const int *values, int count);

#ifdef __cplusplus
}
#endif

#define COUNT(shown)                                  \
	static struct tally tally_ = { shown, 0, 0 }; \
	if (!tally_.calls++) {                        \
		tally_.next = tallies;                \
		tallies = &tally_;                    \
	}
