/* SPDX-License-Identifier: MIT */
/*
 * svg.c - draws call paths as a flame graph.
 *
 * The width of a frame is the time, or the number of calls, of the function with its callees. Callees
 * are drawn below their caller, as in the page of spoor view, and are sorted by name. The idea is Brendan Gregg's
 * ("The Flame Graph", CACM 59(6), 2016).
 */
#include "flame/flame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"

#define PICTURE_WIDTH 1200	/* flame.js makes it as wide as the window */
#define MARGIN 10
#define FRAMES_WIDTH (PICTURE_WIDTH - 2 * MARGIN)
#define FRAME_HEIGHT 17
#define ABOVE 104		/* pixels above the frames, for the texts */
#define BELOW 12
#define SHADES 6u		/* of each hue, as in view/page/colours.js */
#define GLYPH_WIDTH 7.2		/* as in flame.js */
#define LEAST_WIDTH 0.1		/* pixels; narrower frames are counted and not drawn */

EMBED(flame_elide_name, "base/elide_name.js");
EMBED(flame_script, "flame/flame.js");

struct drawing {
	struct flame *flame;
	uint32_t *order;	/* nodes by parent, then by name */
	double *x;		/* by node: its left edge, as a part of the width of all frames */
	double whole;		/* value of the root */
	uint32_t levels, narrow;	/* narrow: number of frames that are too narrow to be drawn */
};

static const struct stacks *sorted_stacks;	/* global because qsort passes no argument */

static int compare_nodes(const void *left, const void *right)
{
	const struct stack_node *a = &sorted_stacks->nodes[*(const uint32_t *)left];
	const struct stack_node *b = &sorted_stacks->nodes[*(const uint32_t *)right];
	int order;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	order = strcmp(sorted_stacks->names.list[a->name].function, sorted_stacks->names.list[b->name].function);
	return order ? order : a->name < b->name ? -1 : a->name > b->name;
}

static double width_of(const struct drawing *drawing, uint32_t node)
{
	return drawing->whole > 0 ? (double)drawing->flame->total[node] / drawing->whole : 0;
}

static bool is_drawn(const struct drawing *drawing, uint32_t node)
{
	return width_of(drawing, node) * FRAMES_WIDTH >= LEAST_WIDTH;
}

/* Computes the place of each node and the number of levels. Returns 0, or -ENOMEM. */
static int compute_layout(struct drawing *drawing)
{
	const struct stacks *stacks = &drawing->flame->stacks;
	uint32_t parent = UINT32_MAX;
	double at = 0;

	drawing->order = calloc(stacks->count, sizeof(*drawing->order));
	drawing->x = calloc(stacks->count, sizeof(*drawing->x));
	if (!drawing->order || !drawing->x)
		return -ENOMEM;
	drawing->whole = (double)drawing->flame->total[0];
	for (uint32_t i = 0; i < stacks->count; i++)
		drawing->order[i] = i;
	sorted_stacks = stacks;
	qsort(drawing->order + 1, stacks->count - 1, sizeof(*drawing->order), compare_nodes);
	/* A parent is before its children in the order, so its place is already known. */
	for (uint32_t i = 1; i < stacks->count; i++) {
		uint32_t node = drawing->order[i];

		if (stacks->nodes[node].parent != parent) {
			parent = stacks->nodes[node].parent;
			at = drawing->x[parent];
		}
		drawing->x[node] = at;
		at += width_of(drawing, node);
		if (!is_drawn(drawing, node))
			drawing->narrow += drawing->flame->total[node] != 0;
		else if (stacks->nodes[node].depth > drawing->levels)
			drawing->levels = stacks->nodes[node].depth;
	}
	return 0;
}

/* Returns the FNV-1a hash of @text, which continues @hash. */
static uint32_t hash_text(uint32_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 16777619u;
	return hash;
}

