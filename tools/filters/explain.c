/* SPDX-License-Identifier: MIT */
/* explain.c - spoor filters --explain: shows which rule decides on each function, and what each rule removes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/filters.h"
#include "filters/event_counts.h"
#include "base/message.h"
#include "reader/symbols/unit_symbols.h"

struct decision {
	const Spoor__FunctionInfo *info;
	const struct filter_rule *rule;	/* NULL: no rule decided */
	const char *word;		/* "traced", "blocked", or "never" if no rule can trace it */
	uint64_t events;
};

struct tally {
	uint64_t functions, events;
};

struct explanation {
	struct filters_command *command;
	struct filters filters;
	struct unit_symbols symbols;
	struct filters_events events;
	struct decision *list;
	size_t count;
	struct tally *of_rules;		/* by rule: what it decides */
	bool has_events;
};

/* A function's description, in the form in which rules examine it. */
struct subject {
	const Spoor__FunctionInfo *info;
	char *path;		/* owned; NULL: not built yet */
	bool asked_attribute, asked_loop;	/* a rule asked for a fact that the description lacks */
};

static const char *source_path(struct subject *subject)
{
	const char *file = unit_symbol_text(subject->info->file_name);
	const char *directory = unit_symbol_text(subject->info->directory);

	if (*file == '/' || !*directory)
		return file;
	if (!subject->path && asprintf(&subject->path, "%s/%s", directory, file) < 0)
		subject->path = NULL;
	return subject->path;
}

static const char *subject_text(void *context, enum filter_text which)
{
	struct subject *subject = context;

	switch (which) {
	case FILTER_SOURCE_FILE_PATH:
		return source_path(subject);
	case FILTER_FUNCTION_DEMANGLED_NAME:
		return unit_symbol_text(subject->info->demangled_name);
	case FILTER_FUNCTION_LINKAGE_NAME:
		return unit_symbol_text(subject->info->linkage_name);
	case FILTER_MODULE:
		return unit_symbol_text(subject->info->module_id);
	default:
		return NULL;
	}
}

static bool has_attribute(void *context, const char *name, const char *value)
{
	struct subject *subject = context;

	(void)name, (void)value;
	subject->asked_attribute = true;
	return false;
}

static bool has_loop(void *context)
{
	struct subject *subject = context;

	subject->asked_loop |= !subject->info->has_has_loop;
	return subject->info->has_loop;
}

static void decide(struct explanation *explanation, const Spoor__FunctionInfo *info, struct subject *asked)
{
	struct decision *decision = &explanation->list[explanation->count++];
	struct subject subject = { .info = info };
	const struct filter_subject filter = { subject_text, has_attribute, has_loop,
	(uint32_t)info->ir_instruction_count,
					       &subject };
	bool blocks;

	*decision = (struct decision){ .info = info, .word = info->instrumented ? "traced" : "never" };
	decision->events = filters_events_of(&explanation->events, unit_symbol_text(info->linkage_name));
	/* Symbols of Microsoft's Spoor do not have this field. */
	if (info->has_ruled && !info->ruled)
		return;
	blocks = filters_block(&explanation->filters, &filter, &decision->rule);
	decision->word = blocks ? "blocked" : "traced";
	asked->asked_attribute |= subject.asked_attribute;
	asked->asked_loop |= subject.asked_loop;
	free(subject.path);
	if (decision->rule) {
		struct tally *tally = &explanation->of_rules[decision->rule - explanation->filters.rules];

		tally->functions++;
		tally->events += decision->events;
	}
}

/* Orders by name, file and line, so that the descriptions of one function in several units are neighbours. */
static int compare_symbols(const void *left, const void *right)
{
	const struct unit_symbol *a = left, *b = right;
	int order = strcmp(unit_symbol_text(a->info->linkage_name), unit_symbol_text(b->info->linkage_name));

	if (!order)
		order = strcmp(unit_symbol_text(a->info->file_name), unit_symbol_text(b->info->file_name));
	if (!order)
		order = a->info->line - b->info->line;
	return order ? order : (a->order > b->order) - (a->order < b->order);
}

static bool same_function(const Spoor__FunctionInfo *left, const Spoor__FunctionInfo *right)
{
	return strcmp(unit_symbol_text(left->linkage_name), unit_symbol_text(right->linkage_name)) == 0 &&
	       strcmp(unit_symbol_text(left->file_name), unit_symbol_text(right->file_name)) == 0 &&
	       left->line == right->line;
}

