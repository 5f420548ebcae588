/* SPDX-License-Identifier: MIT */
/*
 * main.c - indexes and compresses the source files below a directory.
 *
 * The program has an executable, two libraries, a plug-in and four threads, which share
 * the files. Each result is checked in a second way before it is printed. The exit
 * status is 0 if all results were right.
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

/* The results for one file, or for several. */
struct tally {
	struct word_index *index;
	struct outline outline;
	size_t long_words;
	size_t packed_length;
	bool wrong;
};

struct job_context {
	const struct files *files;
	const struct index_plugin *plugin;
	struct dictionary *dictionary;
	struct tally *tallies;	/* one for each file */
};

struct word_context {
	const struct index_plugin *plugin;
	struct tally *tally;
	unsigned int file;
};

static void visit_word(void *context, const char *word, size_t length)
{
	struct word_context *c = context;

	if (c->plugin->add(c->tally->index, c->file, word, length) < 0)
		c->tally->long_words++;
}

static void compress_file(const struct dictionary *dictionary, const struct file *file,
			  struct tally *tally)
{
	struct packed packed;
	uint8_t *text;
	size_t length;

	if (compress_pack(dictionary, file->text, file->length, &packed) < 0) {
		tally->wrong = true;
		return;
	}
	tally->packed_length = packed.length;
	if (compress_unpack(dictionary, &packed, &text, &length) < 0) {
		fprintf(stderr, "demo: %s: cannot be unpacked again\n", file->path);
		tally->wrong = true;
	} else {
		if (length != file->length || memcmp(text, file->text, length)) {
			fprintf(stderr, "demo: %s: differs after it was unpacked\n", file->path);
			tally->wrong = true;
		}
		compress_free(text);
	}
	compress_free(packed.bytes);
}

/* The thread that took a file owns the file's tally. */
static void do_file(void *context, size_t job)
{
	struct job_context *c = context;
	const struct file *file = &c->files->list[job];
	struct tally *tally = &c->tallies[job];
	struct word_context words = {.plugin = c->plugin, .tally = tally, .file = job};

	tally->index = c->plugin->create();
	if (!tally->index) {
		tally->wrong = true;
		return;
	}
	tally->outline = tokenize(file->text, file->length, visit_word, &words);
	compress_file(c->dictionary, file, tally);
}

static void add_tally(const struct index_plugin *plugin, struct tally *all, const struct tally *one)
{
	if (one->index)
		plugin->merge(all->index, one->index);
	all->outline.words += one->outline.words;
	all->outline.blocks += one->outline.blocks;
	if (one->outline.deepest > all->outline.deepest)
		all->outline.deepest = one->outline.deepest;
	all->long_words += one->long_words;
	all->packed_length += one->packed_length;
	all->wrong |= one->wrong;
}

/* Counts a word without the tokenizer and without the index, as a check. */
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

static bool print_result(const struct job_context *c, const struct tally *all)
{
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

/* Uses the longest file as a typical one. */
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
	struct tally all = {.index = plugin->create()};
	struct job_context c = {.files = files, .plugin = plugin};
	bool right = false;
	int error = -ENOMEM;

	c.dictionary = make_dictionary(files);
	c.tallies = calloc(files->count, sizeof(*c.tallies));
	if (all.index && c.dictionary && c.tallies)
		error = pool_run(do_file, &c, files->count);
	if (error) {
		fprintf(stderr, "demo: cannot start: %s\n", strerror(-error));
	} else {
		for (size_t i = 0; i < files->count; i++)
			add_tally(plugin, &all, &c.tallies[i]);
		right = print_result(&c, &all);
	}
	for (size_t i = 0; c.tallies && i < files->count; i++)
		plugin->destroy(c.tallies[i].index);
	plugin->destroy(all.index);
	free(c.tallies);
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
		fprintf(stderr, "demo: %s: there are no source files\n", argv[1]);
	else if ((plugin = load_plugin()) && work(&files, plugin))
		status = 0;
	free(failed);
	files_free(&files);
	return status;
}
