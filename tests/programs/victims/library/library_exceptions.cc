/* SPDX-License-Identifier: MIT */
/* library_exceptions.cc - exceptions pass through library functions that call back. No sleds. */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

static int compare(const void *left, const void *right)
{
	if (*static_cast<const char *>(left) == 'x')
		throw std::runtime_error("x");
	return *static_cast<const char *>(left) - *static_cast<const char *>(right);
}

static int sort(const char *text)
{
	std::string copy(text);

	try {
		qsort(&copy[0], copy.size(), 1, compare);
	} catch (const std::runtime_error &error) {
		atoi("1");
		return 1;
	}
	atoi("2");
	return 0;
}

int main()
{
	int thrown = 0;

	for (int i = 0; i < 10; i++)
		thrown += sort("xab") + sort("cab");
	std::printf("%d\n", thrown);
}
