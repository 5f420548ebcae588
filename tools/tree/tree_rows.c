/* SPDX-License-Identifier: MIT */
/*
 * tree_rows.c - makes the rows of spoor tree from call paths.
 *
 * A row stands for a set of call paths. The code expands the sets one after the other, the largest
 * first, and skips the sets below the threshold. It needs no recursion, because paths are as deep as
 * the program's calls. The sets that are not yet expanded are consecutive in one array, and the
 * set that is expanded next is the last one. Its place is free for the sets below it.
 */
#include "tree/tree_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One call path of a row. */
struct item {
	uint32_t node;		/* its calls are counted */
	uint32_t at;		/* its name is the row's: the node, or in a tree of callers one of its callers */
	uint32_t name;		/* of `at` */
	uint32_t order;		/* of `node`: the position in a walk through the tree, callers before callees */
};

/* A set of items that becomes a row. */
struct group {
	size_t begin, count;	/* in `items` */
	struct tree_row row;
};

struct maker {
	const struct stacks *stacks;
	const struct tree_look *look;
	struct tree_rows *rows;
	uint32_t *child, *sibling;	/* by node: the first child, the next sibling; 0: none */
	uint32_t *order;		/* by node */
	uint32_t *size;			/* by node: number of nodes from it down, itself included */
	uint64_t *total_ns;		/* by node */
	struct stack_spent *spent;	/* by node, of total_ns; null: unknown */
	struct item *items;		/* of all groups; room for `item_capacity` */
	struct item *fresh;		/* the items below one group */
	size_t item_count, item_capacity, fresh_count, fresh_capacity;
	struct group *groups;		/* the last one is expanded next */
	size_t group_count, group_capacity;
};

static int index_nodes(struct maker *maker)
{
	const struct stacks *stacks = maker->stacks;
	size_t count = (size_t)stacks->count + 1;

	maker->child = calloc(count, sizeof(*maker->child));
	maker->sibling = calloc(count, sizeof(*maker->sibling));
	maker->order = calloc(count, sizeof(*maker->order));
	maker->size = calloc(count, sizeof(*maker->size));
	maker->total_ns = calloc(count, sizeof(*maker->total_ns));
	if (stacks->spent)
		maker->spent = calloc(count, sizeof(*maker->spent));
	if (!maker->child || !maker->sibling || !maker->order || !maker->size || !maker->total_ns ||
	    !maker->spent != !stacks->spent)
		return -ENOMEM;
	for (uint32_t i = stacks->count; i-- > 0;) {
		uint32_t parent = stacks->nodes[i].parent;

		maker->size[i]++;
		maker->total_ns[i] += stacks->nodes[i].self_ns;
		if (maker->spent)
			stack_spent_add(&maker->spent[i], &stacks->spent[i]);
		if (!i)
			break;
		maker->sibling[i] = maker->child[parent];
		maker->child[parent] = i;
		maker->size[parent] += maker->size[i];
		maker->total_ns[parent] += maker->total_ns[i];
		if (maker->spent)
			stack_spent_add(&maker->spent[parent], &maker->spent[i]);
	}
	/* A node comes after its parent, so the parent's position is known. */
	for (uint32_t i = 0; i < stacks->count; i++) {
		uint32_t next = maker->order[i] + 1;

		for (uint32_t child = maker->child[i]; child; child = maker->sibling[child]) {
			maker->order[child] = next;
			next += maker->size[child];
		}
	}
	return 0;
}

static void *grown(void *list, size_t *capacity, size_t size)
{
	size_t more = *capacity ? 2 * *capacity : 256;
	void *longer = reallocarray(list, more, size);

	if (longer)
		*capacity = more;
	return longer;
}

static int add_fresh(struct maker *maker, uint32_t node, uint32_t at)
{
	if (maker->fresh_count == maker->fresh_capacity) {
		struct item *items = grown(maker->fresh, &maker->fresh_capacity, sizeof(*items));

		if (!items)
			return -ENOMEM;
		maker->fresh = items;
	}
	maker->fresh[maker->fresh_count++] = (struct item){
		.node = node, .at = at, .name = maker->stacks->nodes[at].name, .order = maker->order[node],
	};
	return 0;
}

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Returns whether the tree begins at this function. */
static bool is_marked(const struct stacks *stacks, uint32_t name)
{
	return !stacks->patterns || (name < stacks->marked_capacity && stacks->marked[name]);
}

/* Gathers the items of the first rows below a thread, or below the root. */
static int gather_first(struct maker *maker, uint32_t section)
{
	const struct stacks *stacks = maker->stacks;
	uint32_t begin = maker->order[section], end = begin + maker->size[section];
	int error = 0;

	if (!stacks->patterns && !maker->look->callers) {
		for (uint32_t child = maker->child[section]; child && !error; child = maker->sibling[child])
			error = add_fresh(maker, child, child);
		return error;
	}
	for (uint32_t i = section + 1; i < stacks->count && !error; i++)
		if (maker->order[i] > begin && maker->order[i] < end && is_marked(stacks, stacks->nodes[i].name))
			error = add_fresh(maker, i, i);
	return error;
}

