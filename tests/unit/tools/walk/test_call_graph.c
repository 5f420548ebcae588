/* SPDX-License-Identifier: MIT */
/* test_call_graph.c - finds which function calls which, from given call paths. */
#include <stdlib.h>

#include "walk/call_graph.h"
#include "tests/unit/support/unit.h"

static struct stacks stacks;
static struct call_graph graph;

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

static void begin(void)
{
	node(0, NULL, 0, 0);
}

static void end(void)
{
	call_graph_free(&graph);
	stacks_free(&stacks);
}

static const struct call_graph_function *function(const char *name)
{
	return &graph.functions[name_table_add(&stacks.names, name, "lib")];
}

static const struct call_graph_edge *edge(const char *caller, const char *callee)
{
	uint32_t from = caller ? name_table_add(&stacks.names, caller, "lib") : 0;
	uint32_t number = map64_find(&graph.edge_of, (uint64_t)from << 32 | name_table_add(&stacks.names, callee, "lib"));

	return number ? &graph.edges[number] : NULL;
}

START_TEST(calls_and_times_add_up_over_all_paths)
{
	uint32_t main, a;

	begin();
	main = node(0, "main", 1, 10);
	a = node(main, "a", 2, 20);
	node(a, "c", 4, 40);
	node(node(main, "b", 3, 30), "c", 5, 50);
	ck_assert_int_eq(call_graph_make(&graph, &stacks), 0);
	ck_assert_uint_eq(graph.functions[0].total_ns, 150);
	ck_assert_uint_eq(function("main")->total_ns, 150);
	ck_assert_uint_eq(function("main")->self_ns, 10);
	ck_assert_uint_eq(function("c")->calls, 9);
	ck_assert_uint_eq(function("c")->total_ns, 90);
	ck_assert_uint_eq(edge("a", "c")->calls, 4);
	ck_assert_uint_eq(edge("b", "c")->total_ns, 50);
	ck_assert_uint_eq(edge("main", "a")->total_ns, 60);
	ck_assert_uint_eq(edge(NULL, "main")->calls, 1);
	ck_assert_ptr_null(edge("a", "b"));
	end();
}
END_TEST

START_TEST(a_recursion_is_counted_once)
{
	uint32_t at;

	begin();
	at = node(0, "f", 1, 1);
	at = node(at, "f", 1, 2);
	at = node(at, "g", 1, 4);
	at = node(at, "f", 1, 8);
	node(at, "g", 1, 16);
	ck_assert_int_eq(call_graph_make(&graph, &stacks), 0);
	ck_assert_uint_eq(function("f")->total_ns, 31);
	ck_assert_uint_eq(function("f")->self_ns, 11);
	ck_assert_uint_eq(function("f")->calls, 3);
	ck_assert_uint_eq(function("g")->total_ns, 28);
	ck_assert_uint_eq(edge("f", "f")->total_ns, 30);
	ck_assert_uint_eq(edge("f", "g")->total_ns, 28);
	ck_assert_uint_eq(edge("f", "g")->calls, 2);
	ck_assert_uint_eq(edge("g", "f")->total_ns, 24);
	end();
}
END_TEST

START_TEST(a_path_of_100_000_calls_is_walked)
{
	uint32_t at = 0;

	begin();
	for (int i = 0; i < 100000; i++)
		at = node(at, i % 2 ? "odd" : "even", 1, 1);
	ck_assert_int_eq(call_graph_make(&graph, &stacks), 0);
	ck_assert_uint_eq(function("even")->total_ns, 100000);
	ck_assert_uint_eq(function("odd")->total_ns, 99999);
	ck_assert_uint_eq(edge("even", "odd")->calls, 50000);
	end();
}
END_TEST

START_TEST(the_longest_times_come_first)
{
	struct call_graph_edge *edges;
	uint32_t *names;

	begin();
	node(0, "short", 1, 1);
	node(node(0, "long", 1, 5), "inner", 7, 9);
	ck_assert_int_eq(call_graph_make(&graph, &stacks), 0);
	names = call_graph_by_total(&graph);
	edges = call_graph_edges_by_total(&graph);
	ck_assert_str_eq(stacks.names.list[names[0]].function, "long");
	ck_assert_str_eq(stacks.names.list[names[2]].function, "short");
	ck_assert_uint_eq(edges[0].total_ns, 14);
	ck_assert_uint_eq(edges[2].total_ns, 1);
	free(names);
	free(edges);
	end();
}
END_TEST

UNIT_MAIN("call_graph", calls_and_times_add_up_over_all_paths, a_recursion_is_counted_once,
	  a_path_of_100_000_calls_is_walked, the_longest_times_come_first)
