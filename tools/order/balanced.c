/* SPDX-License-Identifier: MIT */
/*
 * balanced.c - finds one order of functions for many different runs, by balanced graph partitioning.
 *
 * The algorithm is recursive bisection (Dhulipala et al., "Compressing Graphs and Indexes with
 * Recursive Graph Bisection", KDD 2016), applied to functions as in Hoque et al., "Optimizing Function
 * Layout for Mobile Applications" (LCTES 2023). It puts functions together that the same runs execute at
 * about the same time. A run is divided into windows of time, each twice as long as all before it. For
 * each window, a half of the functions costs -n log2(n + 1) if n of its functions are in the window.
 * Pairs of functions change sides as long as that reduces the sum of all costs.
 */
#include "order/order.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 40	/* at most, for each bisection */

struct vertex {
	struct order_function function;
	const uint32_t *windows;
	uint32_t window_count;
	uint32_t place;		/* position before; keeps the order of equal functions */
	bool right;
	double gain;		/* reduction of the cost if it changes sides */
};

struct halves {
	struct vertex *vertices;
	uint32_t *counts[2];	/* by window: number of functions of the left and the right half */
};

static double cost(uint32_t left, uint32_t right)
{
	return -(left * log2(left + 1.0) + right * log2(right + 1.0));
}

static void count_windows(struct halves *halves, uint32_t begin, uint32_t end, int change)
{
	for (uint32_t i = begin; i < end; i++) {
		const struct vertex *vertex = &halves->vertices[i];

		for (uint32_t j = 0; j < vertex->window_count; j++)
			halves->counts[vertex->right][vertex->windows[j]] += (uint32_t)change;
	}
}

static double gain_of(const struct halves *halves, const struct vertex *vertex)
{
	const uint32_t *from = halves->counts[vertex->right], *to = halves->counts[!vertex->right];
	double gain = 0;

	for (uint32_t j = 0; j < vertex->window_count; j++) {
		uint32_t window = vertex->windows[j];

		gain += cost(from[window], to[window]) - cost(from[window] - 1, to[window] + 1);
	}
	return gain;
}

/* Orders the largest gain first. */
static int compare_gains(const void *left, const void *right)
{
	const struct vertex *a = left, *b = right;

	if (a->gain != b->gain)
		return a->gain > b->gain ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static int compare_places(const void *left, const void *right)
{
	const struct vertex *a = left, *b = right;

	return a->place < b->place ? -1 : a->place > b->place;
}

static void swap_sides(struct vertex *a, struct vertex *b)
{
	struct vertex kept = *a;

	*a = *b;
	*b = kept;
	a->right = false;
	b->right = true;
}

/* Holds some functions back in some rounds. Without this, two functions could change sides for ever. */
static bool is_held_back(const struct vertex *vertex, uint32_t round)
{
	return ((vertex->place * UINT32_C(2654435761) ^ round * UINT32_C(40503)) >> 16) % 10 == 0;
}

/* Exchanges pairs of functions between the halves. Returns whether any pair changed sides. */
static bool exchange(struct halves *halves, uint32_t begin, uint32_t middle, uint32_t end, uint32_t round)
{
	struct vertex *vertices = halves->vertices;
	bool changed = false;

	for (uint32_t i = begin; i < end; i++)
		vertices[i].gain = gain_of(halves, &vertices[i]);
	qsort(vertices + begin, middle - begin, sizeof(*vertices), compare_gains);
	qsort(vertices + middle, end - middle, sizeof(*vertices), compare_gains);
	count_windows(halves, begin, end, -1);
	for (uint32_t i = 0; i < middle - begin && i < end - middle; i++) {
		struct vertex *left = &vertices[begin + i], *right = &vertices[middle + i];

		if (left->gain + right->gain <= 0)
			break;
		if (is_held_back(left, round) || is_held_back(right, round))
			continue;
		swap_sides(left, right);
		changed = true;
	}
	count_windows(halves, begin, end, 1);
	return changed;
}

static void bisect(struct halves *halves, uint32_t begin, uint32_t end)
{
	uint32_t middle = begin + (end - begin + 1) / 2;

	qsort(halves->vertices + begin, end - begin, sizeof(*halves->vertices), compare_places);
	if (end - begin <= 2)
		return;
	for (uint32_t i = begin; i < end; i++)
		halves->vertices[i].right = i >= middle;
	count_windows(halves, begin, end, 1);
	for (uint32_t round = 0; round < ROUNDS && exchange(halves, begin, middle, end, round); round++)
		;
	count_windows(halves, begin, end, -1);
	bisect(halves, begin, middle);
	bisect(halves, middle, end);
}

static int compare_visits(const void *left, const void *right)
{
	const struct order_visit *a = left, *b = right;

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return a->window < b->window ? -1 : a->window > b->window;
}

/* Fills @windows with the windows of each function in turn. The windows of a name begin at @first[name]. */
static void list_windows(struct order *order, uint32_t *windows, uint32_t *first)
{
	uint32_t at = 0;

	if (order->visit_count)
		qsort(order->visits, order->visit_count, sizeof(*order->visits), compare_visits);
	for (uint32_t name = 0; name <= order->count; name++) {
		first[name] = at;
		while (at < order->visit_count && order->visits[at].name == name) {
			windows[at] = order->visits[at].window;
			at++;
		}
	}
}

int order_balance(struct order *order, uint32_t begin, uint32_t end)
{
	struct halves halves = {
		.vertices = calloc(end - begin + 1, sizeof(*halves.vertices)),
		.counts = { calloc(order->windows + 1, sizeof(uint32_t)), calloc(order->windows + 1, sizeof(uint32_t)) },
	};
	uint32_t *windows = malloc((order->visit_count + 1) * sizeof(*windows));
	uint32_t *first = malloc(((size_t)order->count + 1) * sizeof(*first));
	bool good = halves.vertices && halves.counts[0] && halves.counts[1] && windows && first;

	if (good) {
		list_windows(order, windows, first);
		for (uint32_t i = begin; i < end; i++) {
			uint32_t name = order->list[i].name;

			halves.vertices[i - begin] = (struct vertex){
				.function = order->list[i],
				.windows = windows + first[name],
				.window_count = first[name + 1] - first[name],
				.place = i,
			};
		}
		bisect(&halves, 0, end - begin);
		for (uint32_t i = begin; i < end; i++)
			order->list[i] = halves.vertices[i - begin].function;
	}
	free(halves.vertices);
	free(halves.counts[0]);
	free(halves.counts[1]);
	free(windows);
	free(first);
	return good ? 0 : -ENOMEM;
}
