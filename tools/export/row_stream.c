/* SPDX-License-Identifier: MIT */
/* row_stream.c - writes rows, and once those of functions and paths. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "export/row_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/symbols/symbol_file.h"

/* The text of a stack names all its frames. The limit bounds the quadratic number of names of a deep recursion. */
#define STACK_DEPTH_MAX 1000u

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a row is written as it is in memory");

struct row rows_new(const struct export *export, enum row_kind kind)
{
	return (struct row){ .kind = kind, .session = export->rows->session, .process = export->rows->process };
}

void rows_put_string(struct output *out, const char *string)
{
	size_t bytes = strlen(string);

	output_varint(out, bytes);
	output_put(out, string, bytes);
}

void rows_put(struct export *export, const struct row *row, const char *text_1, const char *text_2)
{
	output_put(&export->out, row, sizeof(*row));
	rows_put_string(&export->out, text_1);
	rows_put_string(&export->out, text_2);
}

/* Returns a hash, never 0. Equal bytes have the same key in each export. */
static uint64_t rows_key(const void *bytes, size_t count, uint64_t seed)
{
	uint64_t key = XXH3_64bits_withSeed(bytes, count, seed);

	return key ? key : 1;
}

/* Returns the key of a function: its ID, and the path and build of its module. A report has one row for each key. */
static uint64_t function_key(const struct functions *functions, uint32_t number)
{
	const struct symbol_file *symbols = functions->list[number].symbols;
	uint64_t seed = function_id(functions, number);

	if (!symbols)
		return rows_key("", 0, seed);
	return rows_key(symbols->path, strlen(symbols->path), rows_key(symbols->build_id, symbols->build_id_bytes, seed));
}

static void *grow_list(struct export *export, void *list, uint32_t *count, uint32_t wanted, size_t size)
{
	uint32_t more = wanted < 128 ? 256 : 2 * wanted;
	char *grown = more > wanted ? reallocarray(list, more, size) : NULL;

	if (!grown) {
		export->out.error = -ENOMEM;
		return NULL;
	}
	memset(grown + *count * size, 0, (more - *count) * size);
	*count = more;
	return grown;
}

struct row_function *rows_function(struct export *export, uint32_t number)
{
	struct export_rows *rows = export->rows;
	struct row_function *function;

	if (number >= rows->list_count) {
		struct row_function *list = grow_list(export, rows->list, &rows->list_count, number, sizeof(*list));

		if (!list)
			return NULL;
		rows->list = list;
	}
	function = &rows->list[number];
	if (!function->key) {
		struct row row = rows_new(export, ROW_FUNCTION);

		function->key = row.function = function_key(export->functions, number);
		row.flags = export->functions->list[number].is_scope || function_has_name(export->functions, number);
		row.numbers[0] = function_id(export->functions, number);
		rows_put(export, &row, function_name(export->functions, number), function_library(export->functions, number));
	}
	return function;
}

void rows_path(struct export *export, uint32_t node)
{
	struct export_rows *rows = export->rows;
	const struct stacks *stacks = &rows->stacks;
	const struct stack_node *nodes = stacks->nodes;
	struct row row = rows_new(export, ROW_PATH);
	size_t bytes = nodes[node].depth - 1;	/* semicolons */

	if (node >= rows->path_capacity) {
		uint64_t *paths = grow_list(export, rows->paths, &rows->path_capacity, node, sizeof(*paths));

		if (!paths)
			return;
		rows->paths = paths;
	}
	if (nodes[node].depth >= rows->nodes_capacity) {
		uint32_t *room = grow_list(export, rows->nodes, &rows->nodes_capacity, nodes[node].depth,
					   sizeof(*room));

		if (!room)
			return;
		rows->nodes = room;
	}
	for (uint32_t at = node; at; at = nodes[at].parent)
		bytes += strlen(stacks->names.list[nodes[at].name].function);
	row.numbers[0] = rows->paths[nodes[node].parent];
	row.path = rows_key(&stacks->names.list[nodes[node].name].hash, sizeof(uint64_t), row.numbers[0]);
	row.depth = nodes[node].depth - 1;
	rows->paths[node] = row.path;
	rows->path_count = node + 1;
	output_put(&export->out, &row, sizeof(row));
	output_varint(&export->out, bytes);
	stacks_write_path(&export->out, stacks, rows->nodes, node);
	rows_put_string(&export->out, "");
}

int rows_begin(struct export *export)
{
	struct export_rows *rows = export->rows = calloc(1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	rows->stacks.depth_max = STACK_DEPTH_MAX;
	stacks_begin(&rows->stacks);
	rows->paths = grow_list(export, NULL, &rows->path_capacity, 0, sizeof(*rows->paths));
	if (!rows->paths)
		return -ENOMEM;
	rows->path_count = 1;	/* the key of the root is 0 */
	return 0;
}

void rows_process(struct export *export, struct process *process, struct functions *functions)
{
	struct export_rows *rows = export->rows;
	const uint64_t own[] = { process->session_id, (uint64_t)process->process_id, (uint64_t)process->begin_steady_ns,
				 (uint64_t)process->begin_system_ns };

	export_process_begin(export, process, functions);
	rows->session = process->session_id;
	rows->process = rows_key(own, sizeof(own), 0);
	free(rows->list);
	rows->list = NULL;
	rows->list_count = 0;
	stacks_process_begin(&rows->stacks, process, functions);
}

void export_rowbinary_end(struct export *export)
{
	struct export_rows *rows = export->rows;

	if (!rows)
		return;
	stacks_free(&rows->stacks);
	free(rows->paths);
	free(rows->nodes);
	free(rows->list);
	free(rows);
	export->rows = NULL;
}
