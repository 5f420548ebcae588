/* SPDX-License-Identifier: MIT */
/* test_parallel_output.c - items and texts are written in their order, whichever worker formats them. */
#include "base/parallel_output.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/support/unit.h"

static struct output out;
static struct formatting formatting;
static FILE *file;
static char *expected;
static size_t expected_bytes;
static FILE *expects;
static int mark;		/* the context that items are formatted with */

struct item {
	int number, length;
};

static void write_item(FILE *to, int number, int length)
{
	fprintf(to, "%d %d %.*s\n", mark, number, length, "................................................................"
		"................................................................................................................"
		"................................................................................................................");
}

static void format(const void *context, const void *items, size_t count, struct output *to)
{
	for (const struct item *item = items, *end = item + count; item < end; item++) {
		char line[512];
		FILE *text = fmemopen(line, sizeof(line), "w");

		ck_assert_ptr_eq(context, &mark);
		write_item(text, item->number, item->length);
		fclose(text);
		output_put(to, line, strlen(line));
	}
}

static void begin(void)
{
	file = tmpfile();
	out = (struct output){ .fd = fileno(file), .buffer = malloc(OUTPUT_BYTES) };
	output_numbers_begin();
	expects = open_memstream(&expected, &expected_bytes);
	mark = 0;
	output_string(&out, "first\n");
	fputs("first\n", expects);
	formatting_begin(&formatting, &out, sizeof(struct item), format, &mark);
}

static void add(int number, int length)
{
	*(struct item *)formatting_item(&formatting, &out) = (struct item){ number, length };
	write_item(expects, number, length);
}

static void put(const char *text)
{
	output_put(&out, text, strlen(text));
	fputs(text, expects);
}

static void end(void)
{
	char *written;

	formatting_end(&formatting);
	output_flush(&out);
	fclose(expects);
	ck_assert_int_eq(out.error, 0);
	ck_assert_uint_eq(out.written, expected_bytes);
	written = malloc(expected_bytes);
	ck_assert_uint_eq(pread(out.fd, written, expected_bytes, 0), expected_bytes);
	ck_assert(memcmp(written, expected, expected_bytes) == 0);
	free(written);
	free(expected);
	free(out.buffer);
	fclose(file);
}

static void jobs(const char *count)
{
	setenv("SPOOR_JOBS", count, 1);
}

START_TEST(one_processor_uses_no_workers)
{
	jobs("1");
	begin();
	ck_assert(!formatting_is_on(&formatting));
	formatting_finish(&formatting);
	put("nothing else\n");
	end();
}
END_TEST

static void many_items(void)
{
	begin();
	ck_assert(formatting_is_on(&formatting));
	for (int i = 0; i < 100000; i++)
		add(i, i % 7);
	end();
}

START_TEST(many_items_are_in_order)
{
	jobs("2");
	many_items();
}
END_TEST

START_TEST(many_items_are_in_order_with_more_workers)
{
	jobs("8");
	many_items();
}
END_TEST

START_TEST(texts_stay_between_items)
{
	char *large = malloc(3 * OUTPUT_BYTES + 1);

	memset(large, 'x', 3 * OUTPUT_BYTES);
	large[3 * OUTPUT_BYTES] = '\0';
	jobs("2");
	begin();
	srandom(1);
	for (int i = 0; i < 30000; i++) {
		add(i, 3);
		if (random() % (i < 15000 ? 100 : 3) == 0)
			put("text\n");
		if (random() % 3000 == 0)
			put(large);
		if (random() % 5000 == 0) {
			put(large);
			put(large);
		}
	}
	put("last\n");
	end();
	free(large);
}
END_TEST

/* An item is longer than the output's buffer. */
START_TEST(long_items_are_whole)
{
	jobs("2");
	begin();
	for (int i = 0; i < 10000; i++)
		add(i, 285);
	end();
}
END_TEST

START_TEST(items_may_change_after_they_are_finished)
{
	jobs("2");
	begin();
	for (int i = 0; i < 20000; i++) {
		if (i % 3777 == 0) {
			formatting_finish(&formatting);
			ck_assert_uint_eq(out.used, 0);
			mark++;
		}
		add(i, 1);
	}
	end();
}
END_TEST

START_TEST(a_closed_pipe_is_an_error_and_no_hang)
{
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(ends), 0);
	close(ends[0]);
	jobs("2");
	begin();
	fclose(file);
	out.fd = ends[1];
	for (int i = 0; i < 100000; i++)
		*(struct item *)formatting_item(&formatting, &out) = (struct item){ i, 1 };
	formatting_end(&formatting);
	ck_assert_int_eq(out.error, -EPIPE);
	free(out.buffer);
}
END_TEST

UNIT_MAIN("formatting", one_processor_uses_no_workers, many_items_are_in_order,
	  many_items_are_in_order_with_more_workers, texts_stay_between_items, long_items_are_whole,
	  items_may_change_after_they_are_finished, a_closed_pipe_is_an_error_and_no_hang)