/* Gathers the items below a row: their callees, or their callers. */
static int gather_next(struct maker *maker, const struct group *group)
{
	const struct stacks *stacks = maker->stacks;
	int error = 0;

	for (size_t i = group->begin; i < group->begin + group->count && !error; i++) {
		struct item item = maker->items[i];

		if (maker->look->callers) {
			uint32_t caller = stacks->nodes[item.at].parent;

			/* The parent of the first functions is the root, or a thread. */
			if (caller && !(stacks->by_thread && !stacks->nodes[caller].parent))
				error = add_fresh(maker, item.node, caller);
			continue;
		}
		for (uint32_t child = maker->child[item.at]; child && !error; child = maker->sibling[child])
			error = add_fresh(maker, child, child);
	}
	return error;
}

/*
 * Adds up sorted items of one name. Items below another item are nested calls. A tree of callers counts
 * their time once; a tree of callees drops them here, because they appear below the other item.
 *
 * Returns the number of items to keep, which are moved to the front.
 */
static size_t add_up(const struct maker *maker, struct item *items, size_t count, struct tree_row *row)
{
	uint32_t end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct stack_stored stored;
		uint32_t node = items[i].node;
		bool is_nested = items[i].order < end;

		if (is_nested && !maker->look->callers)
			continue;
		row->calls += maker->stacks->nodes[node].calls;
		row->self_ns += maker->stacks->nodes[node].self_ns;
		if (!is_nested) {
			row->total_ns += maker->total_ns[node];
			if (maker->spent)
				stack_spent_add(&row->spent, &maker->spent[node]);
			stored = stacks_stored(maker->stacks, node);
			stack_stored_add(&row->stored, &stored);
			end = items[i].order + maker->size[node];
		}
		items[kept++] = items[i];
	}
	return kept;
}

/* Sorts the largest group last, because the last group is expanded first. */
static int compare_groups(const void *left, const void *right, void *context)
{
	const struct maker *maker = context;
	const struct tree_row *a = &((const struct group *)left)->row, *b = &((const struct group *)right)->row;
	uint64_t a_ns = tree_row_value(maker->rows, a), b_ns = tree_row_value(maker->rows, b);
	const struct name_pair *names = maker->stacks->names.list;
	int order;

	if (a_ns != b_ns)
		return a_ns < b_ns ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? -1 : 1;
	order = strcmp(names[b->name].function, names[a->name].function);
	return order ? order : strcmp(names[b->name].library, names[a->name].library);
}

static bool is_below_threshold(const struct maker *maker, const struct tree_row *row)
{
	uint64_t value = tree_row_value(maker->rows, row);

	/* The user chose functions, so their threads do not depend on the threshold. */
	if (row->is_thread && maker->stacks->patterns)
		return false;
	return value < maker->look->least_ns ||
	       (row->whole_ns && (double)value * 100 < maker->look->least_percent * (double)row->whole_ns);
}

static int add_group(struct maker *maker, const struct group *group)
{
	if (maker->group_count == maker->group_capacity) {
		struct group *groups = grown(maker->groups, &maker->group_capacity, sizeof(*groups));

		if (!groups)
			return -ENOMEM;
		maker->groups = groups;
	}
	maker->groups[maker->group_count++] = *group;
	return 0;
}

/*
 * Makes a group of each name among the fresh items.
 * @above:   the parent's row; null: there is none
 * @parent:  its number, or TREE_NO_ROW
 * @threads: the new rows are threads
 */
static int make_groups(struct maker *maker, const struct tree_row *above, uint32_t parent, bool threads)
{
	bool is_first = !threads && (!above || above->is_thread);
	size_t first = maker->group_count;
	int error = 0;

	if (maker->fresh_count)
		qsort(maker->fresh, maker->fresh_count, sizeof(*maker->fresh), compare_items);
	for (size_t i = 0, end; i < maker->fresh_count && !error; i = end) {
		struct group group = { .begin = i, .row = { .name = maker->fresh[i].name, .parent = parent,
					.depth = above ? above->depth + 1 : 0, .is_thread = threads } };

		for (end = i + 1; end < maker->fresh_count && maker->fresh[end].name == maker->fresh[i].name; end++)
			;
		group.count = add_up(maker, maker->fresh + i, end - i, &group.row);
		/* All self time of a thread is in the functions below it. */
		if (threads && maker->look->callers)
			group.row.self_ns = group.row.total_ns;
		if (is_first && maker->stacks->patterns)
			group.row.whole_ns = tree_row_value(maker->rows, &group.row);
		else
			group.row.whole_ns = above ? above->whole_ns : maker->total_ns[0];
		if (is_below_threshold(maker, &group.row))
			maker->rows->below_threshold++;
		else
			error = add_group(maker, &group);
	}
	if (error)
		return error;
	if (maker->group_count > first)
		qsort_r(maker->groups + first, maker->group_count - first, sizeof(*maker->groups), compare_groups, maker);
	for (size_t i = first; i < maker->group_count; i++) {
		struct group *group = &maker->groups[i];

		while (maker->item_count + group->count > maker->item_capacity) {
			struct item *items = grown(maker->items, &maker->item_capacity, sizeof(*items));

			if (!items)
				return -ENOMEM;
			maker->items = items;
		}
		memcpy(maker->items + maker->item_count, maker->fresh + group->begin, group->count * sizeof(*maker->items));
		group->begin = maker->item_count;
		maker->item_count += group->count;
	}
	return 0;
}

