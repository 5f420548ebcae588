/* SPDX-License-Identifier: MIT */
/* symbols_message.c - writes symbols files. */
#include "reader/symbols/symbols_message.h"

#include <errno.h>
#include <stdlib.h>

void symbols_message_put(struct output *out, uint64_t key, Spoor__FunctionInfo **infos, size_t count)
{
	Spoor__FunctionInfos value = SPOOR__FUNCTION_INFOS__INIT;
	Spoor__Symbols__Entry entry = SPOOR__SYMBOLS__ENTRY__INIT, *entries[] = { &entry };
	Spoor__Symbols message = SPOOR__SYMBOLS__INIT;
	uint8_t *bytes;

	value.n_function_infos = count;
	value.function_infos = infos;
	entry.has_key = 1;
	entry.key = key;
	entry.value = &value;
	message.n_function_symbols_table = 1;
	message.function_symbols_table = entries;
	bytes = malloc(spoor__symbols__get_packed_size(&message));
	if (bytes)
		output_put(out, bytes, spoor__symbols__pack(&message, bytes));
	else if (!out->error)
		out->error = -ENOMEM;
	free(bytes);
}
