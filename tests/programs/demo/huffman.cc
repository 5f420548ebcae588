/* SPDX-License-Identifier: MIT */
/* huffman.cc - canonical Huffman codes, which are determined by their lengths. */
#include "huffman.h"

#include <algorithm>
#include <array>
#include <list>
#include <stdexcept>

namespace compress {
namespace {

constexpr unsigned symbol_count = 256;
constexpr unsigned longest_code = 32;
using Lengths = std::array<uint8_t, symbol_count>;

struct Node {
	uint64_t weight;
	unsigned symbol;	/* a leaf's symbol; for an inner node the lowest symbol below it */
	const Node *left, *right; /* null in a leaf */
};

/* A list keeps its nodes in place, because other nodes point to them. */
using Forest = std::list<Node>;
using Trees = std::vector<const Node *>;

const Node *take_lightest(Trees &trees)
{
	auto lightest = std::min_element(trees.begin(), trees.end(), [](auto a, auto b) {
		return a->weight != b->weight ? a->weight < b->weight : a->symbol < b->symbol;
	});
	const Node *tree = *lightest;

	trees.erase(lightest);
	return tree;
}

/* Returns the tree, or null if there are no bytes. */
const Node *grow_tree(Forest &forest, const Bytes &bytes)
{
	std::array<uint64_t, symbol_count> weights{};
	Trees trees;
	auto plant = [&](const Node &node) {
		forest.push_back(node);
		trees.push_back(&forest.back());
	};

	for (uint8_t byte : bytes)
		weights[byte]++;
	for (unsigned symbol = 0; symbol < symbol_count; symbol++)
		if (weights[symbol])
			plant({weights[symbol], symbol, nullptr, nullptr});
	while (trees.size() > 1) {
		const Node *left = take_lightest(trees), *right = take_lightest(trees);
		plant({left->weight + right->weight, std::min(left->symbol, right->symbol), left, right});
	}
	return trees.empty() ? nullptr : trees[0];
}

/* The depth of a leaf is the length of its code. */
void measure(const Node &node, unsigned depth, Lengths &lengths)
{
	if (!node.left) {
		lengths[node.symbol] = uint8_t(std::max(depth, 1u));
		return;
	}
	measure(*node.left, depth + 1, lengths);
	measure(*node.right, depth + 1, lengths);
}

struct Codes {
	std::array<uint32_t, symbol_count> code{};  /* the first bit of a code is the highest */
	std::array<uint32_t, longest_code + 1> first{}; /* for each length */
	std::array<uint32_t, longest_code + 1> count{};
	std::vector<uint8_t> symbols; /* sorted by length, then by value */

	explicit Codes(const Lengths &lengths)
	{
		uint64_t next = 0;

		for (unsigned length = 1; length <= longest_code; length++) {
			first[length] = uint32_t(next);
			for (unsigned symbol = 0; symbol < symbol_count; symbol++) {
				if (lengths[symbol] != length)
					continue;
				code[symbol] = uint32_t(next++);
				count[length]++;
				symbols.push_back(uint8_t(symbol));
			}
			if (next > uint64_t(1) << length)
				throw std::runtime_error("the code lengths contradict each other");
			next <<= 1;
		}
	}
};

uint32_t reversed(uint32_t code, unsigned length)
{
	uint32_t result = 0;

	for (; length; length--, code >>= 1)
		result = result << 1 | (code & 1);
	return result;
}

uint8_t decode_symbol(BitReader &reader, const Codes &codes)
{
	uint32_t code = 0;
	size_t before = 0; /* number of symbols with shorter codes */

	for (unsigned length = 1; length <= longest_code; length++) {
		code = code << 1 | reader.get();
		if (code - codes.first[length] < codes.count[length])
			return codes.symbols[before + code - codes.first[length]];
		before += codes.count[length];
	}
	throw std::runtime_error("the packed text has an unknown code");
}

} // namespace

void huffman_encode(const Bytes &bytes, Bytes &packed)
{
	Lengths lengths{};
	Forest forest;
	const Node *tree = grow_tree(forest, bytes);

	for (unsigned shift = 0; shift < 32; shift += 8)
		packed.push_back(uint8_t(bytes.size() >> shift));
	if (tree)
		measure(*tree, 0, lengths);
	packed.insert(packed.end(), lengths.begin(), lengths.end());

	Codes codes(lengths);
	BitWriter writer(packed);
	for (uint8_t byte : bytes)
		writer.put(reversed(codes.code[byte], lengths[byte]), lengths[byte]);
	writer.finish();
}

Bytes huffman_decode(const uint8_t *begin, const uint8_t *end)
{
	Lengths lengths;
	Bytes bytes;
	size_t length = 0;

	if (size_t(end - begin) < 4 + symbol_count)
		throw std::runtime_error("the packed text has no header");
	for (unsigned shift = 0; shift < 32; shift += 8)
		length |= size_t(*begin++) << shift;
	std::copy(begin, begin + symbol_count, lengths.begin());

	Codes codes(lengths);
	BitReader reader(begin + symbol_count, end);
	while (bytes.size() < length)
		bytes.push_back(decode_symbol(reader, codes));
	return bytes;
}

} // namespace compress
