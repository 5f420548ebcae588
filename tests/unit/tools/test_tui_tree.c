/* SPDX-License-Identifier: MIT */
/* test_tui_tree.c - opens and closes the branches of trees of callees and of callers. */
#include "tui/tui_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static struct stacks stacks;
static struct tui_tree tree;

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

/* main calls a, which calls b and itself; main calls b. Another thread calls b only. */
static void make_paths(void)
{
	uint32_t first, a, inner;

	node(0, NULL, 0, 0);
	first = node(0, "main", 1, 10);
	a = node(first, "a", 2, 20);
	node(a, "b", 3, 30);
	inner = node(a, "a", 4, 40);
	node(inner, "b", 5, 50);
	node(first, "b", 6, 60);
	node(0, "b", 7, 70);
}

static void end(void)
{
	tui_tree_free(&tree);
	stacks_free(&stacks);
}

/* Compares the visible lines: depth, name, calls, total and self time. */
static void expect(const char *wanted)
{
	char text[1024] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < tree.visible_count; i++) {
		const struct tui_node *one = &tree.nodes[tree.visible[i]];

		used += (size_t)sprintf(text + used, "%u %s %u %u %u\n", one->depth, stacks.names.list[one->name].function,
					(unsigned int)one->calls, (unsigned int)one->total_ns, (unsigned int)one->self_ns);
	}
	ck_assert_str_eq(text, wanted);
}

START_TEST(a_tree_of_callees_has_totals_and_opens_at_any_node)
{
	make_paths();
	ck_assert_int_eq(tui_tree_of_callees(&tree, &stacks), 0);
	expect("1 main 1 210 10\n1 b 7 70 70\n");
	tui_tree_open_largest(&tree, tree.visible[0]);
	expect("1 main 1 210 10\n2 a 2 140 20\n3 a 4 90 40\n4 b 5 50 50\n3 b 3 30 30\n2 b 6 60 60\n1 b 7 70 70\n");
	tree.nodes[tree.visible[1]].open = false;
	tui_tree_show(&tree);
	expect("1 main 1 210 10\n2 a 2 140 20\n2 b 6 60 60\n1 b 7 70 70\n");
	ck_assert(tui_tree_is_leaf(&tree, tree.visible[2]));
	ck_assert(!tui_tree_is_leaf(&tree, tree.visible[1]));
	end();
}
END_TEST

START_TEST(a_hidden_node_is_revealed_with_all_nodes_above_it)
{
	make_paths();
	ck_assert_int_eq(tui_tree_of_callees(&tree, &stacks), 0);
	ck_assert_uint_eq(tui_tree_reveal(&tree, 5), 3);
	expect("1 main 1 210 10\n2 a 2 140 20\n3 a 4 90 40\n4 b 5 50 50\n3 b 3 30 30\n2 b 6 60 60\n1 b 7 70 70\n");
	/* All nodes have the order of the open tree. */
	for (uint32_t i = 0; i < tree.visible_count; i++)
		ck_assert_uint_eq(tree.preorder[i + 1], tree.visible[i]);
	for (uint32_t i = 0; i < tree.count; i++)
		ck_assert_uint_eq(tree.preorder[tree.place_of[i]], i);
	end();
}
END_TEST

START_TEST(callers_have_the_numbers_of_the_function_on_their_path)
{
	make_paths();
	ck_assert_int_eq(tui_tree_of_callers(&tree, &stacks, name_table_add(&stacks.names, "b", "lib")), 0);
	expect("1 b 21 210 210\n");
	tree.nodes[tree.visible[0]].open = true;
	tui_tree_show(&tree);
	expect("1 b 21 210 210\n2 a 8 80 80\n2 main 6 60 60\n");
	end();
}
END_TEST

START_TEST(recursive_calls_count_their_time_once)
{
	make_paths();
	ck_assert_int_eq(tui_tree_of_callers(&tree, &stacks, name_table_add(&stacks.names, "a", "lib")), 0);
	tui_tree_open_largest(&tree, tree.visible[0]);
	expect("1 a 6 140 60\n2 main 2 140 20\n2 a 4 0 40\n");
	end();
}
END_TEST

UNIT_MAIN("tui_tree", a_tree_of_callees_has_totals_and_opens_at_any_node,
	  a_hidden_node_is_revealed_with_all_nodes_above_it, callers_have_the_numbers_of_the_function_on_their_path,
	  recursive_calls_count_their_time_once)