/* Writes the colour of a function: the one that view/page/colours.js gives it. */
static void write_colour(struct output *out, const struct name_pair *pair)
{
	static const uint8_t hues[][3] = {
		{ 239, 132, 79 }, { 104, 171, 199 }, { 133, 183, 106 }, { 226, 184, 72 }, { 178, 138, 196 },
		{ 222, 122, 148 }, { 92, 184, 160 }, { 190, 157, 122 }, { 140, 148, 214 }, { 176, 190, 84 },
	};
	uint32_t colours = SHADES * (uint32_t)(sizeof(hues) / sizeof(*hues));
	uint32_t number = hash_text(hash_text(2166136261u, pair->function), pair->library) % colours;
	double share = 0.82 + 0.18 * (number % SHADES) / (SHADES - 1);
	unsigned int parts[3];
	char text[8];

	for (int i = 0; i < 3; i++)
		parts[i] = (unsigned int)(hues[number / SHADES][i] * share + 0.5);
	snprintf(text, sizeof(text), "#%02x%02x%02x", parts[0], parts[1], parts[2]);
	output_string(out, text);
}

/* Writes red for more than before, blue for less. The colour is deeper for a larger change. */
static void write_difference_colour(struct output *out, const struct drawing *drawing, uint32_t node)
{
	const struct flame *flame = drawing->flame;
	double now = (double)flame->total[node], before = (double)flame->total_before[node];
	double most = now > before ? now : before, share = most > 0 ? (now - before) / most : 0;
	int faded = 240 - (int)(190 * (share < 0 ? -share : share));
	char text[8];

	snprintf(text, sizeof(text), "#%02x%02x%02x", share < 0 ? faded : 240, faded, share > 0 ? faded : 240);
	output_string(out, text);
}

static void write_value(struct flame *flame, uint64_t value)
{
	char text[OUTPUT_DURATION_MAX], *at = text;

	if (flame->by_calls) {
		output_grouped(&flame->out, value, 0);
		output_string(&flame->out, " calls");
		return;
	}
	*output_duration_at(text, value) = '\0';
	at += strspn(at, " ");
	output_string(&flame->out, at);
}

static void write_double(struct output *out, const char *format, double value)
{
	char text[40];

	snprintf(text, sizeof(text), format, value);
	output_string(out, text);
}

static void write_details(const struct drawing *drawing, uint32_t node)
{
	struct flame *flame = drawing->flame;
	const struct stack_node *at = &flame->stacks.nodes[node];
	const struct name_pair *pair = &flame->stacks.names.list[at->name];
	struct output *out = &flame->out;

	output_string(out, "<title>");
	output_xml_string(out, pair->function);
	if (*pair->library) {
		output_string(out, " (");
		output_xml_string(out, pair->library);
		output_char(out, ')');
	}
	output_char(out, '\n');
	write_value(flame, flame->total[node]);
	write_double(out, ", %.2f %%", 100 * width_of(drawing, node));
	if (!flame->by_calls) {
		output_string(out, "; self ");
		write_value(flame, flame->own[node]);
		output_string(out, "; ");
		output_grouped(out, at->calls, 0);
		output_string(out, at->calls == 1 ? " call" : " calls");
	}
	if (flame->total_before) {
		output_string(out, "; before ");
		write_value(flame, flame->total_before[node]);
	}
	output_string(out, "</title>");
}

/* Writes the part of a name that fits into the frame. */
static void write_label(struct output *out, const char *name, double width)
{
	int room = (int)((width - 6) / GLYPH_WIDTH);
	size_t length = strlen(name);
	char label[PICTURE_WIDTH / 7 + 8];

	if (room < 3)
		return;
	if (length <= (size_t)room) {
		output_xml_string(out, name);
		return;
	}
	snprintf(label, sizeof(label), "%.*s", room - 2, name);
	/* Do not cut a UTF-8 character in two. */
	for (size_t end = strlen(label); end && ((uint8_t)name[end] & 0xc0) == 0x80; end--)
		label[end - 1] = '\0';
	output_xml_string(out, label);
	output_string(out, "..");
}

