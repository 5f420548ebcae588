/* SPDX-License-Identifier: MIT */
/* call_lines.c - writes calls as the lines of an indented tree. */
#include "walk/lines/call_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walk/pattern_options.h"
#include "walk/lines/value_lines.h"
#include "reader/events/tracepoint_events.h"
#include "reader/events/user_events.h"

static void write_heading(struct replay *replay, const struct replay_thread *thread)
{
	struct output *out = &replay->out;

	replay->heading_due = false;
	output_char(out, '\n');
	if (!replay->merged) {
		output_string(out, "# thread ");
		output_number(out, thread->slices->thread_id);
		if (thread->slices->name) {
			output_string(out, "  ");
			output_string(out, thread->slices->name);
		}
		output_char(out, '\n');
	}
	replay_columns(replay);
}

void replay_columns(struct replay *replay)
{
	output_string(&replay->out, replay->lines.with_time ? "#    TIME us       DURATION  " : "# DURATION  ");
	output_string(&replay->out, replay->merged ? "THREAD                   CALL\n" : "CALL\n");
}

void replay_process_heading(struct replay *replay, const struct process *process)
{
	struct output *out = &replay->out;

	output_string(out, replay->processes++ && !replay->merged ? "\n# process " : "# process ");
	output_number(out, (uint64_t)process->process_id);
	output_string(out, "  ");
	output_string(out, process_title(process));
	output_char(out, '\n');
	if (!process->threads.count)
		output_string(out, "# no events\n");
}

void replay_trace_begin(void *context, struct walk *walk)
{
	struct replay *replay = context;

	replay->walk = walk;
	replay->lines.begin_ns = walk->origin_ns;
}

void replay_thread_begin(struct replay *replay, struct replay_thread *thread, struct replay_process *process,
			 const struct thread_slices *slices)
{
	const struct walk_choice *choice = &replay->choice;

	*thread = (struct replay_thread){
		.process = process, .slices = slices, .root_depth = replay->from_roots ? SIZE_MAX : 0,
	};
	if (replay->merged) {
		thread->number = replay->thread_count;
		replay_name_thread(replay, thread);
		replay_waits_begin(replay, thread);
		return;
	}
	replay->thread = thread;
	replay->trigger_ns = 0;
	replay_waits_begin(replay, thread);
	/* The heading waits for the first line, because the filters may leave none. */
	if (replay->from_roots || choice->has_range || choice->libraries || choice->least_ns)
		replay->heading_due = true;
	else
		write_heading(replay, thread);
}

/* Writes the heading or the separator that a line of this thread needs before it. */
static void turn_to(struct replay *replay, const struct replay_thread *thread)
{
	if (__builtin_expect(replay->heading_due, 0))
		write_heading(replay, thread);
	if (replay->merged && thread != replay->latest) {
		if (replay->latest)
			output_char(&replay->out, '\n');
		replay->latest = thread;
		replay->lines.column = thread->column;
		replay->lines.column_bytes = thread->column_bytes;
	}
}

char *replay_line_within(struct replay *replay, const struct replay_thread *thread, uint64_t time_ns, size_t text_bytes)
{
	size_t depth = thread->root_depth == SIZE_MAX ? 0 : thread->depth - thread->root_depth;

	turn_to(replay, thread);
	return replay_line_begin(&replay->lines, time_ns, false, 0,
				 depth < replay->depth_limit ? depth : replay->depth_limit, text_bytes);
}

/* A line for the begin, the end, or all of a call. */
struct call_line {
	uint64_t time_ns, duration_ns;
	uint32_t function, depth;
	enum { LINE_OPENS, LINE_CLOSES, LINE_LEAF } kind : 8;
	enum call_end how : 8;
	bool root, early, unreliable;
	char *values;		/* null, or the line's own text of the call with its values (value_lines.h) */
};

static inline __attribute__((always_inline)) void write_call(struct replay_lines *lines, const struct function_text *text,
							     const struct call_line *line)
{
	size_t values_bytes = line->values ? replay_text_bytes((uint32_t)strlen(line->values)) : 0;
	size_t bytes = values_bytes ? values_bytes :
				      replay_text_bytes(line->kind == LINE_CLOSES ? text->name_length : text->length);
	char *at = replay_line_begin(lines, line->time_ns, line->kind != LINE_OPENS, line->duration_ns, line->depth, bytes);

	if (line->kind == LINE_CLOSES) {
		memcpy(at, "} ", 2);
		at += 2;
	}
	if (__builtin_expect(line->values != NULL, 0)) {
		at = mempcpy(at, line->values, bytes);
		free(line->values);
	} else {
		at = replay_put_text(at, text->text, bytes);
	}
	if (line->kind != LINE_CLOSES) {
		memcpy(at, line->kind == LINE_LEAF ? "; " : " {", 2);
		at += line->kind == LINE_LEAF ? 1 : 2;
		if (line->root)
			at = replay_put_root(lines, at, line->early);
	}
	if (line->how != CALL_EXIT || line->unreliable)
		at = replay_put_notes(lines, at, line->how, line->unreliable);
	replay_line_end(lines, at);
}

