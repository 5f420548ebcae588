/* SPDX-License-Identifier: MIT */
/*
 * functions.h - numbers the functions of one process that occur in its trace, from 1, in the order in
 * which they are found.
 *
 * A dense index means the function that had it when the event was written, because another module may
 * use the base later. Successive instances of a module give the same function several numbers;
 * function_key identifies it.
 */
#ifndef SPOOR_READER_FUNCTIONS_H
#define SPOOR_READER_FUNCTIONS_H

#include "reader/files/map64.h"
#include "reader/files/process.h"
#include "reader/symbols/symbol_places.h"

#define FUNCTION_PAGE_BITS 13
#define FUNCTION_PAGES (1u << (SPOOR_INDEX_BITS - FUNCTION_PAGE_BITS))
#define FUNCTION_AMBIGUOUS UINT32_MAX	/* several modules had this index, at different times */

struct function {
	struct symbol_file *symbols;	/* null: unknown */
	uint64_t id;			/* local ID; if unknown, the dense index or function ID */
	uint32_t index;			/* the dense index, or a tracepoint's number */
	uint32_t module;		/* position among the process's modules */
	const struct unit_symbol *described;	/* from a symbols file; null: it has symbols, or no file has its ID */
	char *name;			/* of an unknown function, a scope or a tracepoint */
	bool is_scope;			/* a named part of a function; `id` is its string's ID */
	bool is_tracepoint;		/* `id` is computed from its name only */
	bool has_index;			/* false: known by its function ID */
};

struct function_page {
	struct function_page *next;	/* list of the allocated pages, to free them */
	uint32_t numbers[1u << FUNCTION_PAGE_BITS];
};

struct functions {
	const struct process *process;
	const struct unit_symbols *described;	/* for function IDs without a module; null: none */
	bool demangle;				/* for names in `described` */
	struct function_page **pages;	/* by the upper bits of the dense index */
	struct function_page *used;
	struct function *list;		/* from [1] on */
	uint32_t count, capacity;
	struct map64 others;		/* numbers that do not fit the pages' scheme */
	struct map64 by_id;		/* by function ID, for user events */
	struct map64 by_scope;		/* by string ID, for scopes */
	struct map64 by_tracepoint;	/* by tracepoint's number */
};

/* Returns 0 or -ENOMEM. */
int functions_begin(struct functions *functions, const struct process *process);
void functions_end(struct functions *functions);

/*
 * Sets the names of function IDs that no module of the process has, such as those of version 0.
 * @symbols: sorted; must stay valid as long as @functions
 */
void functions_describe(struct functions *functions, const struct unit_symbols *symbols, bool demangle);

/* Called for a module that was added after functions_begin. Forgets results about its indexes. */
void functions_module_came(struct functions *functions, const struct module *module);

uint32_t functions_find(struct functions *functions, uint32_t index, uint64_t counter);

/* Returns the number of the function that alone has this dense index, if it was found before; else 0. */
static inline uint32_t functions_known(const struct functions *functions, uint32_t index)
{
	const struct function_page *page = functions->pages[index >> FUNCTION_PAGE_BITS];
	uint32_t number = page ? page->numbers[index & ((1u << FUNCTION_PAGE_BITS) - 1)] : 0;

	return number == FUNCTION_AMBIGUOUS ? 0 : number;
}

/* Returns the number of the function with this dense index at this time; 0 if memory runs out. */
static inline uint32_t functions_number(struct functions *functions, uint32_t index, uint64_t counter)
{
	uint32_t number = functions_known(functions, index);

	return __builtin_expect(number == 0, 0) ? functions_find(functions, index, counter) : number;
}

/* Returns whether no other function had this dense index at another time. */
bool functions_is_alone(const struct functions *functions, uint32_t index);

/* Returns the number of the function that @other, of the same process, calls @number; 0 if memory runs out. */
uint32_t functions_adopt(struct functions *functions, const struct functions *other, uint32_t number);

/* Returns the number of the function with this function ID, which call mode writes; 0 if memory runs out. */
uint32_t functions_number_of_id(struct functions *functions, uint64_t function_id);

/* Returns the number of the scope with this name, an interned string; 0 if memory runs out. */
uint32_t functions_number_of_scope(struct functions *functions, uint64_t string);

/* Returns the number that stands for hits of this tracepoint; 0 if memory runs out. */
uint32_t functions_number_of_tracepoint(struct functions *functions, uint32_t tracepoint);

/* Returns the shown name, never null. Valid as long as the symbol cache and @functions. */
const char *function_name(struct functions *functions, uint32_t number);
/* Returns the name as people read it (symbol_short_names.h): like function_name, and usually shorter. */
const char *function_short_name(struct functions *functions, uint32_t number);
/* Returns whether the name is a real one, and not a substitute such as an address. */
bool function_has_name(const struct functions *functions, uint32_t number);
const char *function_library(const struct functions *functions, uint32_t number);

/* Returns the source place. The caller frees its path. */
struct symbol_place function_place(const struct functions *functions, uint32_t number);

/* Returns the function ID; the dense index if the function is unknown. */
uint64_t function_id(const struct functions *functions, uint32_t number);

#endif