static void write_frame(const struct drawing *drawing, uint32_t node)
{
	struct flame *flame = drawing->flame;
	const struct stack_node *at = &flame->stacks.nodes[node];
	const struct name_pair *pair = &flame->stacks.names.list[at->name];
	double width = width_of(drawing, node), x = drawing->x[node];
	uint32_t level = at->depth - 1, row = flame->upward ? drawing->levels - 1 - level : level;
	struct output *out = &flame->out;
	char text[200];

	snprintf(text, sizeof(text), "<g data-x=\"%.9f\" data-w=\"%.9f\" data-y=\"%u\" data-n=\"", x, width, level);
	output_string(out, text);
	output_xml_string(out, pair->function);
	output_string(out, "\">");
	write_details(drawing, node);
	snprintf(text, sizeof(text), "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"",
		 MARGIN + x * FRAMES_WIDTH, ABOVE + row * FRAME_HEIGHT,
		 width * FRAMES_WIDTH > 0.4 ? width * FRAMES_WIDTH - 0.3 : LEAST_WIDTH, FRAME_HEIGHT - 1);
	output_string(out, text);
	if (flame->total_before)
		write_difference_colour(out, drawing, node);
	else
		write_colour(out, pair);
	snprintf(text, sizeof(text), "\"/><text x=\"%.2f\" y=\"%u\">", MARGIN + x * FRAMES_WIDTH + 3,
		 ABOVE + row * FRAME_HEIGHT + 12);
	output_string(out, text);
	write_label(out, pair->function, width * FRAMES_WIDTH);
	output_string(out, "</text></g>\n");
}

static void write_head(const struct drawing *drawing, uint32_t height)
{
	struct output *out = &drawing->flame->out;
	char text[300];

	snprintf(text, sizeof(text),
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
		 "onload=\"begin()\">\n<title>",
		 PICTURE_WIDTH, height, PICTURE_WIDTH, height);
	output_string(out, text);
	output_xml_string(out, drawing->flame->title);
	output_string(out, "</title>\n<style>\n"
		      "text { font: 12px monospace; fill: #1b1f26; }\n"
		      ".back { fill: #fff; }\n"
		      "#heading { font: bold 14px sans-serif; }\n"
		      "#facts, #legend text { font: 12px sans-serif; fill: #646b78; }\n"
		      ".button { font: 12px sans-serif; fill: #1c62c4; cursor: pointer; }\n"
		      "#search, #matched { text-anchor: end; }\n"
		      "#frames g { cursor: pointer; }\n"
		      "#frames text { fill: #16181d; pointer-events: none; }\n"
		      "#frames g:hover rect { stroke: #000; stroke-width: 0.6; }\n"
		      ".hit { fill: #e15fdc; }\n"
		      "@media (prefers-color-scheme: dark) {\n"
		      "text { fill: #e4e7ec; }\n"
		      ".back { fill: #14171c; }\n"
		      "#facts, #legend text { fill: #98a1b0; }\n"
		      ".button { fill: #6ea8ff; }\n"
		      "#frames g:hover rect { stroke: #fff; }\n"
		      "}\n"
		      "</style>\n<script><![CDATA[\n");
	output_put(out, flame_elide_name, (size_t)(flame_elide_name_end - flame_elide_name));
	output_put(out, flame_script, (size_t)(flame_script_end - flame_script));
	output_string(out, "]]></script>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n<g id=\"frames\"");
	output_string(out, drawing->flame->upward ? " data-upward=\"\">\n" : ">\n");
}

/* Writes the values of the whole picture, and the frames and events that it lacks. */
static void write_facts(const struct drawing *drawing)
{
	struct flame *flame = drawing->flame;
	struct output *out = &flame->out;
	char text[200];

	snprintf(text, sizeof(text), "<text id=\"facts\" x=\"%d\" y=\"42\">", MARGIN);
	output_string(out, text);
	write_value(flame, flame->total[0]);
	output_string(out, flame->by_calls ? "" : " in total");
	if (flame->total_before) {
		output_string(out, ", before ");
		write_value(flame, flame->total_before[0]);
	}
	if (drawing->narrow) {
		snprintf(text, sizeof(text), "; %u paths are too narrow to be drawn", drawing->narrow);
		output_string(out, text);
	}
	if (flame->stacks.losses) {
		snprintf(text, sizeof(text), "; events are missing in %" PRIu64 " place%s", flame->stacks.losses,
			 flame->stacks.losses == 1 ? "" : "s");
		output_string(out, text);
	}
	output_string(out, "</text>\n");
}