static void write_calls(const void *context, const void *items, size_t count, struct output *out)
{
	const struct replay *replay = context;
	struct replay_lines lines = replay->lines;

	lines.out = out;
	for (const struct call_line *line = items, *end = line + count; line < end; line++)
		write_call(&lines, &replay->process.texts.list[line->function], line);
}

void replay_formatting_begin(struct replay *replay)
{
	formatting_begin(&replay->formatting, &replay->out, sizeof(struct call_line), write_calls, replay);
}

static inline __attribute__((always_inline)) void put_call(struct replay *replay, const struct replay_thread *thread,
							   const struct function_text *text, const struct call_line *line)
{
	turn_to(replay, thread);
	if (formatting_is_on(&replay->formatting))
		*(struct call_line *)formatting_item(&replay->formatting, &replay->out) = *line;
	else
		write_call(&replay->lines, text, line);
}

/* Returns the text of a function. */
static inline const struct function_text *text_of(struct replay *replay, const struct replay_thread *thread, uint32_t function)
{
	struct replay_texts *texts = &thread->process->texts;

	/* Growing the array moves texts that other threads may be reading, so they finish first. */
	if (__builtin_expect(function >= texts->count, 0))
		formatting_finish(&replay->formatting);
	return replay_text(texts, function);
}

static inline void drop_pending_values(struct replay *replay)
{
	if (__builtin_expect(!replay->pending_values, 1))
		return;
	call_values_drop(replay->pending_values);
	replay->pending_values = NULL;
}

void replay_pending(struct replay *replay)
{
	const struct replay_thread *thread = replay->pending;
	const struct function_text *text = text_of(replay, thread, replay->pending_function);

	replay->pending = NULL;
	put_call(replay, thread, text, &(struct call_line){
		.values = value_line(text, replay->pending_values, NULL, NULL, true),
		.time_ns = replay->pending_ns,
		.function = replay->pending_function,
		.depth = (uint32_t)replay->pending_depth,
		.kind = LINE_OPENS,
		.how = CALL_EXIT,
		.root = replay->pending_root,
		.early = replay->pending_early,
	});
	drop_pending_values(replay);
}

bool replay_shows(const struct replay *replay, const struct replay_thread *thread)
{
	return thread->root_depth != SIZE_MAX || !replay->from_roots;
}

static void write_trigger(struct replay *replay, const struct replay_thread *thread, const struct noticed_call *call,
			  uint64_t noticed_ns)
{
	struct replay_process *process = thread->process;
	uint32_t number = functions_number(process->texts.functions, call->record.index, call->record.began);
	const struct time_range *range = replay->walk->range;
	const struct function_text *text;
	char limit[OUTPUT_DURATION_MAX + 1], *at;

	if (!number || !replay_shows(replay, thread) ||
	    (range && (noticed_ns < range->begin_ns || noticed_ns >= range->end_ns)))
		return;
	if (replay->choice.libraries && !library_matches(process->texts.functions, number, replay->choice.libraries))
		return;
	if (replay->pending)
		replay_pending(replay);
	text = text_of(replay, thread, number);
	*output_duration_at(limit, call->record.limit_ns) = '\0';
	at = replay_line_within(replay, thread, noticed_ns, text->name_length + 100);
	at = replay_note_begin(&replay->lines, at);
	at = replay_put_string(at, "# trigger: ");
	at = replay_put_text(at, text->text, replay_text_bytes(text->name_length));
	if (call->record.limit_ns) {
		at = replay_put_string(at, call->record.ended ? " took longer than " : " is taking longer than ");
		at = replay_put_string(at, limit + strspn(limit, " "));
	} else {
		at = replay_put_string(at, " had the trigger's values");
	}
	replay_line_end(&replay->lines, replay_note_end(&replay->lines, at));
}

/* Writes the marks of the current thread. Returns the time of the next one. */
static uint64_t triggers_of_thread(struct replay *replay, uint64_t time_ns)
{
	struct replay_thread *thread = replay->thread;
	struct process *process = thread->process->process;

	for (; thread->trigger < process->trigger_count; thread->trigger++) {
		const struct noticed_call *call = &process->triggers[thread->trigger];
		uint64_t noticed_ns = clock_ns(&process->clock, call->record.noticed);

		if (call->record.thread_serial != thread->slices->serial)
			continue;
		if (noticed_ns > time_ns)
			return noticed_ns;
		write_trigger(replay, thread, call, noticed_ns);
	}
	return UINT64_MAX;
}

/* Writes the marks of one process. Returns the time of the next one. */
static uint64_t triggers_of_process(struct replay *replay, struct replay_process *one, uint64_t time_ns)
{
	struct process *process = one->process;

	for (; one->trigger < process->trigger_count; one->trigger++) {
		const struct noticed_call *call = &process->triggers[one->trigger];
		uint64_t noticed_ns = clock_ns(&process->clock, call->record.noticed);
		uint32_t at = map64_find(&one->thread_at, call->record.thread_serial);

		if (noticed_ns > time_ns)
			return noticed_ns;
		if (at)
			write_trigger(replay, replay->threads[at - 1], call, noticed_ns);
	}
	return UINT64_MAX;
}

