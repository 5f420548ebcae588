// SPDX-License-Identifier: MIT
// allocates.cc - threads, containers, exceptions, streams, forks, and a library that
// is opened and closed: everything that allocates memory, with every function traced.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static long work(int number)
{
	std::map<std::string, std::vector<int>> lists;
	long sum = 0;

	for (int i = 0; i < 200; i++) {
		lists[std::to_string(i % 17)].push_back(number + i);
		try {
			if (i % 50 == 0)
				throw std::runtime_error("fifty " + std::to_string(i));
		} catch (const std::exception &error) {
			sum += error.what()[0];
		}
	}
	for (auto &list : lists)
		for (int value : list.second)
			sum += value;
	return sum;
}

int main(int argc, char **argv)
{
	std::vector<long> sums(16 * 20);
	long sum = 0;

	for (int round = 0; round < 20; round++) {
		std::vector<std::thread> threads;

		for (int i = 0; i < 16; i++)
			threads.emplace_back([&sums, round, i] { sums[round * 16 + i] = work(round + i); });
		if (round % 5 == 0) {
			pid_t child = fork();

			if (child == 0)
				exit(work(round) == 0);
			int status = 1;
			waitpid(child, &status, 0);
			if (status)
				abort();
		}
		if (argc > 1) {
			void *library = dlopen(argv[1], RTLD_NOW);

			if (!library)
				abort();
			dlclose(library);
		}
		for (auto &thread : threads)
			thread.join();
	}
	for (long one : sums)
		sum += one;
	printf("%ld\n", sum);
	return 0;
}
