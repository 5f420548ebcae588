/* SPDX-License-Identifier: MIT */
/*
 * main.c - indexes and compresses the source files below a directory.
 *
 * An executable, two libraries, a plug-in and four threads, which take the
 * files one by one. Whatever comes out is checked another way before it is
 * printed; the exit status says whether all of it was right.
 */
#define _GNU_SOURCE
#include "compress.h"
#include "files.h"
#include "index.h"
#include "pool.h"
#include "tokenize.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEST_WORDS = 8 };

/* What one thread found; it alone writes here. */
struct tally {
	struct word_index *index;
	unsigned int file;	/* the one in work */
	struct outline outline;
	size_t long_words;
	size_t packed_length;
	bool wrong;
};

struct job_context {
	const struct files *files;
	const struct index_plugin *plugin;
	struct dictionary *dictionary;
	struct tally tallies[POOL_THREADS];
};

struct word_context {
	const struct index_plugin *plugin;
	struct tally *tally;
};

static void visit_word(void *context, const char *word, size_t length)
{
	struct word_context *c = context;

	if (c->plugin->add(c->tally->index, c->tally->file, word, length) < 0)
		c->tally->long_words++;
}

static void index_file(struct job_context *c, struct tally *tally, const struct file *file)
{
	struct word_context context = {.plugin = c->plugin, .tally = tally};
	struct outline outline = tokenize(file->text, file->length, visit_word, &context);

	tally->outline.words += outline.words;
	tally->outline.blocks += outline.blocks;
	if (outline.deepest > tally->outline.deepest)
		tally->outline.deepest = outline.deepest;
}

static void compress_file(const struct dictionary *dictionary, struct tally *tally,
			  const struct file *file)
{
	struct packed packed;
	uint8_t *text;
	size_t length;

	if (compress_pack(dictionary, file->text, file->length, &packed) < 0) {
		tally->wrong = true;
		return;
	}
	tally->packed_length += packed.length;
	if (compress_unpack(dictionary, &packed, &text, &length) < 0) {
		fprintf(stderr, "demo: %s: cannot be unpacked again\n", file->path);
		tally->wrong = true;
	} else {
		if (length != file->length || memcmp(text, file->text, length)) {
			fprintf(stderr, "demo: %s: came out different\n", file->path);
			tally->wrong = true;
		}
		compress_free(text);
	}
	compress_free(packed.bytes);
}

static void do_file(void *context, unsigned int thread, size_t job)
{
	struct job_context *c = context;
	struct tally *tally = &c->tallies[thread];

	tally->file = job;
	index_file(c, tally, &c->files->list[job]);
	compress_file(c->dictionary, tally, &c->files->list[job]);
}

/* Adds all threads' tallies to the first one. */
static void merge_tallies(struct job_context *c)
{
	struct tally *all = &c->tallies[0];

	for (unsigned int i = 1; i < POOL_THREADS; i++) {
		const struct tally *one = &c->tallies[i];

		c->plugin->merge(all->index, one->index);
		all->outline.words += one->outline.words;
		all->outline.blocks += one->outline.blocks;
		if (one->outline.deepest > all->outline.deepest)
			all->outline.deepest = one->outline.deepest;
		all->long_words += one->long_words;
		all->packed_length += one->packed_length;
		all->wrong |= one->wrong;
	}
}

/* Counts a word the slow way, without the tokenizer and without the index. */
static size_t count_word(const struct files *files, const char *word)
{
	size_t length = strlen(word), uses = 0;

	for (size_t i = 0; i < files->count; i++) {
		const char *begin = files->list[i].text, *end = begin + files->list[i].length;

		for (const char *p = begin; (p = memmem(p, end - p, word, length)); p++) {
			bool starts = p == begin || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
			bool ends = p + length == end ||
				    !(isalnum((unsigned char)p[length]) || p[length] == '_');

			uses += starts && ends;
		}
	}
	return uses;
}

static bool print_result(const struct job_context *c)
{
	const struct tally *all = &c->tallies[0];
	struct ranked_word words[BEST_WORDS];
	size_t count = c->plugin->best(all->index, c->files->count, words, BEST_WORDS);
	size_t length = 0;
	bool right = !all->wrong;

	for (size_t i = 0; i < c->files->count; i++)
		length += c->files->list[i].length;
	printf("%zu files, %zu bytes, packed to %zu (%.0f %%)\n", c->files->count, length,
	       all->packed_length, length ? 100.0 * all->packed_length / length : 100);
	printf("%zu words, %zu too long for the index, %zu blocks, nested %u deep\n",
	       all->outline.words, all->long_words, all->outline.blocks, all->outline.deepest);
	for (size_t i = 0; i < count; i++) {
		size_t uses = count_word(c->files, words[i].word);

		printf("%8zu uses in %3u files  %s\n", uses, words[i].files, words[i].word);
		if (uses == words[i].uses)
			continue;
		fprintf(stderr, "demo: %s: %zu uses in the files, %zu in the index\n",
			words[i].word, uses, (size_t)words[i].uses);
		right = false;
	}
	puts(right ? "all checks passed" : "some checks failed");
	return right;
}

static const struct index_plugin *load_plugin(void)
{
	void *library = dlopen("index.so", RTLD_NOW | RTLD_LOCAL);
	index_plugin_function *function = NULL;

	if (library)
		function = (index_plugin_function *)dlsym(library, "index_plugin");
	if (!function)
		fprintf(stderr, "demo: %s\n", dlerror());
	return function ? function() : NULL;
}

/* The longest file is taken for what is typical of all. */
static struct dictionary *make_dictionary(const struct files *files)
{
	const struct file *longest = &files->list[0];

	for (size_t i = 1; i < files->count; i++)
		if (files->list[i].length > longest->length)
			longest = &files->list[i];
	return compress_dictionary_new(longest->text, longest->length);
}

static bool work(const struct files *files, const struct index_plugin *plugin)
{
	struct job_context c = {.files = files, .plugin = plugin};
	bool right = false, created;
	int error = -ENOMEM;

	c.dictionary = make_dictionary(files);
	created = c.dictionary != NULL;
	for (unsigned int i = 0; i < POOL_THREADS; i++)
		created &= (c.tallies[i].index = plugin->create()) != NULL;
	if (created)
		error = pool_run(do_file, &c, files->count);
	if (error) {
		fprintf(stderr, "demo: cannot start: %s\n", strerror(-error));
	} else {
		merge_tallies(&c);
		right = print_result(&c);
	}
	for (unsigned int i = 0; i < POOL_THREADS; i++)
		plugin->destroy(c.tallies[i].index);
	compress_dictionary_free(c.dictionary);
	return right;
}

int main(int argc, char *argv[])
{
	const struct index_plugin *plugin;
	struct files files;
	char *failed;
	int error, status = 1;

	if (argc != 2) {
		fprintf(stderr, "usage: demo DIRECTORY\n");
		return 2;
	}
	error = files_read(&files, argv[1], &failed);
	if (error)
		fprintf(stderr, "demo: %s: %s\n", failed ? failed : argv[1], strerror(-error));
	else if (!files.count)
		fprintf(stderr, "demo: %s: no source files there\n", argv[1]);
	else if ((plugin = load_plugin()) && work(&files, plugin))
		status = 0;
	free(failed);
	files_free(&files);
	return status;
}
