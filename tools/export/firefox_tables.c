/* SPDX-License-Identifier: MIT */
/* firefox_tables.c - writes the parts of a Firefox profile before and after its threads. */
#include <errno.h>

#include "export/firefox.h"

#define PROCESSED_VERSION "60"
#define GECKO_VERSION "33"

uint32_t export_firefox_string(struct export *export, const char *text)
{
	uint32_t number = name_table_add(&export->names, text, "");

	if (!number) {
		export->out.error = -ENOMEM;
		return 0;
	}
	return number - 1;
}

void export_firefox_put_text(struct output *out, const char *key, const char *text)
{
	output_string(out, ",\"");
	output_string(out, key);
	output_string(out, "\":\"");
	output_json_string(out, text);
	output_char(out, '"');
}

static void put_number(struct output *out, const char *key, bool negative, uint64_t size)
{
	/* A double cannot represent every larger number. */
	bool quoted = size > 1ull << 53;

	output_string(out, ",\"");
	output_string(out, key);
	output_string(out, quoted ? "\":\"" : "\":");
	if (negative)
		output_char(out, '-');
	output_number(out, size);
	if (quoted)
		output_char(out, '"');
}

void export_firefox_put_number(struct output *out, const char *key, uint64_t number)
{
	put_number(out, key, false, number);
}

