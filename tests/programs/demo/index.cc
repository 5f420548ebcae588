/* SPDX-License-Identifier: MIT */
/*
 * index.cc - the plug-in index.so, an index of words.
 *
 * The score of a word is tf-idf: more uses raise it, and more files with the word lower it.
 */
#include "index.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ranking {

struct Posting {
	unsigned file;
	uint64_t uses;
};

class Index {
public:
	/* Throws std::length_error if the word is too long. */
	void add(unsigned file, std::string word);
	void merge(Index &&other);
	std::vector<ranked_word> best(unsigned files, size_t count) const;

private:
	static constexpr size_t longest_word = 32;
	std::map<std::string, std::vector<Posting>> words_;
};

static void check_length(const std::string &word, size_t limit)
{
	if (word.size() > limit)
		throw std::length_error(word);
}

void Index::add(unsigned file, std::string word)
{
	check_length(word, longest_word);
	auto &postings = words_[std::move(word)];
	if (postings.empty() || postings.back().file != file)
		postings.push_back({file, 0});
	postings.back().uses++;
}

void Index::merge(Index &&other)
{
	for (auto &[word, postings] : other.words_) {
		auto &ours = words_[word];
		ours.insert(ours.end(), postings.begin(), postings.end());
	}
	other.words_.clear();
}

static ranked_word rank(const std::string &word, const std::vector<Posting> &postings,
			unsigned files)
{
	uint64_t uses = 0;

	for (const Posting &posting : postings)
		uses += posting.uses;
	double rarity = std::log(double(files + 1) / double(postings.size()));
	return {word.c_str(), uses, unsigned(postings.size()), double(uses) * rarity};
}

std::vector<ranked_word> Index::best(unsigned files, size_t count) const
{
	std::vector<ranked_word> ranked;

	for (const auto &[word, postings] : words_)
		ranked.push_back(rank(word, postings, files));
	count = std::min(count, ranked.size());
	std::partial_sort(ranked.begin(), ranked.begin() + ptrdiff_t(count), ranked.end(),
			  [](const ranked_word &a, const ranked_word &b) { return a.score > b.score; });
	ranked.resize(count);
	return ranked;
}

} // namespace ranking

struct word_index : ranking::Index {};

static word_index *create()
{
	return new (std::nothrow) word_index;
}

static void destroy(word_index *index)
{
	delete index;
}

static int add(word_index *index, unsigned file, const char *word, size_t length)
{
	try {
		index->add(file, std::string(word, length));
	} catch (const std::length_error &) {
		return -1;
	}
	return 0;
}

static void merge(word_index *into, word_index *from)
{
	into->merge(std::move(*from));
}

static size_t best(const word_index *index, unsigned files, ranked_word *words, size_t count)
{
	auto ranked = index->best(files, count);

	std::copy(ranked.begin(), ranked.end(), words);
	return ranked.size();
}

extern "C" const index_plugin *index_plugin()
{
	static const struct index_plugin plugin = {create, destroy, add, merge, best};

	return &plugin;
}
