/* SPDX-License-Identifier: MIT */
/*
 * otf2.c - writes the calls of a trace in the Open Trace Format 2, with libotf2, for Vampir and the
 * tools of Score-P.
 *
 * The output is an archive, which is a directory. Each process is a location group, each thread a
 * location, each function a region, and what a thread waits for too. A user event is a parameter with
 * attributes. Captured arguments and results are attributes of the begin and the end of a call. Measurement is off while events are missing.
 *
 * Events are written in chunks, and definitions at the end. So memory grows with threads, functions and
 * texts only.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "export/otf2.h"
#include "reader/types/shown_values.h"

static uint32_t number_in(struct export *export, struct name_table *table, const char *text, const char *kind)
{
	uint32_t number = name_table_add(table, text, kind);

	if (!number) {
		export->out.error = -ENOMEM;
		return 0;
	}
	return number - 1;
}

uint32_t otf2_text(struct export *export, const char *string)
{
	return number_in(export, &export->otf2->texts, string, "");
}

/* Returns a time for the next event, in ns: the times of a location must never decrease. */
static uint64_t next_time(struct export_otf2 *otf2, uint64_t time_ns)
{
	if (time_ns > otf2->last_ns)
		otf2->last_ns = time_ns;
	if (otf2->last_ns < otf2->begin_ns)
		otf2->begin_ns = otf2->last_ns;
	if (otf2->last_ns > otf2->end_ns)
		otf2->end_ns = otf2->last_ns;
	return otf2->last_ns;
}

static void add_text(struct export *export, enum attribute attribute, const char *string)
{
	OTF2_TRY(export, OTF2_AttributeList_AddStringRef(export->otf2->attributes, attribute, otf2_text(export, string)));
}

static uint32_t region_number(struct export *export, uint32_t function)
{
	uint32_t number = trace_functions_number(&export->table, export->functions, function);

	if (!number) {
		export->out.error = -ENOMEM;
		return 0;
	}
	return number - 1;
}

/* The clocks differ by up to a microsecond: a region ends at the next event at the latest. A state without an end ends
 * where it begins. */
static void leave_state(struct export *export, uint64_t end_ns, uint64_t until_ns, uint32_t number)
{
	struct export_otf2 *otf2 = export->otf2;

	end_ns = end_ns < until_ns ? end_ns : until_ns;
	OTF2_TRY(export, OTF2_EvtWriter_Leave(otf2->writer, NULL, next_time(otf2, end_ns == UINT64_MAX ? 0 : end_ns), number - 1));
}

/* Writes the states before an event as calls of regions. Waits are within system calls. */
static void write_states(struct export *export, uint64_t until_ns)
{
	struct export_otf2 *otf2 = export->otf2;
	uint32_t open = 0;		/* number of the system call's region */
	uint64_t open_end_ns = 0;
	struct wait_state state;

	while (!export->out.error && wait_states_next(&otf2->states, until_ns, &state)) {
		uint32_t number = trace_functions_named(&export->table, state.text);

		if (!number) {
			export->out.error = -ENOMEM;
			return;
		}
		if (open && (state.is_call || state.begin_ns >= open_end_ns)) {
			leave_state(export, open_end_ns, until_ns, open);
			open = 0;
		}
		OTF2_TRY(export, OTF2_EvtWriter_Enter(otf2->writer, NULL, next_time(otf2, state.begin_ns), number - 1));
		if (state.is_call) {
			open = number;
			open_end_ns = state.end_ns == UINT64_MAX ? state.begin_ns : state.end_ns;
		} else {
			leave_state(export, state.end_ns, until_ns, number);
		}
	}
	if (open)
		leave_state(export, open_end_ns, until_ns, open);
}

