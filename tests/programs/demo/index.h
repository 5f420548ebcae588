/* SPDX-License-Identifier: MIT */
/*
 * index.h - the interface of the plug-in index.so, which finds the words in
 * files, and the most characteristic words of all files.
 *
 * The plug-in exports one function, index_plugin. Only one thread may use an index at a
 * time.
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
	const char *word;	/* valid as long as the index */
	uint64_t uses;
	unsigned int files;
	double score;
};

struct index_plugin {
	/* Returns null if there is no memory. */
	struct word_index *(*create)(void);
	void (*destroy)(struct word_index *index);
	/* Returns 0, or -1 if the word is too long for the index. */
	int (*add)(struct word_index *index, unsigned int file, const char *word, size_t length);
	/* Moves all words of @from to @into. */
	void (*merge)(struct word_index *into, struct word_index *from);
	/* Finds the best words, best first. Returns how many there are, at most @count. */
	size_t (*best)(const struct word_index *index, unsigned int files,
		       struct ranked_word *words, size_t count);
};

typedef const struct index_plugin *index_plugin_function(void);

#ifdef __cplusplus
}
#endif

#endif
