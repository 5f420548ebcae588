/* SPDX-License-Identifier: MIT */
/* part.c - a part of a walk that another thread can do at the same time. */
#include "walk/part.h"

#include <errno.h>
#include <stdlib.h>

#include "base/jobs.h"

size_t walk_parts_count(const struct walk_sink *sink, const struct walk_process *process, uint64_t words)
{
	size_t jobs = jobs_count();

	if (!sink->part_begin || process->process.version0 || !jobs_are_worth(words))
		return 1;
	return jobs < WALK_PARTS_MAX ? jobs : WALK_PARTS_MAX;
}

/* Returns a window with a separate buffer for the same file. */
static struct file_window own_window(const struct file_window *window)
{
	return (struct file_window){ .fd = window->fd, .size = window->size, .ahead = window->ahead };
}

int walk_part_begin(struct walk_part *part, const struct walk *walk, const struct walk_sink *sink,
		    const struct walk_process *process)
{
	int error;

	*part = (struct walk_part){
		.walk = { .choice = walk->choice, .origin_ns = walk->origin_ns, .range = walk->range },
		.sink = *sink,
		.process.process = process->process,
	};
	part->process.process.events.window = own_window(&process->process.events.window);
	part->process.process.pool.window = own_window(&process->process.pool.window);
	part->process.libraries = (struct call_choice){
		.libraries = process->libraries.libraries, .roots = process->libraries.roots,
		.functions = &part->process.functions,
	};
	error = functions_begin(&part->process.functions, &part->process.process);
	functions_describe(&part->process.functions, process->functions.described, process->functions.demangle);
	return error ? error : sink->part_begin(sink->context, &part->process.functions, &part->sink);
}

int walk_part_number(struct walk_part *part, struct functions *functions, uint32_t last)
{
	if (last >= part->room) {
		uint32_t room = last < 128 ? 256 : 2 * last;
		uint32_t *numbers = reallocarray(part->numbers, room, sizeof(*numbers));

		if (!numbers)
			return -ENOMEM;
		part->numbers = numbers;
		part->room = room;
		numbers[0] = 0;
	}
	while (part->numbered < last) {
		uint32_t number = functions_adopt(functions, &part->process.functions, part->numbered + 1);

		if (!number)
			return -ENOMEM;
		part->numbers[++part->numbered] = number;
	}
	return 0;
}

int walk_part_end(struct walk_part *part, const struct walk_sink *sink, struct functions *functions, int error)
{
	if (!error)
		error = walk_part_number(part, functions, part->process.functions.count);
	if (part->sink.context != sink->context)
		sink->part_end(sink->context, &part->sink, error ? NULL : part->numbers);
	functions_end(&part->process.functions);
	call_choice_free(&part->process.libraries);
	free(part->process.process.events.window.buffer);
	free(part->process.process.pool.window.buffer);
	call_tree_free(&part->walk.tree);
	call_filter_free(&part->walk.filter);
	free(part->numbers);
	return error;
}