/* Adds one argument, or the result, of a call. */
static void add_value(struct export *export, const struct shown_value *value)
{
	struct export_otf2 *otf2 = export->otf2;
	bool is_whole = value->is_number && value->number >= INT64_MIN && value->number <= UINT64_MAX &&
			value->number == __builtin_truncl(value->number);
	const char *kind = is_whole ? value->number > INT64_MAX ? "n" : "i" : value->is_number ? "r" : "s";
	OTF2_AttributeRef attribute = ATTRIBUTE_FIXED + number_in(export, &otf2->values, value->name, kind);

	if (*kind == 'n')
		OTF2_TRY(export, OTF2_AttributeList_AddUint64(otf2->attributes, attribute, (uint64_t)value->number));
	else if (*kind == 'i')
		OTF2_TRY(export, OTF2_AttributeList_AddInt64(otf2->attributes, attribute, (int64_t)value->number));
	else if (*kind == 'r')
		OTF2_TRY(export, OTF2_AttributeList_AddDouble(otf2->attributes, attribute, (double)value->number));
	else
		OTF2_TRY(export, OTF2_AttributeList_AddStringRef(otf2->attributes, attribute,
								 otf2_text(export, value->is_string ? value->string : value->text)));
}

static void add_values(struct export *export, const struct call_values *values)
{
	struct shown_values shown;
	struct shown_value value;

	if (!values)
		return;
	shown_values_begin(&shown, values);
	while (shown_values_next(&shown, &value))
		add_value(export, &value);
}

static void otf2_enter(void *context, const struct call *call, size_t depth)
{
	struct export *export = context;
	struct export_otf2 *otf2 = export->otf2;

	(void)depth;
	write_states(export, call->begin_ns);
	if (call->resumed)
		add_text(export, ATTRIBUTE_BEGIN, call->early ? "before the exported time" :
						  call->root ? "before recording" : "its stack continues");
	add_values(export, call->arguments);
	OTF2_TRY(export, OTF2_EvtWriter_Enter(otf2->writer, otf2->attributes, next_time(otf2, call->begin_ns),
					 region_number(export, call->function)));
}

static void otf2_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	static const char *const ends[] = {
		[CALL_EXIT] = NULL,
		[CALL_TAIL] = "tail call",
		[CALL_UNWOUND] = "unwound",
		[CALL_SET_ASIDE] = "another stack continues",
		[CALL_LEFT] = "left without returning",
		[CALL_UNRECORDED] = "still running when recording stopped",
		[CALL_UNFINISHED] = "still running when the trace ends",
		[CALL_BEYOND] = "after the exported time",
	};
	struct export *export = context;
	struct export_otf2 *otf2 = export->otf2;

	(void)depth;
	write_states(export, end_ns);
	if (ends[how])
		add_text(export, ATTRIBUTE_END, ends[how]);
	add_values(export, call->result);
	OTF2_TRY(export, OTF2_EvtWriter_Leave(otf2->writer, otf2->attributes, next_time(otf2, end_ns),
					 region_number(export, call->function)));
}

static void write_missing(struct export *export, const struct event *event)
{
	struct export_otf2 *otf2 = export->otf2;

	add_text(export, ATTRIBUTE_MISSING, export_event_word(event));
	if (event->count)
		OTF2_TRY(export, OTF2_AttributeList_AddUint64(otf2->attributes, ATTRIBUTE_COUNT, event->count));
	OTF2_TRY(export, OTF2_EvtWriter_MeasurementOnOff(otf2->writer, otf2->attributes, next_time(otf2, 0),
							 OTF2_MEASUREMENT_OFF));
	OTF2_TRY(export, OTF2_EvtWriter_MeasurementOnOff(otf2->writer, NULL, next_time(otf2, event->time_ns),
							 OTF2_MEASUREMENT_ON));
}

static void write_text_parameter(struct export *export, const char *name, const char *string, uint64_t time_ns)
{
	struct export_otf2 *otf2 = export->otf2;

	OTF2_TRY(export, OTF2_EvtWriter_ParameterString(otf2->writer, otf2->attributes, next_time(otf2, time_ns),
						   number_in(export, &otf2->parameters, name, "s"), otf2_text(export, string)));
}

