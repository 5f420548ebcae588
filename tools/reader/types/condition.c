/* SPDX-License-Identifier: MIT */
/* condition.c - parses and evaluates conditions on the values of a call. */
#include "reader/types/condition.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "reader/types/shown_values.h"

#define NODES_MAX 128u
#define DEPTH_MAX 64u
#define TEXT_MAX 256u

enum operator { OP_TRUE, OP_EQUAL, OP_UNEQUAL, OP_LESS, OP_LESS_EQUAL, OP_GREATER, OP_GREATER_EQUAL, OP_LIKE, OP_UNLIKE, OP_AND, OP_OR, OP_NOT };

struct node {
	enum operator operator;
	uint32_t left, right;	/* of OP_AND, OP_OR; OP_NOT has only left */
	/* Of a comparison. */
	char name[64], text[TEXT_MAX];
	bool has_number;
	long double number;
};

struct condition {
	bool uses_result;
	uint32_t count, root;
	struct node nodes[NODES_MAX];
};

struct parsing {
	const char *text, *at;
	struct condition *condition;
	const char *wrong;	/* the first error */
};

static uint32_t fail(struct parsing *parsing, const char *wrong)
{
	if (!parsing->wrong)
		parsing->wrong = wrong;
	return 0;
}

static void skip_spaces(struct parsing *parsing)
{
	while (isspace((unsigned char)*parsing->at))
		parsing->at++;
}

static bool take(struct parsing *parsing, const char *token)
{
	skip_spaces(parsing);
	if (strncmp(parsing->at, token, strlen(token)) != 0)
		return false;
	parsing->at += strlen(token);
	return true;
}

static uint32_t add_node(struct parsing *parsing, const struct node *node)
{
	struct condition *condition = parsing->condition;

	if (condition->count == NODES_MAX)
		return fail(parsing, "too many parts");
	condition->nodes[condition->count] = *node;
	return condition->count++;
}

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == ':' || (unsigned char)c >= 0x80;
}

/* Takes a name or the word of an operand. Returns whether there is one. */
static bool take_word(struct parsing *parsing, char *word, size_t size)
{
	size_t length = 0;

	skip_spaces(parsing);
	while (is_in_word(parsing->at[length]))
		length++;
	if (!length || length >= size || isdigit((unsigned char)*parsing->at))
		return false;
	memcpy(word, parsing->at, length);
	word[length] = '\0';
	parsing->at += length;
	return true;
}

static void take_quoted(struct parsing *parsing, struct node *node)
{
	char quote = *parsing->at++;
	size_t length = 0;

	for (; *parsing->at && *parsing->at != quote; parsing->at++) {
		if (*parsing->at == '\\' && (parsing->at[1] == quote || parsing->at[1] == '\\'))
			parsing->at++;
		if (length + 1 == sizeof(node->text)) {
			fail(parsing, "the text is too long");
			return;
		}
		node->text[length++] = *parsing->at;
	}
	node->text[length] = '\0';
	if (*parsing->at != quote)
		fail(parsing, "the text has no end");
	else
		parsing->at++;
}

/* Takes a decimal or hexadecimal number, or a real one. */
static void take_number(struct parsing *parsing, struct node *node)
{
	char *end;

	node->number = strtold(parsing->at, &end);
	node->has_number = end != parsing->at && !is_in_word(*end);
	if (!node->has_number)
		fail(parsing, "not a number");
	else if ((size_t)(end - parsing->at) < sizeof(node->text))
		memcpy(node->text, parsing->at, (size_t)(end - parsing->at));
	parsing->at = end;
}

static void take_operand(struct parsing *parsing, struct node *node)
{
	skip_spaces(parsing);
	if (*parsing->at == '"' || *parsing->at == '\'')
		take_quoted(parsing, node);
	else if (isdigit((unsigned char)*parsing->at) || (*parsing->at && strchr("+-.", *parsing->at)))
		take_number(parsing, node);
	else if (!take_word(parsing, node->text, sizeof(node->text)))
		fail(parsing, "expected a number, a text in quotes, or a word");
	if (!parsing->wrong && !node->has_number && node->operator >= OP_LESS && node->operator <= OP_GREATER_EQUAL)
		fail(parsing, "'<' and '>' need a number");
}

