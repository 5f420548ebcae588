/* SPDX-License-Identifier: MIT */
/* rank.c - reads rank and job from the environment variables of Open MPI, MPICH, PMIx and Slurm. */
#include "base/rank.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static char rank[16];

static void read_rank(void)
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

/* Returns an FNV-1a hash of the variables that identify the job. Slurm identifies a job by two of them. */
uint64_t spoor_rank_session(void)
{
	static const char *const names[] = { "OMPI_MCA_orte_precondition_transports", "PMIX_NAMESPACE", "SLURM_JOB_ID",
					     "SLURM_STEP_ID" };
	uint64_t hash = 0xcbf29ce484222325;
	bool found = false;

	read_rank();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && rank[0]; i++) {
		const char *value = getenv(names[i]);

		for (; value && *value; value++) {
			hash = (hash ^ (uint8_t)*value) * 0x100000001b3;
			found = true;
		}
	}
	return found ? hash : 0;
}
