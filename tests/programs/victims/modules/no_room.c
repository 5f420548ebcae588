/* SPDX-License-Identifier: MIT */
/*
 * no_room.c - registers a library of a million functions, as the stub does, while the
 * process may not allocate more memory.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "format/registration.h"

#define FUNCTIONS 1000000

extern void spoor_dso_register(struct spoor_dso *dso) __attribute__((weak));

static const struct spoor_sled sleds[FUNCTIONS] = { { .version = 2 } };
static const struct spoor_function functions[FUNCTIONS] = { { .size = 1 } };
static void *slots[SPOOR_SLOT_COUNT];
static struct spoor_dso dso = {
	.size = sizeof(dso),
	.version = SPOOR_DSO_VERSION,
	.sleds_begin = sleds,
	.sleds_end = sleds + FUNCTIONS,
	.functions_begin = functions,
	.functions_end = functions + FUNCTIONS,
	.slots = slots,
};

__attribute__((constructor)) static void begin(void)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	struct rlimit before, tight;
	unsigned long pages = 0;

	if (!statm || fscanf(statm, "%lu", &pages) != 1 || !spoor_dso_register)
		return;
	fclose(statm);
	getrlimit(RLIMIT_AS, &before);
	tight = before;
	tight.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (1 << 20);
	setrlimit(RLIMIT_AS, &tight);
	spoor_dso_register(&dso);
	setrlimit(RLIMIT_AS, &before);
}

__attribute__((destructor)) static void end(void)
{
	if (dso.unregister)
		dso.unregister(&dso);
}