static enum operator take_operator(struct parsing *parsing)
{
	static const struct { const char *token; enum operator operator; } operators[] = {
		{ "==", OP_EQUAL }, { "!=", OP_UNEQUAL }, { "<=", OP_LESS_EQUAL }, { ">=", OP_GREATER_EQUAL }, { "!~", OP_UNLIKE },
		{ "=", OP_EQUAL }, { "<", OP_LESS }, { ">", OP_GREATER }, { "~", OP_LIKE },
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (take(parsing, operators[i].token))
			return operators[i].operator;
	return OP_TRUE;
}

static uint32_t parse_any(struct parsing *parsing, unsigned int depth);

static uint32_t parse_one(struct parsing *parsing, unsigned int depth)
{
	struct node node = { .operator = OP_NOT };

	if (depth == DEPTH_MAX)
		return fail(parsing, "too many parentheses");
	if (take(parsing, "!")) {
		node.left = parse_one(parsing, depth + 1);
		return add_node(parsing, &node);
	}
	if (take(parsing, "(")) {
		uint32_t inner = parse_any(parsing, depth + 1);

		return take(parsing, ")") ? inner : fail(parsing, "expected ')'");
	}
	if (!take_word(parsing, node.name, sizeof(node.name)))
		return fail(parsing, "expected the name of an argument, or result");
	parsing->condition->uses_result |= strcmp(node.name, "result") == 0;
	node.operator = take_operator(parsing);
	if (node.operator != OP_TRUE)
		take_operand(parsing, &node);
	return add_node(parsing, &node);
}

static uint32_t parse_all(struct parsing *parsing, unsigned int depth)
{
	uint32_t left = parse_one(parsing, depth);

	while (!parsing->wrong && take(parsing, "&&"))
		left = add_node(parsing, &(struct node){ .operator = OP_AND, .left = left, .right = parse_one(parsing, depth) });
	return left;
}

static uint32_t parse_any(struct parsing *parsing, unsigned int depth)
{
	uint32_t left = parse_all(parsing, depth);

	while (!parsing->wrong && take(parsing, "||"))
		left = add_node(parsing, &(struct node){ .operator = OP_OR, .left = left, .right = parse_all(parsing, depth) });
	return left;
}

const char *condition_parse(const char *text, struct condition **condition, size_t *wrong)
{
	struct parsing parsing = { text, text, calloc(1, sizeof(**condition)), NULL };

	*condition = NULL;
	*wrong = 0;
	if (!parsing.condition)
		return "out of memory";
	parsing.condition->root = parse_any(&parsing, 0);
	skip_spaces(&parsing);
	if (!parsing.wrong && *parsing.at)
		fail(&parsing, "expected '&&', '||' or the end");
	*wrong = (size_t)(parsing.at - text);
	if (parsing.wrong)
		condition_free(parsing.condition);
	else
		*condition = parsing.condition;
	return parsing.wrong;
}

void condition_free(struct condition *condition)
{
	free(condition);
}

bool condition_uses_result(const struct condition *condition)
{
	return condition->uses_result;
}

static bool compare_numbers(enum operator operator, long double left, long double right)
{
	switch (operator) {
	case OP_EQUAL:
		return left == right;
	case OP_UNEQUAL:
		return left != right;
	case OP_LESS:
		return left < right;
	case OP_LESS_EQUAL:
		return left <= right;
	case OP_GREATER:
		return left > right;
	default:
		return left >= right;
	}
}

static bool compare(const struct node *node, const struct shown_value *value)
{
	const char *text = value->is_string ? value->string : value->text;

	switch (node->operator) {
	case OP_TRUE:
		return value->is_number ? value->number != 0 : strcmp(value->text, "NULL") != 0;
	case OP_LIKE:
	case OP_UNLIKE:
		return (fnmatch(node->text, text, 0) == 0) == (node->operator == OP_LIKE);
	case OP_EQUAL:
	case OP_UNEQUAL:
		if (!node->has_number || !value->is_number)
			return (strcmp(node->text, text) == 0) == (node->operator == OP_EQUAL);
		break;
	default:
		if (!value->is_number)
			return false;
	}
	return compare_numbers(node->operator, value->number, node->number);
}

/* Sets which comparisons hold. */
static void compare_all(const struct condition *condition, const struct call_values *values, bool *holds)
{
	struct shown_values shown;
	struct shown_value value;

	if (!values)
		return;
	shown_values_begin(&shown, values);
	while (shown_values_next(&shown, &value))
		for (uint32_t i = 0; i < condition->count; i++)
			if (condition->nodes[i].operator < OP_AND && strcmp(condition->nodes[i].name, value.name) == 0)
				holds[i] = compare(&condition->nodes[i], &value);
}

bool condition_holds(const struct condition *condition, const struct call_values *arguments,
		     const struct call_values *result)
{
	bool holds[NODES_MAX] = { false };

	compare_all(condition, arguments, holds);
	if (condition->uses_result)
		compare_all(condition, result, holds);
	/* The parts of a node are before it. */
	for (uint32_t i = 0; i < condition->count; i++) {
		const struct node *node = &condition->nodes[i];

		if (node->operator == OP_NOT)
			holds[i] = !holds[node->left];
		else if (node->operator == OP_AND)
			holds[i] = holds[node->left] && holds[node->right];
		else if (node->operator == OP_OR)
			holds[i] = holds[node->left] || holds[node->right];
	}
	return holds[condition->root];
}