void export_firefox_put_signed(struct output *out, const char *key, int64_t number)
{
	put_number(out, key, number < 0, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void export_firefox_head(struct output *out, const char *product, int64_t system_ns, uint64_t steady_ns)
{
	output_string(out, "{\"meta\":{\"version\":" GECKO_VERSION ",\"preprocessedProfileVersion\":" PROCESSED_VERSION
			   ",\"importedFrom\":\"spoor\",\"interval\":0.001,\"processType\":0,\"stackwalk\":1,\"debug\":false"
			   ",\"symbolicationNotSupported\":true,\"startTime\":");
	output_milliseconds(out, system_ns > 0 ? (uint64_t)system_ns : 0);
	export_firefox_put_number(out, "startTimeAsClockMonotonicNanosecondsSinceBoot", steady_ns);
	export_firefox_put_text(out, "product", product);
	output_string(out,
		",\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}]"
		",\"markerSchema\":["
		"{\"name\":\"user event\",\"tableLabel\":\"{marker.data.payload_1}, {marker.data.payload_2}\","
		"\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\"fields\":["
		"{\"key\":\"number\",\"label\":\"type\",\"format\":\"string\"},"
		"{\"key\":\"payload_1\",\"label\":\"payload 1\",\"format\":\"string\"},"
		"{\"key\":\"payload_2\",\"label\":\"payload 2\",\"format\":\"string\"},"
		"{\"key\":\"string\",\"label\":\"string\",\"format\":\"string\"}]},\n"
		"{\"name\":\"loss\",\"tableLabel\":\"{marker.data.text}\","
		"\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\"fields\":["
		"{\"key\":\"text\",\"label\":\"what\",\"format\":\"string\"},"
		"{\"key\":\"count\",\"label\":\"count\",\"format\":\"string\"}]},\n"
		"{\"name\":\"tracepoint\",\"tableLabel\":\"{marker.name}({marker.data.arguments})\","
		"\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\"fields\":["
		"{\"key\":\"arguments\",\"label\":\"arguments\",\"format\":\"string\"}]},\n"
		"{\"name\":\"return\",\"tableLabel\":\"{marker.data.text}\",\"display\":[\"marker-table\"],\"fields\":["
		"{\"key\":\"text\",\"label\":\"what\",\"format\":\"string\"}]}"
		"]},\n\"libs\":[],\n\"threads\":[");
}

static void begin_column(struct output *out, const char *name)
{
	output_string(out, ",\"");
	output_string(out, name);
	output_string(out, "\":[");
}

#define NONE UINT64_MAX

static void put_value(struct output *out, uint32_t index, uint64_t number)
{
	if (index)
		output_char(out, ',');
	if (number == NONE)
		output_string(out, "null");
	else
		output_number(out, number);
}

/* Writes a column that repeats one value. */
static void put_repeated(struct output *out, const char *name, const char *value, uint32_t count)
{
	begin_column(out, name);
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			output_char(out, ',');
		output_string(out, value);
	}
	output_char(out, ']');
}

/* Writes a column with a number for each function. */
static void put_functions(struct export *export, const char *name,
			  uint64_t (*number)(struct export *export, uint32_t function))
{
	begin_column(&export->out, name);
	for (uint32_t i = 0; i < export->table.count; i++)
		put_value(&export->out, i, number(export, i + 1));
	output_char(&export->out, ']');
}

static uint64_t index_of(struct export *export, uint32_t function)
{
	(void)export;
	return function - 1;
}

static uint64_t name_of(struct export *export, uint32_t function)
{
	return export_firefox_string(export, export->table.list[function].name);
}

static uint64_t index_in(struct export *export, struct name_table *table, const char *text)
{
	uint32_t number = name_table_add(table, text, "");

	if (!number)
		export->out.error = -ENOMEM;
	return number ? number - 1 : 0;
}

static uint64_t file_of(struct export *export, uint32_t function)
{
	const char *file = export->table.list[function].file;

	return file ? index_in(export, &export->firefox->files, file) : NONE;
}

static uint64_t library_of(struct export *export, uint32_t function)
{
	return index_in(export, &export->firefox->libraries, export->table.list[function].library);
}

static uint64_t line_of(struct export *export, uint32_t function)
{
	uint32_t line = export->table.list[function].line;

	return line ? line : NONE;
}

/* Writes a column with the strings of a table. */
static void put_strings(struct export *export, const char *name, const struct name_table *table)
{
	begin_column(&export->out, name);
	for (uint32_t i = 1; i < table->count; i++)
		put_value(&export->out, i - 1, export_firefox_string(export, table->list[i].function));
	output_char(&export->out, ']');
}

static uint32_t count_of(const struct name_table *table)
{
	return table->count ? table->count - 1 : 0;
}

static void put_stacks(struct export *export)
{
	const struct export_firefox *firefox = export->firefox;
	struct output *out = &export->out;

	output_string(out, "\"stackTable\":{\"length\":");
	output_number(out, firefox->node_count);
	begin_column(out, "frame");
	for (uint32_t i = 1; i <= firefox->node_count; i++)
		put_value(out, i - 1, firefox->nodes[i].function - 1);
	output_string(out, "]");
	begin_column(out, "prefix");
	for (uint32_t i = 1; i <= firefox->node_count; i++)
		put_value(out, i - 1, firefox->nodes[i].prefix ? firefox->nodes[i].prefix - 1 : NONE);
	output_string(out, "]}");
}

/* Writes one frame for each function. */
static void put_frames(struct export *export)
{
	struct output *out = &export->out;
	uint32_t count = export->table.count;

	output_string(out, ",\n\"frameTable\":{\"length\":");
	output_number(out, count);
	put_functions(export, "func", index_of);
	put_functions(export, "line", line_of);
	put_repeated(out, "address", "-1", count);
	put_repeated(out, "inlineDepth", "0", count);
	put_repeated(out, "category", "0", count);
	put_repeated(out, "subcategory", "0", count);
	put_repeated(out, "nativeSymbol", "null", count);
	put_repeated(out, "innerWindowID", "null", count);
	put_repeated(out, "column", "null", count);
	output_string(out, "},\n\"funcTable\":{\"length\":");
	output_number(out, count);
	put_functions(export, "name", name_of);
	put_functions(export, "resource", library_of);
	put_functions(export, "source", file_of);
	put_functions(export, "lineNumber", line_of);
	put_repeated(out, "isJS", "false", count);
	put_repeated(out, "relevantForJS", "false", count);
	put_repeated(out, "columnNumber", "null", count);
	output_char(out, '}');
}

void export_firefox_tables(struct export *export)
{
	struct export_firefox *firefox = export->firefox;
	struct output *out = &export->out;

	output_string(out, "],\n\"shared\":{");
	put_stacks(export);
	put_frames(export);
	output_string(out, ",\n\"resourceTable\":{\"length\":");
	output_number(out, count_of(&firefox->libraries));
	put_strings(export, "name", &firefox->libraries);
	put_repeated(out, "type", "1", count_of(&firefox->libraries));	/* a library */
	put_repeated(out, "lib", "null", count_of(&firefox->libraries));
	put_repeated(out, "host", "null", count_of(&firefox->libraries));
	output_string(out, "},\n\"sources\":{\"length\":");
	output_number(out, count_of(&firefox->files));
	put_strings(export, "filename", &firefox->files);
	put_repeated(out, "id", "null", count_of(&firefox->files));
	output_string(out, "},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
			   "\"functionSize\":[]},\n\"stringArray\":[");
	for (uint32_t i = 1; i < export->names.count; i++) {
		output_string(out, i > 1 ? ",\n\"" : "\n\"");
		output_json_string(out, export->names.list[i].function);
		output_char(out, '"');
	}
	output_string(out, "]}}\n");
}
