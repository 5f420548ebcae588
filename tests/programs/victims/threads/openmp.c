/* SPDX-License-Identifier: MIT */
/* openmp.c - four threads share 4,000 calls, twice, and each makes one call more. */
#include <stdio.h>

#include "../common/work.h"

TRACED void leaf(void)
{
	KEEP;
}

TRACED void own(void)
{
	leaf();
}

int main(void)
{
	int sum = 0;

	for (int round = 0; round < 2; round++) {
#pragma omp parallel for num_threads(4) reduction(+ : sum) schedule(static)
		for (int i = 0; i < 4000; i++) {
			leaf();
			sum += i;
		}
	}
#pragma omp parallel num_threads(4)
	own();
	printf("%d\n", sum);
	return 0;
}