static void decide_functions(struct explanation *explanation)
{
	struct unit_symbols *symbols = &explanation->symbols;
	struct subject asked = { 0 };

	if (symbols->count)
		qsort(symbols->list, symbols->count, sizeof(*symbols->list), compare_symbols);
	for (size_t i = 0; i < symbols->count; i++)
		if (i == 0 || !same_function(symbols->list[i - 1].info, symbols->list[i].info))
			decide(explanation, symbols->list[i].info, &asked);
	if (asked.asked_attribute)
		message("symbols files have no attributes of functions: conditions function_attribute are false");
	if (asked.asked_loop)
		message("some symbols files do not record loops: the functions in them count as without loops");
}

/* Orders more events first, then smaller functions, then by name. */
static int compare_decisions(const void *left, const void *right)
{
	const struct decision *a = left, *b = right;

	if (a->events != b->events)
		return a->events > b->events ? -1 : 1;
	if (a->info->ir_instruction_count != b->info->ir_instruction_count)
		return a->info->ir_instruction_count < b->info->ir_instruction_count ? -1 : 1;
	return strcmp(unit_symbol_text(a->info->linkage_name), unit_symbol_text(b->info->linkage_name));
}

/* Writes a rule: "allow, line 12, 'name'". */
static void put_rule(struct output *out, const struct filter_rule *rule)
{
	char head[64];

	snprintf(head, sizeof(head), "%s, line %" PRIu32, rule->allows ? "allow" : "block", rule->line);
	output_string(out, head);
	if (!rule->name)
		return;
	output_string(out, ", '");
	output_string(out, rule->name);
	output_char(out, '\'');
}

static void put_why(struct output *out, const struct decision *decision)
{
	const char *reason = unit_symbol_text(decision->info->instrumented_reason);

	if (decision->rule)
		put_rule(out, decision->rule);
	else if (decision->info->has_ruled && !decision->info->ruled)
		output_string(out, *reason ? reason : "by an attribute");
}

static void write_csv(struct explanation *explanation)
{
	struct output *out = &explanation->command->out;

	output_string(out, "decision,function,linkage_name,file,line,ir_instruction_count,events,rule_line,rule_name,why\n");
	for (size_t i = 0; i < explanation->count && !output_failed(out); i++) {
		const struct decision *decision = &explanation->list[i];
		const struct filter_rule *rule = decision->rule;
		char numbers[100];

		output_string(out, decision->word);
		output_char(out, ',');
		output_csv_field(out, unit_symbol_name(decision->info));
		output_char(out, ',');
		output_csv_field(out, unit_symbol_text(decision->info->linkage_name));
		output_char(out, ',');
		output_csv_field(out, unit_symbol_text(decision->info->file_name));
		snprintf(numbers, sizeof(numbers), ",%" PRId32 ",%" PRId32 ",", decision->info->line,
			 decision->info->ir_instruction_count);
		output_string(out, numbers);
		if (explanation->has_events)
			output_number(out, decision->events);
		output_char(out, ',');
		if (rule)
			output_number(out, rule->line);
		output_char(out, ',');
		output_csv_field(out, rule && rule->name ? rule->name : "");
		output_char(out, ',');
		output_csv_field(out, rule ? "" : unit_symbol_text(decision->info->instrumented_reason));
		output_char(out, '\n');
	}
}

static void put_events(const struct explanation *explanation, uint64_t events)
{
	struct output *out = &explanation->command->out;
	char share[16] = "       ";

	if (!explanation->has_events)
		return;
	if (explanation->events.all)
		snprintf(share, sizeof(share), " %5.1f%%", 100.0 * (double)events / (double)explanation->events.all);
	output_grouped(out, events, 16);
	output_string(out, share);
}

static void write_functions(const struct explanation *explanation)
{
	struct output *out = &explanation->command->out;

	output_string(out, "DECISION    IR INST");
	output_string(out, explanation->has_events ? "          EVENTS       " : "");
	output_string(out, "  FUNCTION  SOURCE  (WHY)\n");
	for (size_t i = 0; i < explanation->count && !output_failed(out); i++) {
		const struct decision *decision = &explanation->list[i];
		char head[64];

		snprintf(head, sizeof(head), "%-8s %10" PRId32, decision->word, decision->info->ir_instruction_count);
		output_string(out, head);
		put_events(explanation, decision->events);
		output_string(out, "  ");
		output_string(out, unit_symbol_name(decision->info));
		if (*unit_symbol_text(decision->info->file_name)) {
			snprintf(head, sizeof(head), ":%" PRId32, decision->info->line);
			output_string(out, "  ");
			output_string(out, decision->info->file_name);
			output_string(out, decision->info->line > 0 ? head : "");
		}
		if (decision->rule || (decision->info->has_ruled && !decision->info->ruled)) {
			output_string(out, "  (");
			put_why(out, decision);
			output_char(out, ')');
		}
		output_char(out, '\n');
	}
}

