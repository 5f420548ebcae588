/* SPDX-License-Identifier: MIT */
/* otf2_definitions.c - writes the definitions to which the events of an OTF2 archive refer. */
#include <errno.h>

#include "export/otf2.h"

#define OTF2_VALUE_TEXT "an argument, or the result, of a call"

static const struct {
	const char *name, *description;
	OTF2_Type type;
} attributes[] = {
	[ATTRIBUTE_BEGIN] = { "begin", "when a call without an entry began", OTF2_TYPE_STRING },
	[ATTRIBUTE_END] = { "end", "how a call without an exit ended", OTF2_TYPE_STRING },
	[ATTRIBUTE_TYPE] = { "type", "the number of a user event's type", OTF2_TYPE_UINT32 },
	[ATTRIBUTE_PAYLOAD_1] = { "payload_1", "the number of a user event's string", OTF2_TYPE_UINT64 },
	[ATTRIBUTE_PAYLOAD_2] = { "payload_2", "a user event's second payload", OTF2_TYPE_UINT32 },
	[ATTRIBUTE_TIME] = { "time_ns", "the time that the program set for a user event", OTF2_TYPE_UINT64 },
	[ATTRIBUTE_MISSING] = { "missing", "the kind of missing events", OTF2_TYPE_STRING },
	[ATTRIBUTE_COUNT] = { "count", "the number of missing events or slices", OTF2_TYPE_UINT64 },
	[ATTRIBUTE_REAL] = { "real", "these bits as a real number", OTF2_TYPE_DOUBLE },
};

/* Adds the texts of regions. */
static void add_region_texts(struct export *export)
{
	for (uint32_t i = 1; i <= export->table.count; i++) {
		const struct trace_function *function = &export->table.list[i];

		otf2_text(export, function->name);
		otf2_text(export, function->linkage ? function->linkage : "");
		otf2_text(export, function->library);
		otf2_text(export, function->file ? function->file : "");
	}
}

static void define_places(struct export *export, OTF2_GlobalDefWriter *writer)
{
	const struct export_otf2 *otf2 = export->otf2;
	uint32_t process_id = otf2_text(export, "process ID"), thread_id = otf2_text(export, "thread ID");
	uint32_t machine = otf2_text(export, "machine");
	OTF2_AttributeValue value;

	OTF2_TRY(export, OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, machine, machine,
								  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (uint32_t i = 0; i < export->process_count; i++) {
		OTF2_TRY(export, OTF2_GlobalDefWriter_WriteLocationGroup(writer, i, otf2->groups[i].name,
									 OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
									 OTF2_UNDEFINED_LOCATION_GROUP));
		value.uint64 = otf2->groups[i].process_id;
		OTF2_TRY(export, OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer, i, process_id, OTF2_TYPE_UINT64, value));
	}
	for (uint32_t i = 0; i < export->thread_count; i++) {
		const struct location *location = &otf2->locations[i];

		OTF2_TRY(export, OTF2_GlobalDefWriter_WriteLocation(writer, i, location->name, OTF2_LOCATION_TYPE_CPU_THREAD,
								    location->events, location->group));
		value.uint32 = location->thread_id;
		OTF2_TRY(export, OTF2_GlobalDefWriter_WriteLocationProperty(writer, i, thread_id, OTF2_TYPE_UINT32, value));
	}
}

static void define_regions(struct export *export, OTF2_GlobalDefWriter *writer)
{
	for (uint32_t i = 1; i <= export->table.count; i++) {
		const struct trace_function *function = &export->table.list[i];
		uint32_t name = otf2_text(export, function->name);
		uint32_t linkage = function->linkage ? otf2_text(export, function->linkage) : name;
		uint32_t file = function->file ? otf2_text(export, function->file) : OTF2_UNDEFINED_STRING;

		OTF2_TRY(export, OTF2_GlobalDefWriter_WriteRegion(writer, i - 1, name, linkage,
								  otf2_text(export, function->library),
								  OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER,
								  OTF2_REGION_FLAG_NONE, file, function->line, 0));
	}
}

static void define_values(struct export *export, OTF2_GlobalDefWriter *writer)
{
	const struct name_table *values = &export->otf2->values;

	for (uint32_t i = 1; i < values->count; i++) {
		char kind = *values->list[i].library;

		OTF2_TRY(export, OTF2_GlobalDefWriter_WriteAttribute(writer, ATTRIBUTE_FIXED + i - 1,
								     otf2_text(export, values->list[i].function),
								     otf2_text(export, OTF2_VALUE_TEXT),
								     kind == 's' ? OTF2_TYPE_STRING :
								     kind == 'i' ? OTF2_TYPE_INT64 :
								     kind == 'n' ? OTF2_TYPE_UINT64 : OTF2_TYPE_DOUBLE));
	}
}

static void define_parameters(struct export *export, OTF2_GlobalDefWriter *writer)
{
	const struct name_table *parameters = &export->otf2->parameters;

	for (uint32_t i = 1; i < parameters->count; i++) {
		uint32_t name = otf2_text(export, parameters->list[i].function);
		char kind = *parameters->list[i].library;

		OTF2_TRY(export, OTF2_GlobalDefWriter_WriteParameter(writer, i - 1, name,
								     kind == 's' ? OTF2_PARAMETER_TYPE_STRING :
								     kind == 'i' ? OTF2_PARAMETER_TYPE_INT64 :
										   OTF2_PARAMETER_TYPE_UINT64));
	}
}

/* Adds all texts, because they are defined before everything else. */
static void add_texts(struct export *export)
{
	const struct name_table *parameters = &export->otf2->parameters, *values = &export->otf2->values;

	otf2_text(export, "machine"), otf2_text(export, "process ID"), otf2_text(export, "thread ID");
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		otf2_text(export, attributes[i].name), otf2_text(export, attributes[i].description);
	for (uint32_t i = 1; i < parameters->count; i++)
		otf2_text(export, parameters->list[i].function);
	for (uint32_t i = 1; i < values->count; i++)
		otf2_text(export, values->list[i].function), otf2_text(export, OTF2_VALUE_TEXT);
	add_region_texts(export);
}

int otf2_define(void *context)
{
	struct export *export = context;
	struct export_otf2 *otf2 = export->otf2;
	OTF2_GlobalDefWriter *writer = export->out.error ? NULL : OTF2_Archive_GetGlobalDefWriter(otf2->archive);
	uint64_t begin_ns = otf2->begin_ns < otf2->end_ns ? otf2->begin_ns : otf2->end_ns;

	if (!writer && !export->out.error)
		export->out.error = -EIO;
	if (!export->out.error)
		add_texts(export);
	if (export->out.error)
		return -EPIPE;
	OTF2_TRY(export, OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, begin_ns,
								   otf2->end_ns - begin_ns + 1,
								   begin_ns + (uint64_t)otf2->offset_ns));
	for (uint32_t i = 1; i < otf2->texts.count; i++)
		OTF2_TRY(export, OTF2_GlobalDefWriter_WriteString(writer, i - 1, otf2->texts.list[i].function));
	for (uint32_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		OTF2_TRY(export, OTF2_GlobalDefWriter_WriteAttribute(writer, i, otf2_text(export, attributes[i].name),
								     otf2_text(export, attributes[i].description),
								     attributes[i].type));
	define_values(export, writer);
	define_places(export, writer);
	define_regions(export, writer);
	define_parameters(export, writer);
	OTF2_TRY(export, OTF2_Archive_CloseGlobalDefWriter(otf2->archive, writer));
	return export->out.error ? -EPIPE : 0;
}
