/* SPDX-License-Identifier: MIT */
/* test_tree_rows.c - makes trees of callees and of callers from given call paths. */
#include <stdlib.h>
#include <string.h>

#include "tree/tree_rows.h"
#include "tests/unit/support/unit.h"

static struct stacks stacks;
static struct tree_rows rows;

static uint32_t node(uint32_t parent, const char *function, uint64_t calls, uint64_t self_ns)
{
	if (stacks.count == stacks.capacity) {
		stacks.capacity = 2 * stacks.capacity + 64;
		stacks.nodes = realloc(stacks.nodes, stacks.capacity * sizeof(*stacks.nodes));
	}
	stacks.nodes[stacks.count] = (struct stack_node){
		.parent = parent, .name = function ? name_table_add(&stacks.names, function, "lib") : 0,
		.calls = calls, .self_ns = self_ns,
	};
	return stacks.count++;
}

static void mark(const char *function)
{
	uint32_t name = name_table_add(&stacks.names, function, "lib");

	if (!stacks.marked) {
		stacks.marked_capacity = 64;
		stacks.marked = calloc(stacks.marked_capacity, sizeof(*stacks.marked));
	}
	stacks.patterns = "chosen";
	stacks.marked[name] = true;
}

static void end(void)
{
	tree_rows_free(&rows);
	stacks_free(&stacks);
}

static void make(struct tree_look look)
{
	tree_rows_free(&rows);
	ck_assert_int_eq(tree_rows_make(&rows, &stacks, &look), 0);
}

/* Asserts the next row: depth, name, calls, total and self time. */
static uint32_t next;
static void row(uint32_t depth, const char *name, uint64_t calls, uint64_t total_ns, uint64_t self_ns)
{
	const struct tree_row *found;

	while (next < rows.count && !rows.list[next].shown)
		next++;
	ck_assert_uint_lt(next, rows.count);
	found = &rows.list[next++];
	ck_assert_str_eq(stacks.names.list[found->name].function, name);
	ck_assert_uint_eq(found->depth, depth);
	ck_assert_uint_eq(found->calls, calls);
	ck_assert_uint_eq(found->total_ns, total_ns);
	ck_assert_uint_eq(found->self_ns, self_ns);
	ck_assert_uint_eq(found->parent == TREE_NO_ROW, depth == 0);
	if (depth)
		ck_assert_uint_eq(rows.list[found->parent].depth, depth - 1);
}

static void last_row(void)
{
	while (next < rows.count && !rows.list[next].shown)
		next++;
	ck_assert_uint_eq(next, rows.count);
	next = 0;
}

/* main calls a and b, which call c; a thread begins at worker, which calls c too. */
static void two_threads(void)
{
	uint32_t main;

	node(0, NULL, 0, 0);
	main = node(0, "main", 1, 10);
	node(node(main, "a", 2, 20), "c", 4, 40);
	node(node(main, "b", 3, 30), "c", 5, 50);
	node(node(0, "worker", 1, 1), "c", 6, 60);
}

START_TEST(callees_are_below_their_callers_and_the_largest_come_first)
{
	two_threads();
	make((struct tree_look){ 0 });
	row(0, "main", 1, 150, 10);
	row(1, "b", 3, 80, 30);
	row(2, "c", 5, 50, 50);
	row(1, "a", 2, 60, 20);
	row(2, "c", 4, 40, 40);
	row(0, "worker", 1, 61, 1);
	row(1, "c", 6, 60, 60);
	last_row();
	ck_assert_uint_eq(tree_row_share(&rows, &rows.list[0]), 7109);
	end();
}
END_TEST

START_TEST(a_chosen_function_is_merged_over_all_its_callers)
{
	two_threads();
	node(5, "d", 7, 7);
	mark("c");
	make((struct tree_look){ 0 });
	row(0, "c", 15, 157, 150);
	row(1, "d", 7, 7, 7);
	last_row();
	ck_assert_uint_eq(tree_row_share(&rows, &rows.list[0]), 10000);
	end();
}
END_TEST

