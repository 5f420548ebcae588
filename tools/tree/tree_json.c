/* SPDX-License-Identifier: MIT */
/*
 * tree_json.c - writes a tree as JSON.
 *
 * The rows are one flat array, and each row has the number of its parent, because programs that read
 * JSON limit the depth of nested objects.
 */
#include <errno.h>
#include <stdlib.h>

#include "tree/tree.h"
#include "walk/lines/spent_columns.h"
#include "walk/table/columns.h"

static void put_text(struct output *out, const char *key, const char *text)
{
	output_string(out, key);
	output_char(out, '"');
	output_json_string(out, text);
	output_char(out, '"');
}

static void put_number(struct output *out, const char *key, uint64_t number)
{
	output_string(out, key);
	output_number(out, number);
}

static void write_row(struct tree *tree, const struct tree_row *row, const uint32_t *numbers)
{
	const struct name_pair *pair = &tree->stacks.names.list[row->name];
	struct output *out = &tree->out;
	uint64_t cpu_ns;
	char text[24];

	put_number(out, "{\"depth\":", row->depth);
	if (row->parent == TREE_NO_ROW)
		output_string(out, ",\"parent\":null");
	else
		put_number(out, ",\"parent\":", numbers[row->parent]);
	if (row->is_thread) {
		put_text(out, ",\"thread_name\":", pair->function);
	} else {
		put_text(out, ",\"function\":", stacks_long_name(&tree->stacks, row->name));
		put_text(out, ",\"short_name\":", pair->function);
		put_text(out, ",\"library\":", pair->library);
		put_number(out, ",\"calls\":", row->calls);
	}
	put_number(out, ",\"total_ns\":", row->total_ns);
	put_number(out, ",\"self_ns\":", row->self_ns);
	if (spent_columns_cpu(&tree->stacks, &row->spent, &row->stored, row->total_ns, &cpu_ns))
		put_number(out, ",\"cpu_ns\":", cpu_ns);
	else if (tree->stacks.stored)
		output_string(out, ",\"cpu_ns\":null");
	if (tree->stacks.spent)
		put_number(out, ",\"wait_ns\":", row->spent.wait_ns);
	output_string(out, ",\"percent\":");
	output_string(out, report_percent_text(tree_row_share(&tree->rows, row), text));
	output_char(out, '}');
}

void tree_json(struct tree *tree)
{
	struct output *out = &tree->out;
	uint32_t *numbers = calloc((size_t)tree->rows.count + 1, sizeof(*numbers)), shown = 0;

	if (!numbers) {
		out->error = -ENOMEM;
		return;
	}
	output_string(out, tree->look.callers ? "{\"below\":\"callers\"" : "{\"below\":\"callees\"");
	output_string(out, tree->rows.by_self ? ",\"percent_of\":\"self_ns\"" : ",\"percent_of\":\"total_ns\"");
	output_string(out, ",\n\"rows\":[");
	for (uint32_t i = 0; i < tree->rows.count && !output_failed(out); i++) {
		if (!tree->rows.list[i].shown)
			continue;
		output_string(out, shown ? ",\n" : "\n");
		numbers[i] = shown++;
		write_row(tree, &tree->rows.list[i], numbers);
	}
	put_number(out, "],\n\"branches_below_threshold\":", tree->rows.below_threshold);
	put_number(out, ",\"rows_with_deeper_ones\":", tree->rows.below_depth);
	put_number(out, ",\"rows_not_shown\":", tree->rows.count - tree->rows.shown);
	put_number(out, ",\"places_with_losses\":", tree->stacks.losses);
	output_string(out, "}\n");
	free(numbers);
}
