/* SPDX-License-Identifier: MIT */
/* rank.c - the rank as Open MPI, MPICH and its kin, PMIx and Slurm tell it. */
#include "rank.h"

#include <stdlib.h>
#include <string.h>

static char rank[16];

void spoor_rank_read(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);
		size_t length = value ? strlen(value) : 0;

		if (length && length < sizeof(rank) && strspn(value, "0123456789") == length) {
			memcpy(rank, value, length + 1);
			return;
		}
	}
}

const char *spoor_rank(void)
{
	return rank;
}