static int add_row(struct maker *maker, const struct tree_row *row)
{
	struct tree_rows *rows = maker->rows;

	if (rows->count == rows->capacity) {
		size_t capacity = rows->capacity;
		struct tree_row *list = capacity < UINT32_MAX / 2 ? grown(rows->list, &capacity, sizeof(*list)) : NULL;

		if (!list)
			return -ENOMEM;
		rows->list = list;
		rows->capacity = (uint32_t)capacity;
	}
	rows->list[rows->count++] = *row;
	return 0;
}

/* Makes the first groups: a row for each thread, or the first functions. */
static int begin(struct maker *maker)
{
	int error = 0;

	maker->fresh_count = 0;
	if (!maker->stacks->by_thread) {
		error = gather_first(maker, 0);
		return error ? error : make_groups(maker, NULL, TREE_NO_ROW, false);
	}
	for (uint32_t child = maker->child[0]; child && !error; child = maker->sibling[child])
		error = add_fresh(maker, child, child);
	return error ? error : make_groups(maker, NULL, TREE_NO_ROW, true);
}

/* Makes a row of the last group, and groups of the rows below it. */
static int expand_last(struct maker *maker)
{
	struct group group = maker->groups[--maker->group_count];
	uint32_t number = maker->rows->count;
	int error;

	maker->fresh_count = 0;
	error = group.row.is_thread ? gather_first(maker, maker->items[group.begin].at) : gather_next(maker, &group);
	maker->item_count = group.begin;
	/* No function that the user chose was called in this thread. */
	if (error || (group.row.is_thread && !maker->fresh_count))
		return error;
	error = add_row(maker, &group.row);
	if (error)
		return error;
	if (maker->look->depth_max && group.row.depth + 1 >= maker->look->depth_max) {
		maker->rows->below_depth += maker->fresh_count > 0;
		return 0;
	}
	return make_groups(maker, &group.row, number, false);
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct tree_rows *rows = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint64_t a_ns = tree_row_value(rows, &rows->list[a]), b_ns = tree_row_value(rows, &rows->list[b]);

	return a_ns != b_ns ? a_ns < b_ns ? 1 : -1 : a < b ? -1 : 1;
}

/* Shows the largest rows. A parent is among them if its child is, by I2 and by the order of equal rows. */
static int choose_shown(struct tree_rows *rows, uint32_t limit)
{
	uint32_t *largest;

	rows->shown = limit && limit < rows->count ? limit : rows->count;
	if (rows->shown == rows->count) {
		for (uint32_t i = 0; i < rows->count; i++)
			rows->list[i].shown = true;
		return 0;
	}
	largest = calloc(rows->count, sizeof(*largest));
	if (!largest)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->count; i++)
		largest[i] = i;
	qsort_r(largest, rows->count, sizeof(*largest), compare_rows, rows);
	for (uint32_t i = 0; i < rows->shown; i++)
		rows->list[largest[i]].shown = true;
	free(largest);
	return 0;
}

int tree_rows_make(struct tree_rows *rows, const struct stacks *stacks, const struct tree_look *look)
{
	struct maker maker = { .stacks = stacks, .look = look, .rows = rows };
	int error;

	*rows = (struct tree_rows){ .by_self = look->callers && !stacks->patterns };
	error = index_nodes(&maker);
	if (!error)
		error = begin(&maker);
	while (!error && maker.group_count)
		error = expand_last(&maker);
	if (!error)
		error = choose_shown(rows, look->limit);
	free(maker.child);
	free(maker.sibling);
	free(maker.order);
	free(maker.size);
	free(maker.total_ns);
	free(maker.spent);
	free(maker.items);
	free(maker.fresh);
	free(maker.groups);
	return error;
}

void tree_rows_free(struct tree_rows *rows)
{
	free(rows->list);
	*rows = (struct tree_rows){ 0 };
}