static void write_rules(const struct explanation *explanation)
{
	struct output *out = &explanation->command->out;

	output_string(out, "\nFUNCTIONS");
	output_string(out, explanation->has_events ? "          EVENTS       " : "");
	output_string(out, "  WHAT THE RULE DECIDES\n");
	for (size_t i = 0; i < explanation->filters.count; i++) {
		output_grouped(out, explanation->of_rules[i].functions, 9);
		put_events(explanation, explanation->of_rules[i].events);
		output_string(out, "  ");
		put_rule(out, &explanation->filters.rules[i]);
		output_char(out, '\n');
	}
}

static int compare_sizes(const void *left, const void *right)
{
	const struct decision *a = left, *b = right;

	return (a->info->ir_instruction_count > b->info->ir_instruction_count) -
	       (a->info->ir_instruction_count < b->info->ir_instruction_count);
}

/* Shows how many functions and events function_ir_instruction_count_lt would select, for several sizes. */
static void write_percentiles(const struct explanation *explanation)
{
	static const struct {
		const char *text;
		unsigned int of_10000;
	} percents[] = {
		{ "10", 1000 }, { "25", 2500 }, { "50", 5000 }, { "75", 7500 }, { "90", 9000 }, { "95", 9500 },
		{ "99", 9900 }, { "99.9", 9990 }, { "99.99", 9999 }, { "100", 10000 },
	};
	struct output *out = &explanation->command->out;
	uint64_t events = 0;
	size_t at = 0;

	qsort(explanation->list, explanation->count, sizeof(*explanation->list), compare_sizes);
	output_string(out, "\nPERCENTILE    IR INST");
	output_string(out, explanation->has_events ? "          EVENTS         of functions of that size or less\n" : "\n");
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents) && explanation->count; i++) {
		size_t last = (explanation->count * percents[i].of_10000 + 9999) / 10000 - 1;
		int32_t size = explanation->list[last].info->ir_instruction_count;
		char head[64];

		for (; at < explanation->count && explanation->list[at].info->ir_instruction_count <= size; at++)
			events += explanation->list[at].events;
		snprintf(head, sizeof(head), "%9s%% %10" PRId32, percents[i].text, size);
		output_string(out, head);
		put_events(explanation, events);
		output_char(out, '\n');
	}
}

/* Reads rules, symbols and the trace. Returns an enum spoor_exit, after a message for each unreadable file. */
static int read_inputs(struct explanation *explanation)
{
	struct filters_command *command = explanation->command;
	struct spoor_fault fault;
	int status = SPOOR_EXIT_GOOD;

	if (filters_read(&explanation->filters, command->rules_path, &fault) < 0) {
		message("%s", fault.text);
		return SPOOR_EXIT_BAD_TRACE;
	}
	for (int i = 0; i < command->symbol_path_count; i++) {
		const char *wrong = unit_symbols_add_file(&explanation->symbols, command->symbol_paths[i]);

		if (!wrong)
			continue;
		message("%s: %s", command->symbol_paths[i], wrong);
		status = SPOOR_EXIT_BAD_TRACE;
	}
	explanation->has_events = command->trace_path != NULL;
	if (command->trace_path && filters_events_read(&explanation->events, command) != SPOOR_EXIT_GOOD)
		status = SPOOR_EXIT_BAD_TRACE;
	explanation->list = calloc(explanation->symbols.count + 1, sizeof(*explanation->list));
	explanation->of_rules = calloc(explanation->filters.count + 1, sizeof(*explanation->of_rules));
	if (explanation->list && explanation->of_rules)
		return status;
	message("out of memory for the functions");
	explanation->symbols.count = 0;
	return SPOOR_EXIT_BAD_TRACE;
}

int filters_explain(struct filters_command *command)
{
	struct explanation explanation = { .command = command };
	int status = read_inputs(&explanation);

	if (explanation.list && explanation.of_rules) {
		decide_functions(&explanation);
		qsort(explanation.list, explanation.count, sizeof(*explanation.list), compare_decisions);
		if (command->csv) {
			write_csv(&explanation);
		} else {
			write_functions(&explanation);
			write_rules(&explanation);
			write_percentiles(&explanation);
		}
	}
	free(explanation.list);
	free(explanation.of_rules);
	filters_events_free(&explanation.events);
	unit_symbols_free(&explanation.symbols);
	filters_free(&explanation.filters);
	return status;
}