/* Writes an entry of the legend: squares of the colours, then a text. Returns where the next entry can begin. */
static int write_legend_entry(struct output *out, int x, const char *const *colours, const char *words)
{
	char text[160];
	int at = 0;

	snprintf(text, sizeof(text), "<g transform=\"translate(%d 0)\">", x);
	output_string(out, text);
	for (; *colours; colours++, at += 12) {
		snprintf(text, sizeof(text), "<rect x=\"%d\" y=\"70\" width=\"12\" height=\"12\" fill=\"%s\"/>", at,
			 *colours);
		output_string(out, text);
	}
	at += at ? 5 : 0;
	snprintf(text, sizeof(text), "<text x=\"%d\" y=\"80\">%s</text></g>\n", at, words);
	output_string(out, text);
	return x + at + (int)strlen(words) * 6 + 30;
}

static void write_legend(const struct drawing *drawing)
{
	static const char *const none[] = { NULL }, *const found[] = { "#e15fdc", NULL };
	static const char *const some[] = { "#ef844f", "#68abc7", "#85b76a", NULL };
	static const char *const differences[] = { "#3232f0", "#9191f0", "#f0f0f0", "#f09191", "#f03232", NULL };
	const struct flame *flame = drawing->flame;
	struct output *out = &drawing->flame->out;
	int x = MARGIN;

	output_string(out, "<g id=\"legend\">\n");
	x = write_legend_entry(out, x, none, flame->by_calls ? "width: calls of the path and of the paths below it" :
				"width: time in the function and its callees");
	x = write_legend_entry(out, x, none, flame->upward ? "callees are above their caller" : "callees are below their caller");
	if (flame->total_before)
		x = write_legend_entry(out, x, differences, "blue: less, red: more than before");
	else
		x = write_legend_entry(out, x, some, "each function has one colour, as in spoor view");
	write_legend_entry(out, x, found, "matches the search");
	output_string(out, "</g>\n");
}

/* Writes the lines above the frames. They are after the frames because they stay in place while the frames scroll. */
static void write_texts(const struct drawing *drawing)
{
	struct output *out = &drawing->flame->out;
	char text[500];

	snprintf(text, sizeof(text),
		 "</g>\n<g id=\"head\">\n<rect class=\"back\" width=\"100%%\" height=\"%d\"/>\n"
		 "<text id=\"heading\" x=\"%d\" y=\"22\">",
		 ABOVE - 2, MARGIN);
	output_string(out, text);
	output_xml_string(out, drawing->flame->title);
	output_string(out, "</text>\n");
	write_facts(drawing);
	snprintf(text, sizeof(text),
		 "<text id=\"details\" x=\"%d\" y=\"61\" data-empty=\"Click a frame to zoom in. Escape undoes it.\"></text>\n"
		 "<text id=\"search\" class=\"button\" x=\"%d\" y=\"22\">Search (Ctrl-F)</text>\n"
		 "<text id=\"matched\" x=\"%d\" y=\"42\"></text>\n",
		 MARGIN, PICTURE_WIDTH - MARGIN, PICTURE_WIDTH - MARGIN);
	output_string(out, text);
	write_legend(drawing);
	snprintf(text, sizeof(text),
		 "<text id=\"reset\" class=\"button\" x=\"%d\" y=\"22\" style=\"display: none\">Reset zoom</text>\n</g>\n</svg>\n",
		 PICTURE_WIDTH / 2);
	output_string(out, text);
}

void flame_svg(struct flame *flame)
{
	struct drawing drawing = { .flame = flame };
	uint32_t height;
	int error = compute_layout(&drawing);

	if (error)
		flame->out.error = error;
	height = ABOVE + (drawing.levels ? drawing.levels : 1) * FRAME_HEIGHT + BELOW;
	if (!error) {
		write_head(&drawing, height);
		for (uint32_t i = 1; i < flame->stacks.count && !output_failed(&flame->out); i++)
			if (is_drawn(&drawing, drawing.order[i]))
				write_frame(&drawing, drawing.order[i]);
		write_texts(&drawing);
	}
	free(drawing.order);
	free(drawing.x);
}