static void write_user_event(struct export *export, const struct event *event)
{
	struct export_otf2 *otf2 = export->otf2;
	const char *string = user_event_string(export->process, event);
	/* A time that the program gave may be out of order, so the event gets the time of the event before. */
	uint64_t time_ns = event->own_time ? 0 : event->time_ns;
	char name[EXPORT_TEXT_MAX];
	size_t type;

	export_event_text(export, event, name, sizeof(name));
	OTF2_TRY(export, OTF2_AttributeList_AddUint32(otf2->attributes, ATTRIBUTE_TYPE, event->user_type));
	if (string)
		OTF2_TRY(export, OTF2_AttributeList_AddUint64(otf2->attributes, ATTRIBUTE_PAYLOAD_1, event->user_payload_1));
	OTF2_TRY(export, OTF2_AttributeList_AddUint32(otf2->attributes, ATTRIBUTE_PAYLOAD_2, event->user_payload_2));
	if (event->own_time)
		OTF2_TRY(export, OTF2_AttributeList_AddUint64(otf2->attributes, ATTRIBUTE_TIME, event->time_ns));
	if (string)
		write_text_parameter(export, name, string, time_ns);
	else if (user_event_is_counter(export->process, event, &type))
		OTF2_TRY(export, OTF2_EvtWriter_ParameterInt(otf2->writer, otf2->attributes, next_time(otf2, time_ns),
							     number_in(export, &otf2->parameters, name, "i"),
							     (int64_t)event->user_payload_1));
	else
		OTF2_TRY(export, OTF2_EvtWriter_ParameterUnsignedInt(otf2->writer, otf2->attributes,
								     next_time(otf2, time_ns),
								     number_in(export, &otf2->parameters, name, "n"),
								     event->user_payload_1));
}

/* Writes the number of arguments of a hit, then each of them. */
static void write_tracepoint(struct export *export, const struct event *event)
{
	struct export_otf2 *otf2 = export->otf2;
	const char *tracepoint = function_name(export->functions, event->function);
	uint64_t time_ns = next_time(otf2, event->time_ns);
	char name[EXPORT_TEXT_MAX];

	OTF2_TRY(export, OTF2_EvtWriter_ParameterUnsignedInt(otf2->writer, otf2->attributes, time_ns,
							     number_in(export, &otf2->parameters, tracepoint, "n"),
							     event->tracepoint->count));
	for (uint32_t i = 0; i < event->tracepoint->count; i++) {
		struct tracepoint_argument argument = tracepoint_argument(event->tracepoint, i);
		bool is_signed = argument.kind == TRACEPOINT_SIGNED;
		uint32_t number;

		snprintf(name, sizeof(name), "%s arg%" PRIu32, tracepoint, i + 1);
		number = number_in(export, &otf2->parameters, name, is_signed ? "i" : "n");
		/* OTF2 has no real parameters, and texts would stay in memory. So write the bits, and an attribute. */
		if (argument.kind == TRACEPOINT_REAL)
			OTF2_TRY(export, OTF2_AttributeList_AddDouble(otf2->attributes, ATTRIBUTE_REAL,
								      tracepoint_argument_real(&argument)));
		if (is_signed)
			OTF2_TRY(export, OTF2_EvtWriter_ParameterInt(otf2->writer, otf2->attributes, time_ns, number,
								     (int64_t)argument.value));
		else
			OTF2_TRY(export, OTF2_EvtWriter_ParameterUnsignedInt(otf2->writer, otf2->attributes, time_ns,
									     number, argument.value));
	}
}

static void otf2_other(void *context, const struct event *event, size_t depth)
{
	struct export *export = context;

	(void)depth;
	if (event->kind != EVENT_USER || !event->own_time)
		write_states(export, event->time_ns);
	if (event->kind == EVENT_LOST)
		write_missing(export, event);
	else if (event->kind == EVENT_USER)
		write_user_event(export, event);
	else if (event->kind == EVENT_TRACEPOINT)
		write_tracepoint(export, event);
	else
		write_text_parameter(export, "return of a function whose entry is not in the trace",
				     function_name(export->functions, event->function), event->time_ns);
}

static int otf2_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;
	struct export_otf2 *otf2 = export->otf2;
	struct group *groups = reallocarray(otf2->groups, export->process_count + 1, sizeof(*groups));

	if (!groups)
		return -ENOMEM;
	otf2->groups = groups;
	if (!export->process_count)
		otf2->offset_ns = process->begin_system_ns - process->begin_steady_ns;
	groups[export->process_count] = (struct group){
		.process_id = (uint64_t)process->process_id, .name = otf2_text(export, process_title(process)),
	};
	export_process_begin(export, process, functions);
	return export->out.error;
}

