/* SPDX-License-Identifier: MIT */
/* ctf_metadata.c - writes the description of CTF streams, in TSDL. */
#include "export/ctf.h"

#define USER_FIELDS "uint32_t type; uint64_t payload_1; uint32_t payload_2; uint64_t time_ns;"
#define FUNCTION_FIELDS "uint32_t function; hexadecimal_t function_id; string name; string library;"

/* The names are those of export_event_word. A wait without an end has the largest duration. */
static const struct { const char *name, *fields; } event_classes[] = {
	[CLASS_ENTRY] = { "entry", "function_t function;" },
	[CLASS_EXIT] = { "exit", "function_t function;" },
	[CLASS_TAIL_EXIT] = { "tail_exit", "function_t function;" },
	[CLASS_ROOT] = { "root", "function_t function; uint32_t around; uint32_t frame;" },
	[CLASS_FRAME] = { "frame", "uint32_t frame;" },
	[CLASS_UNWIND] = { "unwind", "uint32_t frame;" },
	[CLASS_LEAVES_STACK] = { "leaves_stack", "uint32_t frame;" },
	[CLASS_ON_STACK] = { "on_stack", "uint32_t frame;" },
	[CLASS_LOST] = { "lost", "uint64_t count; cause_t cause;" },
	[CLASS_LOST_SLICES] = { "lost_slices", "uint64_t count; cause_t cause;" },
	[CLASS_LOST_OVERWRITTEN] = { "lost_overwritten", "uint64_t count; cause_t cause;" },
	[CLASS_UNRECORDED] = { "unrecorded", "uint64_t count; cause_t cause;" },
	[CLASS_USER] = { "user", USER_FIELDS },
	[CLASS_USER_NAMED] = { "user_named", USER_FIELDS " string type_name;" },
	[CLASS_USER_EMPTY] = { "user_empty_string", USER_FIELDS " string type_name;" },
	[CLASS_USER_STRING] = { "user_string", USER_FIELDS " string type_name; string text;" },
	[CLASS_TRACEPOINT] = { "tracepoint", "function_t tracepoint;" },
	[CLASS_TRACEPOINT_ARGUMENTS] = { "tracepoint_arguments", "function_t tracepoint; string arguments;" },
	[CLASS_WAIT] = { "wait", "uint64_t duration;" },
	[CLASS_WAIT_IN] = { "wait_in", "uint64_t duration; string reason;" },
	[CLASS_PREEMPTED] = { "preempted", "uint64_t duration;" },
	[CLASS_SYSCALL] = { "syscall", "uint64_t duration; string call;" },
	[CLASS_ENTRY_ARGUMENTS] = { "entry_arguments", "function_t function; string arguments;" },
	[CLASS_EXIT_RESULT] = { "exit_result", "function_t function; string result;" },
};

/* Causes of missing events. */
static const struct { const char *name; uint32_t cause; } causes[] = {
	{ "pool_exhausted", SPOOR_LOSS_POOL_EXHAUSTED }, { "no_thread", SPOOR_LOSS_NO_THREAD },
	{ "hole", SPOOR_LOSS_HOLE }, { "write", SPOOR_LOSS_WRITE }, { "thread_full", SPOOR_LOSS_THREAD_FULL },
	{ "cleared", SPOOR_LOSS_CLEARED }, { "limit", SPOOR_LOSS_LIMIT }, { "unknown", EVENT_LOST_UNKNOWN },
	{ "slices_missing", EVENT_LOST_SLICES }, { "slice_unreadable", EVENT_LOST_UNREADABLE },
	{ "overwritten", EVENT_LOST_OVERWRITTEN }, { "unrecorded", EVENT_LOST_UNRECORDED },
};
_Static_assert(SPOOR_LOSS_COUNT == 7, "each has a name");

static void put_label(struct output *out, const char *label, uint64_t number)
{
	output_string(out, "\t\"");
	output_tsdl_string(out, label);
	output_string(out, "\" = ");
	output_number(out, number);
	output_string(out, ",\n");
}

/* Describes packets, and the types of the fields. */
static void describe_packets(struct output *out, uint64_t offset_ns)
{

	output_string(out,
		"/* CTF 1.8 */\n\n"
		"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
		"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
		"typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; base = hexadecimal; } := hexadecimal_t;\n\n"
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
		"\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n};\n\n"
		"env {\n\ttracer_name = \"spoor\";\n};\n\n"
		"clock {\n\tname = monotonic;\n\tdescription = \"CLOCK_MONOTONIC\";\n\tfreq = 1000000000;\n\toffset_s = ");
	output_number(out, offset_ns / 1000000000);
	output_string(out, ";\n\toffset = ");
	output_number(out, offset_ns % 1000000000);
	output_string(out, offset_ns ? ";\n\tabsolute = TRUE;\n};\n\n" : ";\n};\n\n");
	output_string(out,
		"typealias integer { size = 32; align = 8; signed = false; map = clock.monotonic.value; } := stamp_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := full_stamp_t;\n\n"
		"struct event_header { uint8_t id; stamp_t timestamp; };\n\n"
		"stream {\n\tid = 0;\n\tevent.header := struct event_header;\n"
		"\tpacket.context := struct {\n"
		"\t\tfull_stamp_t timestamp_begin;\n\t\tfull_stamp_t timestamp_end;\n"
		"\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
		"\t\tuint64_t packet_seq_num;\n\t\tuint64_t events_discarded;\n"
		"\t\tint64_t process;\n\t\tuint32_t thread;\n\t\tstring process_name;\n\t\tstring thread_name;\n\t};\n};\n\n"
		"stream {\n\tid = 1;\n\tevent.header := struct event_header;\n"
		"\tpacket.context := struct {\n"
		"\t\tfull_stamp_t timestamp_begin;\n\t\tfull_stamp_t timestamp_end;\n"
		"\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
		"\t\tuint64_t packet_seq_num;\n\t\tuint64_t events_discarded;\n\t};\n};\n\n");
}

static void describe_event(struct output *out, uint32_t stream, uint32_t id, const char *name, const char *fields)
{
	output_string(out, "event {\n\tname = \"");
	output_string(out, name);
	output_string(out, "\";\n\tid = ");
	output_number(out, id);
	output_string(out, ";\n\tstream_id = ");
	output_number(out, stream);
	output_string(out, ";\n\tfields := struct { ");
	output_string(out, fields);
	output_string(out, " };\n};\n\n");
}

void export_ctf_metadata(struct output *out, const struct trace_functions *table, int64_t offset_ns)
{
	describe_packets(out, offset_ns > 0 ? (uint64_t)offset_ns : 0);
	output_string(out, "typealias enum : uint32_t {\n");
	for (uint32_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		put_label(out, causes[i].name, causes[i].cause);
	output_string(out, "} := cause_t;\n\ntypealias enum : uint32_t {\n");
	/* Readers reject an empty enumeration. */
	put_label(out, "", 0);
	for (uint32_t i = 1; i <= table->count; i++)
		put_label(out, table->list[i].name, i);
	output_string(out, "} := function_t;\n\n");
	for (uint32_t i = 0; i < sizeof(event_classes) / sizeof(*event_classes); i++)
		describe_event(out, STREAM_THREAD, i, event_classes[i].name, event_classes[i].fields);
	describe_event(out, STREAM_FUNCTIONS, CLASS_FUNCTION, "function", FUNCTION_FIELDS);
	describe_event(out, STREAM_FUNCTIONS, CLASS_FUNCTION_IN_FILE, "function_in_file",
		       FUNCTION_FIELDS " string file; uint32_t line;");
}