START_TEST(callers_are_below_their_functions_and_self_times_add_up)
{
	two_threads();
	make((struct tree_look){ .callers = true });
	ck_assert(rows.by_self);
	row(0, "c", 15, 150, 150);
	row(1, "worker", 6, 60, 60);
	row(1, "b", 5, 50, 50);
	row(2, "main", 5, 50, 50);
	row(1, "a", 4, 40, 40);
	row(2, "main", 4, 40, 40);
	row(0, "b", 3, 80, 30);
	row(1, "main", 3, 80, 30);
	row(0, "a", 2, 60, 20);
	row(1, "main", 2, 60, 20);
	row(0, "main", 1, 150, 10);
	row(0, "worker", 1, 61, 1);
	last_row();
	end();
}
END_TEST

START_TEST(a_recursion_is_counted_once_in_each_path_of_callers)
{
	uint32_t at;

	node(0, NULL, 0, 0);
	at = node(0, "f", 1, 1);
	at = node(at, "f", 1, 2);
	at = node(at, "g", 1, 4);
	at = node(at, "f", 1, 8);
	node(at, "g", 1, 16);
	mark("f");
	make((struct tree_look){ .callers = true });
	ck_assert(!rows.by_self);
	row(0, "f", 3, 31, 11);
	row(1, "f", 1, 30, 2);
	row(1, "g", 1, 24, 8);
	row(2, "f", 1, 24, 8);
	row(3, "f", 1, 24, 8);
	last_row();
	make((struct tree_look){ 0 });
	row(0, "f", 1, 31, 1);
	row(1, "f", 1, 30, 2);
	row(2, "g", 1, 28, 4);
	row(3, "f", 1, 24, 8);
	row(4, "g", 1, 16, 16);
	last_row();
	end();
}
END_TEST

START_TEST(threshold_depth_and_limit_hide_whole_branches)
{
	two_threads();
	make((struct tree_look){ .least_percent = 28.4 });
	row(0, "main", 1, 150, 10);
	row(1, "b", 3, 80, 30);
	row(1, "a", 2, 60, 20);
	row(0, "worker", 1, 61, 1);
	row(1, "c", 6, 60, 60);
	last_row();
	ck_assert_uint_eq(rows.below_threshold, 2);
	make((struct tree_look){ .least_ns = 61 });
	row(0, "main", 1, 150, 10);
	row(1, "b", 3, 80, 30);
	row(0, "worker", 1, 61, 1);
	last_row();
	make((struct tree_look){ .depth_max = 1 });
	row(0, "main", 1, 150, 10);
	row(0, "worker", 1, 61, 1);
	last_row();
	ck_assert_uint_eq(rows.below_depth, 2);
	make((struct tree_look){ .limit = 4 });
	row(0, "main", 1, 150, 10);
	row(1, "b", 3, 80, 30);
	row(1, "a", 2, 60, 20);
	row(0, "worker", 1, 61, 1);
	last_row();
	ck_assert_uint_eq(rows.shown, 4);
	end();
}
END_TEST

START_TEST(each_thread_has_a_tree_and_its_name_is_no_caller)
{
	uint32_t first, second;

	node(0, NULL, 0, 0);
	first = node(0, "first", 0, 0);
	second = node(0, "second", 0, 0);
	node(node(first, "main", 1, 10), "c", 4, 40);
	node(node(second, "worker", 1, 1), "c", 6, 60);
	stacks.by_thread = true;
	make((struct tree_look){ 0 });
	row(0, "second", 0, 61, 0);
	row(1, "worker", 1, 61, 1);
	row(2, "c", 6, 60, 60);
	row(0, "first", 0, 50, 0);
	row(1, "main", 1, 50, 10);
	row(2, "c", 4, 40, 40);
	last_row();
	make((struct tree_look){ .callers = true });
	row(0, "second", 0, 61, 61);
	row(1, "c", 6, 60, 60);
	row(2, "worker", 6, 60, 60);
	row(1, "worker", 1, 61, 1);
	row(0, "first", 0, 50, 50);
	row(1, "c", 4, 40, 40);
	row(2, "main", 4, 40, 40);
	row(1, "main", 1, 50, 10);
	last_row();
	mark("main");
	make((struct tree_look){ .least_percent = 50 });
	row(0, "first", 0, 50, 0);
	row(1, "main", 1, 50, 10);
	row(2, "c", 4, 40, 40);
	last_row();
	end();
}
END_TEST

