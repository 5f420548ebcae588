// SPDX-License-Identifier: MIT
// viewed.cc - many short calls at many depths in several threads; with "throw", also exceptions.
// usage: viewed ROUNDS THREADS [throw]
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#define KEPT __attribute__((noinline))

static bool throws;

namespace parser {
KEPT uint32_t mix(uint32_t x)
{
	asm volatile("");
	return x * 2654435761u ^ (x >> 13);
}

KEPT uint32_t next_token(uint32_t &state)
{
	return state = mix(state + 1);
}

KEPT uint32_t parse_expression(uint32_t &state, int depth)
{
	uint32_t sum = next_token(state);

	while (depth > 0 && (next_token(state) & 3) != 0)
		sum += parse_expression(state, --depth);
	return sum;
}

KEPT uint32_t parse_statement(uint32_t &state)
{
	uint32_t sum = 0;

	for (int i = 0; i < 4; i++)
		sum += parse_expression(state, 5);
	return sum;
}
}

namespace storage {
KEPT bool compare(uint32_t left, uint32_t right)
{
	asm volatile("");
	return left < right;
}

KEPT void sort_page(std::vector<uint32_t> &page)
{
	std::sort(page.begin(), page.end(), compare);
}

KEPT void insert_row(std::vector<uint32_t> &page, uint32_t row)
{
	page.push_back(row);
	if (page.size() == 64) {
		sort_page(page);
		page.clear();
	}
}

KEPT void check_row(uint32_t row)
{
	if (throws && row % 16 == 7)
		throw std::runtime_error("a bad row");
}
}

KEPT void handle_request(uint32_t &state, std::vector<uint32_t> &page)
{
	uint32_t row = parser::parse_statement(state);

	for (uint32_t i = 0; i < 8; i++)
		storage::insert_row(page, row + i * 77);
	try {
		storage::check_row(row);
	} catch (const std::exception &) {
	}
}

// Text that a browser must not interpret.
extern "C" KEPT int hostile(void) __asm__("</script><img src=x onerror=\"document.title='taken'\">&amp;'");
extern "C" int hostile(void)
{
	asm volatile("");
	return 1;
}

KEPT void work(uint32_t seed, int rounds)
{
	std::vector<uint32_t> page;

	for (int i = 0; i < rounds; i++)
		handle_request(seed, page);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10, count = argc > 2 ? atoi(argv[2]) : 2;
	std::vector<std::thread> threads;

	throws = argc > 3;
	hostile();
	for (int i = 0; i < count; i++)
		threads.emplace_back(work, i + 1, rounds);
	for (auto &thread : threads)
		thread.join();
	return 0;
}
