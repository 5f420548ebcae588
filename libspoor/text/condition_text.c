/* SPDX-License-Identifier: MIT */
/* condition_text.c - parses conditions on the values of a call. */
#include "text/condition_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64u

struct parsing {
	const char *text, *at;
	struct spoor_condition *condition;
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

static uint32_t add_node(struct parsing *parsing, const struct spoor_condition_node *node)
{
	struct spoor_condition *condition = parsing->condition;

	if (condition->count == SPOOR_CONDITION_NODES_MAX)
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

static void take_quoted(struct parsing *parsing, struct spoor_condition_node *node)
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
static void take_number(struct parsing *parsing, struct spoor_condition_node *node)
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

static void take_operand(struct parsing *parsing, struct spoor_condition_node *node)
{
	skip_spaces(parsing);
	if (*parsing->at == '"' || *parsing->at == '\'')
		take_quoted(parsing, node);
	else if (isdigit((unsigned char)*parsing->at) || (*parsing->at && strchr("+-.", *parsing->at)))
		take_number(parsing, node);
	else if (!take_word(parsing, node->text, sizeof(node->text)))
		fail(parsing, "expected a number, a text in quotes, or a word");
	if (!parsing->wrong && !node->has_number && node->operator >= SPOOR_CONDITION_LESS && node->operator <= SPOOR_CONDITION_GREATER_EQUAL)
		fail(parsing, "'<' and '>' need a number");
}

static enum spoor_condition_operator take_operator(struct parsing *parsing)
{
	static const struct { const char *token; enum spoor_condition_operator operator; } operators[] = {
		{ "==", SPOOR_CONDITION_EQUAL }, { "!=", SPOOR_CONDITION_UNEQUAL }, { "<=", SPOOR_CONDITION_LESS_EQUAL }, { ">=", SPOOR_CONDITION_GREATER_EQUAL }, { "!~", SPOOR_CONDITION_UNLIKE },
		{ "=", SPOOR_CONDITION_EQUAL }, { "<", SPOOR_CONDITION_LESS }, { ">", SPOOR_CONDITION_GREATER }, { "~", SPOOR_CONDITION_LIKE },
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (take(parsing, operators[i].token))
			return operators[i].operator;
	return SPOOR_CONDITION_TRUE;
}

static uint32_t parse_any(struct parsing *parsing, unsigned int depth);

static uint32_t parse_one(struct parsing *parsing, unsigned int depth)
{
	struct spoor_condition_node node = { .operator = SPOOR_CONDITION_NOT };

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
	if (node.operator != SPOOR_CONDITION_TRUE)
		take_operand(parsing, &node);
	return add_node(parsing, &node);
}

static uint32_t parse_all(struct parsing *parsing, unsigned int depth)
{
	uint32_t left = parse_one(parsing, depth);

	while (!parsing->wrong && take(parsing, "&&"))
		left = add_node(parsing, &(struct spoor_condition_node){ .operator = SPOOR_CONDITION_AND, .left = left, .right = parse_one(parsing, depth) });
	return left;
}

static uint32_t parse_any(struct parsing *parsing, unsigned int depth)
{
	uint32_t left = parse_all(parsing, depth);

	while (!parsing->wrong && take(parsing, "||"))
		left = add_node(parsing, &(struct spoor_condition_node){ .operator = SPOOR_CONDITION_OR, .left = left, .right = parse_all(parsing, depth) });
	return left;
}

const char *spoor_condition_parse(const char *text, struct spoor_condition *condition, size_t *wrong)
{
	struct parsing parsing = { text, text, condition, NULL };

	condition->count = 0;
	condition->uses_result = false;
	condition->root = parse_any(&parsing, 0);
	skip_spaces(&parsing);
	if (!parsing.wrong && *parsing.at)
		fail(&parsing, "expected '&&', '||' or the end");
	*wrong = (size_t)(parsing.at - text);
	return parsing.wrong;
}
