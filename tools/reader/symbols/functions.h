/* SPDX-License-Identifier: MIT */
/*
 * functions.h - the functions of one process that its trace mentions, numbered
 * from 1 in the order in which they turn up.
 *
 * A dense index means what it meant when the event was written: a base may be
 * another module's later. One instance of a module after another gives its
 * functions several numbers; function_key tells that they are the same.
 */
#ifndef SPOOR_READER_FUNCTIONS_H
#define SPOOR_READER_FUNCTIONS_H

#include "reader/files/map64.h"
#include "reader/files/process.h"
#include "reader/symbols/symbol_places.h"

#define FUNCTION_PAGE_BITS 13
#define FUNCTION_PAGES (1u << (SPOOR_INDEX_BITS - FUNCTION_PAGE_BITS))
#define FUNCTION_AMBIGUOUS UINT32_MAX	/* several modules had this index in turn */

struct function {
	struct symbol_file *symbols;	/* null: not known */
	uint64_t id;			/* local ID; the dense index or function ID where not known */
	uint32_t index;			/* the dense index; a tracepoint's number */
	uint32_t module;		/* of the process's, the one that had that index */
	const struct unit_symbol *described;	/* null: it has symbols, or no symbols file has its ID */
	char *name;			/* where not known, or of a scope or tracepoint */
	bool is_scope;			/* a part of the program that has a name: `id` is the string's */
	bool is_tracepoint;		/* `id` depends on its name alone */
	bool has_index;			/* the others are known by their ID */
};

struct function_page {
	struct function_page *next;	/* of those in use, for their end */
	uint32_t numbers[1u << FUNCTION_PAGE_BITS];
};

struct functions {
	const struct process *process;
	const struct unit_symbols *described;	/* for IDs that no module has; null: none */
	bool demangle;				/* those */
	struct function_page **pages;	/* by the upper bits of the dense index */
	struct function_page *used;
	struct function *list;		/* from 1 */
	uint32_t count, capacity;
	struct map64 others;		/* what the pages cannot say */
	struct map64 by_id;		/* function IDs that user events carry */
	struct map64 by_scope;		/* strings that scopes carry */
	struct map64 by_tracepoint;	/* numbers of tracepoints */
};

/* Return: 0 or -ENOMEM. */
int functions_begin(struct functions *functions, const struct process *process);
void functions_end(struct functions *functions);

/*
 * Names for function IDs that no module of the process has, such as those of version 0.
 * @symbols: sorted; stay as long as @functions
 */
void functions_describe(struct functions *functions, const struct unit_symbols *symbols, bool demangle);

/* A module has come since functions_begin: what was said of its indexes may hold no more. */
void functions_module_came(struct functions *functions, const struct module *module);

uint32_t functions_find(struct functions *functions, uint32_t index, uint64_t counter);

/* The number of the function that alone has this dense index, once it has turned up; else 0. */
static inline uint32_t functions_known(const struct functions *functions, uint32_t index)
{
	const struct function_page *page = functions->pages[index >> FUNCTION_PAGE_BITS];
	uint32_t number = page ? page->numbers[index & ((1u << FUNCTION_PAGE_BITS) - 1)] : 0;

	return number == FUNCTION_AMBIGUOUS ? 0 : number;
}

/* The number of the function with this dense index at this time; 0 without memory. */
static inline uint32_t functions_number(struct functions *functions, uint32_t index, uint64_t counter)
{
	uint32_t number = functions_known(functions, index);

	return __builtin_expect(number == 0, 0) ? functions_find(functions, index, counter) : number;
}

/* Whether no other function had this dense index at another time. */
bool functions_is_alone(const struct functions *functions, uint32_t index);

/* The number of what @other, of the same process, calls @number; 0 without memory. */
uint32_t functions_adopt(struct functions *functions, const struct functions *other, uint32_t number);

/* The number of the function with this function ID, as call mode writes it; 0 without memory. */
uint32_t functions_number_of_id(struct functions *functions, uint64_t function_id);

/* The number of the scope with this name, an interned string; 0 without memory. */
uint32_t functions_number_of_scope(struct functions *functions, uint64_t string);

/* The number of what shows hits of this tracepoint; 0 without memory. */
uint32_t functions_number_of_tracepoint(struct functions *functions, uint32_t tracepoint);

/* As shown; never null. They stay until the symbol cache and @functions go. */
const char *function_name(struct functions *functions, uint32_t number);
/* Whether that is a name out of a symbol table, not a makeshift. */
bool function_has_name(const struct functions *functions, uint32_t number);
const char *function_library(const struct functions *functions, uint32_t number);

/* Where it was written; the caller frees the path. */
struct symbol_place function_place(const struct functions *functions, uint32_t number);

/* The function ID; for one that is not known the dense index. */
uint64_t function_id(const struct functions *functions, uint32_t number);

#endif
