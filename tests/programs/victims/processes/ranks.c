/* SPDX-License-Identifier: MIT */
/* ranks.c - each rank makes as many calls as its number, and runs a collective in between. */
#include <mpi.h>
#include <stdio.h>

#include "../common/work.h"

TRACED void leaf(void)
{
	KEEP;
}

TRACED int step(int rank)
{
	int sum = 0;

	for (int i = 0; i <= rank; i++)
		leaf();
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

int main(int argc, char **argv)
{
	int rank, count, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	for (int i = 0; i < 100; i++)
		sum += step(rank);
	MPI_Finalize();
	if (rank == 0)
		printf("%d ranks, %d\n", count, sum);
	return 0;
}
