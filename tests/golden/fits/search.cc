// SPDX-License-Identifier: MIT
// search.cc - the program of re2.tar.xz, built with Debian's re2 20220601 and spoor-c++ -O2 -g.
#include <map>
#include <string>
#include <vector>
#include "re2/re2.h"

int main()
{
	std::map<std::string, std::vector<int>> lines;
	RE2 word("(\\w+)\\s*=\\s*(\\d+)"), number("^[0-9]+$");
	const char *const texts[] = { "alpha = 1", "beta=22", "no match", "gamma = 333 # note", "42" };

	for (int round = 0; round < 3; round++) {
		for (const char *text : texts) {
			std::string name;
			int value = 0;

			if (RE2::PartialMatch(text, word, &name, &value))
				lines[name].push_back(value);
			if (RE2::FullMatch(text, number))
				lines["numbers"].push_back(round);
		}
	}
	return lines.size() == 4 ? 0 : 1;
}