/* Adds up a tree of callers in the obvious way: follows each call path from its end up to its beginning. */
static uint64_t self_by_path(const uint32_t *names, uint32_t length)
{
	uint64_t self_ns = 0;

	for (uint32_t i = 1; i < stacks.count; i++) {
		uint32_t at = i, found = 0;

		while (found < length && at && stacks.nodes[at].name == names[found]) {
			at = stacks.nodes[at].parent;
			found++;
		}
		self_ns += found == length ? stacks.nodes[i].self_ns : 0;
	}
	return self_ns;
}

START_TEST(each_row_of_a_random_tree_of_callers_has_the_self_time_of_its_path)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	uint32_t path[64];

	srand(1);
	node(0, NULL, 0, 0);
	while (stacks.count < 300) {
		uint32_t parent = (uint32_t)rand() % stacks.count;
		const char *name = names[rand() % 4];
		bool is_new = true;

		for (uint32_t i = 1; i < stacks.count; i++)
			is_new = is_new && !(stacks.nodes[i].parent == parent &&
					     strcmp(stacks.names.list[stacks.nodes[i].name].function, name) == 0);
		if (is_new)
			node(parent, name, 1, (uint64_t)rand() % 100);
	}
	make((struct tree_look){ .callers = true });
	ck_assert_uint_gt(rows.count, 300);
	for (uint32_t i = 0; i < rows.count; i++) {
		uint32_t at = i;

		ck_assert_uint_lt(rows.list[i].depth, 64);
		for (uint32_t depth = rows.list[i].depth + 1; depth-- > 0; at = rows.list[at].parent)
			path[depth] = rows.list[at].name;
		ck_assert_uint_eq(rows.list[i].self_ns, self_by_path(path, rows.list[i].depth + 1));
		if (rows.list[i].depth) {
			ck_assert_uint_le(rows.list[i].total_ns, rows.list[rows.list[i].parent].total_ns);
			ck_assert_uint_le(rows.list[i].calls, rows.list[rows.list[i].parent].calls);
		}
	}
	end();
}
END_TEST

START_TEST(a_path_of_100_000_calls_becomes_as_many_rows)
{
	uint32_t at = 0;

	node(0, NULL, 0, 0);
	for (int i = 0; i < 100000; i++)
		at = node(at, i % 2 ? "odd" : "even", 1, 1);
	make((struct tree_look){ 0 });
	ck_assert_uint_eq(rows.count, 100000);
	ck_assert_uint_eq(rows.list[99999].depth, 99999);
	make((struct tree_look){ .callers = true, .depth_max = 2 });
	row(0, "even", 50000, 100000, 50000);
	row(1, "odd", 49999, 99998, 49999);
	row(0, "odd", 50000, 99999, 50000);
	row(1, "even", 50000, 99999, 50000);
	last_row();
	end();
}
END_TEST

UNIT_MAIN("tree_rows", callees_are_below_their_callers_and_the_largest_come_first,
	  a_chosen_function_is_merged_over_all_its_callers, callers_are_below_their_functions_and_self_times_add_up,
	  a_recursion_is_counted_once_in_each_path_of_callers, threshold_depth_and_limit_hide_whole_branches,
	  each_thread_has_a_tree_and_its_name_is_no_caller,
	  each_row_of_a_random_tree_of_callers_has_the_self_time_of_its_path,
	  a_path_of_100_000_calls_becomes_as_many_rows)