void replay_triggers(struct replay *replay, uint64_t time_ns)
{
	replay->trigger_ns = replay->merged ? UINT64_MAX : triggers_of_thread(replay, time_ns);
	for (size_t i = 0; i < replay->process_count; i++) {
		uint64_t next_ns = triggers_of_process(replay, replay->all_processes[i], time_ns);

		if (next_ns < replay->trigger_ns)
			replay->trigger_ns = next_ns;
	}
	if (replay_has_states(replay))
		replay_waits(replay, time_ns);
}

/* Returns whether there are marks to write up to then. */
static inline bool has_triggers(const struct replay *replay, uint64_t time_ns)
{
	return __builtin_expect(replay->trigger_ns <= time_ns, 0);
}

void replay_enter(void *context, const struct call *call, size_t depth)
{
	struct replay *replay = context;
	struct replay_thread *thread = replay->thread;

	thread->depth = depth;
	if (has_triggers(replay, call->begin_ns))
		replay_triggers(replay, call->begin_ns);
	thread->depth = depth + 1;
	if (thread->root_depth == SIZE_MAX) {
		if (!text_of(replay, thread, call->function)->matches)
			return;
		thread->root_depth = depth;
	}
	depth -= thread->root_depth;
	if (depth >= replay->depth_limit)
		return;
	if (replay->pending)
		replay_pending(replay);
	replay->pending = thread;
	replay->pending_root = call->root;
	replay->pending_early = call->early;
	replay->pending_depth = depth;
	replay->pending_function = call->function;
	replay->pending_ns = call->begin_ns;
	replay->pending_values = call_values_keep(call->arguments);
}

void replay_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct replay *replay = context;
	struct replay_thread *thread = replay->thread;
	uint64_t triggers_ns = how == CALL_UNFINISHED && !replay->merged ? UINT64_MAX : end_ns;
	const struct function_text *text;
	bool leaf;

	thread->depth = depth + 1;
	if (has_triggers(replay, triggers_ns))
		replay_triggers(replay, triggers_ns);
	thread->depth = depth;
	if (thread->root_depth == SIZE_MAX)
		return;
	depth -= thread->root_depth;
	if (!depth && replay->from_roots)
		thread->root_depth = SIZE_MAX;
	if (depth >= replay->depth_limit)
		return;
	leaf = replay->pending == thread;
	if (leaf) {
		replay->pending = NULL;
		drop_pending_values(replay);
	} else if (replay->pending) {
		replay_pending(replay);
	}
	text = text_of(replay, thread, call->function);
	put_call(replay, thread, text, &(struct call_line){
		.time_ns = leaf ? call->begin_ns : end_ns,
		.duration_ns = call_duration(call, end_ns),
		.function = call->function,
		.depth = (uint32_t)depth,
		.kind = leaf ? LINE_LEAF : LINE_CLOSES,
		.values = value_line(text, leaf ? call->arguments : NULL, call->result, call->arguments, leaf),
		.how = how,
		.root = call->root,
		.early = call->early,
		.unreliable = call->unreliable,
	});
}

/* "provider:name(1, -2)" */
static void put_hit(struct functions *functions, const struct event *event, char words[USER_EVENT_TEXT_MAX])
{
	char arguments[TRACEPOINT_TEXT_MAX];

	tracepoint_text(event->tracepoint, false, arguments);
	snprintf(words, USER_EVENT_TEXT_MAX, "%s(%s)", function_name(functions, event->function), arguments);
}

void replay_other(void *context, const struct event *event, size_t depth)
{
	struct replay *replay = context;
	struct replay_thread *thread = replay->thread;
	const struct function_text *text = NULL;
	char words[USER_EVENT_TEXT_MAX], *at;

	thread->depth = depth;
	if (has_triggers(replay, event->time_ns))
		replay_triggers(replay, event->time_ns);
	if (!replay_shows(replay, thread))
		return;
	if (replay->pending)
		replay_pending(replay);
	words[0] = '\0';
	if (event->kind <= EVENT_TAIL_EXIT)
		text = text_of(replay, thread, event->function);
	else if (event->kind == EVENT_USER)
		user_event_text(thread->process->process, event, words, sizeof(words));
	else if (event->kind == EVENT_TRACEPOINT)
		put_hit(thread->process->texts.functions, event, words);
	at = replay_line_within(replay, thread, event->time_ns, text ? replay_text_bytes(text->length) : strlen(words));
	at = replay_note_begin(&replay->lines, at);
	if (text) {
		at = replay_put_string(at, "# returns from ");
		at = replay_put_text(at, text->text, replay_text_bytes(text->length));
		at = replay_put_string(at, ", whose entry is not in the trace");
	} else if (event->kind == EVENT_USER || event->kind == EVENT_TRACEPOINT) {
		at = replay_put_string(at, "# ");
		at = replay_put_string(at, words);
	} else {
		at = replay_put_lost(at, event);
	}
	replay_line_end(&replay->lines, replay_note_end(&replay->lines, at));
}

bool replay_stop(void *context)
{
	return output_failed(&((struct replay *)context)->out);
}
