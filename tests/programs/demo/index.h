/* SPDX-License-Identifier: MIT */
/*
 * index.h - what the plug-in index.so offers: which words stand in which
 * files, and which of them tell most about the whole.
 *
 * The plug-in exports one function, index_plugin. An index belongs to one
 * thread at a time.
 */
#ifndef INDEX_H
#define INDEX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct word_index;

struct ranked_word {
	const char *word;	/* lives as long as the index */
	uint64_t uses;
	unsigned int files;
	double score;
};

struct index_plugin {
	/* Null without memory. */
	struct word_index *(*create)(void);
	void (*destroy)(struct word_index *index);
	/* 0, or -1 for a word that is no use in an index: it is too long. */
	int (*add)(struct word_index *index, unsigned int file, const char *word, size_t length);
	/* Moves all that @from holds into @into. */
	void (*merge)(struct word_index *into, struct word_index *from);
	/* The best words first; returns how many there are, @count at most. */
	size_t (*best)(const struct word_index *index, unsigned int files,
		       struct ranked_word *words, size_t count);
};

typedef const struct index_plugin *index_plugin_function(void);

#ifdef __cplusplus
}
#endif

#endif