/* Begins the thread that was counted last. The first one opens the archive. */
static int begin_location(struct export *export, struct location location)
{
	struct export_otf2 *otf2 = export->otf2;
	uint32_t number = export->thread_count - 1;
	struct location *locations = reallocarray(otf2->locations, number + 1, sizeof(*locations));

	if (!locations)
		return -ENOMEM;
	otf2->locations = locations;
	locations[number] = location;
	if (!otf2->archive)
		otf2_open(export);
	otf2->writer = export->out.error ? NULL : OTF2_Archive_GetEvtWriter(otf2->archive, number);
	if (!otf2->writer && !export->out.error)
		export->out.error = -EIO;
	return otf2->writer ? 0 : -EPIPE;
}

static int otf2_thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;

	int error;

	export_thread_begin(export, thread);
	error = wait_states_begin(&export->otf2->states, export);
	if (error)
		return error;
	export->otf2->last_ns = clock_ns(&export->process->clock, thread->first_counter);
	return begin_location(export, (struct location){
		.group = export->process_count - 1,
		.thread_id = thread->thread_id,
		.name = otf2_text(export, export_thread_name(export)),
	});
}

static int otf2_thread_end(void *context, const struct call_tree *tree)
{
	struct export *export = context;
	struct export_otf2 *otf2 = export->otf2;
	struct location *location = &otf2->locations[export->thread_count - 1];
	OTF2_DefWriter *definitions;

	(void)tree;
	write_states(export, UINT64_MAX);
	wait_states_end(&otf2->states);
	OTF2_TRY(export, OTF2_EvtWriter_GetNumberOfEvents(otf2->writer, &location->events));
	OTF2_TRY(export, OTF2_Archive_CloseEvtWriter(otf2->archive, otf2->writer));
	/* Readers require a file of definitions for each location, so write an empty one. */
	definitions = export->out.error ? NULL : OTF2_Archive_GetDefWriter(otf2->archive, export->thread_count - 1);
	if (definitions)
		OTF2_TRY(export, OTF2_Archive_CloseDefWriter(otf2->archive, definitions));
	return export->out.error ? -EPIPE : 0;	/* -EPIPE ends the walk; write_all reports out.error */
}

/* Writes the definitions. Readers reject an archive without a location: a trace without threads gets an empty one. */
static int otf2_trace_end(void *context)
{
	struct export *export = context;
	int error = 0;

	if (!export->process_count)
		return 0;
	if (!export->thread_count) {
		const struct group *group = export->otf2->groups;

		export->thread_count++;
		error = begin_location(export, (struct location){
			.thread_id = (uint32_t)group->process_id, .name = group->name,
		});
		error = error ? error : otf2_thread_end(export, NULL);
	}
	return error ? error : otf2_define(context);
}

void export_otf2(struct walk_sink *sink)
{
	sink->process_begin = otf2_process_begin;
	sink->thread_begin = otf2_thread_begin;
	sink->thread_end = otf2_thread_end;
	sink->trace_end = otf2_trace_end;
	sink->calls.enter = otf2_enter;
	sink->calls.leave = otf2_leave;
	sink->calls.other = otf2_other;
}

const char *export_otf2_missing(void)
{
	return NULL;
}

int export_otf2_begin(struct export *export, const char *path)
{
	struct export_otf2 *otf2 = export->otf2 = calloc(1, sizeof(*otf2));
	int directory, taken;

	if (!otf2)
		return -ENOMEM;
	directory = export_directory(export, path);
	if (directory < 0)
		return directory;
	taken = !faccessat(directory, "traces.otf2", F_OK, AT_SYMLINK_NOFOLLOW);
	close(directory);
	if (taken)
		return -EEXIST;
	otf2->begin_ns = UINT64_MAX;
	/* By convention the text with number 0 is empty. */
	otf2_text(export, "");
	return export->out.error;
}

int export_otf2_end(struct export *export)
{
	struct export_otf2 *otf2 = export->otf2;

	if (!otf2)
		return 0;
	otf2_close(export);
	name_table_free(&otf2->texts);
	name_table_free(&otf2->parameters);
	name_table_free(&otf2->values);
	free(otf2->groups);
	free(otf2->locations);
	free(otf2);
	export->otf2 = NULL;
	return export->out.error;
}
