/* SPDX-License-Identifier: MIT */
/* module_blocks.c - reads the blocks of a process file that describe modules. Checks every length. */
#include "reader/files/process_records.h"

#include <errno.h>

#include "reader/files/printable_text.h"
#include "reader/symbols/symbol_cache.h"

static int take_module(struct process *process, const struct block *block, struct symbol_cache *symbols)
{
	const uint8_t *at = block->body, *end = at + block->body_bytes;
	struct spoor_module_record record;
	const char *path, *soname;
	struct module *module;
	uint32_t *place;

	if (block->body_bytes < sizeof(record))
		return -EBADMSG;
	memcpy(&record, at, sizeof(record));
	at += sizeof(record);
	if (record.build_id_bytes > (size_t)(end - at) || record.base > SPOOR_INDEX_MAX ||
	    record.count > SPOOR_INDEX_MAX - record.base + 1)
		return -EBADMSG;
	const uint8_t *build_id = at;
	at += record.build_id_bytes;
	path = record_string(&at, end);
	soname = path ? record_string(&at, end) : NULL;
	if (!soname)
		return -EBADMSG;

	module = ARRAY_ADD(process->modules, process->module_count);
	if (!module)
		return -ENOMEM;
	*module = (struct module){
		.module_id = record.module_id,
		.base = record.base,
		.count = record.count,
		.load_bias = record.load_bias,
		.counter = record.counter,
		.gone_counter = UINT64_MAX,
		.path = strdup(path),
		.soname = strdup(soname),
		.build_id = malloc(record.build_id_bytes + 1),
		.build_id_bytes = record.build_id_bytes,
		.hooked = block->extension.kind == SPOOR_BLOCK_HOOKED_MODULE,
		.by_symbol = block->extension.kind == SPOOR_BLOCK_LIBRARY_MODULE,
	};
	place = map64_at(&process->module_at, record.base);
	if (!module->path || !module->soname || !module->build_id || !place)
		return -ENOMEM;
	*place = (uint32_t)process->module_count;
	memcpy(module->build_id, build_id, record.build_id_bytes);
	return symbol_cache_find(symbols, module, &module->symbols);
}

/* Returns the latest module with this base. */
static struct module *module_at_base(struct process *process, uint32_t base)
{
	uint32_t at = map64_find(&process->module_at, base);

	return at ? &process->modules[at - 1] : NULL;
}

static int take_module_gone(struct process *process, const struct block *block)
{
	struct spoor_module_gone gone;
	struct module *module;

	if (block->body_bytes < sizeof(gone))
		return -EBADMSG;
	memcpy(&gone, block->body, sizeof(gone));
	module = module_at_base(process, gone.base);
	if (module)
		module->gone_counter = gone.counter;
	return 0;
}

static int take_skipped_sleds(struct process *process, const struct block *block)
{
	struct spoor_skipped_sleds skipped_sleds;
	struct module *module;

	if (block->body_bytes < sizeof(skipped_sleds))
		return -EBADMSG;
	memcpy(&skipped_sleds, block->body, sizeof(skipped_sleds));
	module = module_at_base(process, skipped_sleds.base);
	if (module) {
		module->skipped_sleds = skipped_sleds;
		module->has_skipped_sleds = true;
	}
	return 0;
}

static int take_foreign(struct process *process, const struct block *block)
{
	const uint8_t *at = block->body, *end = at + block->body_bytes;
	struct spoor_foreign record;
	struct foreign_module *foreign;
	const char *path;

	if (block->body_bytes < sizeof(record))
		return -EBADMSG;
	memcpy(&record, at, sizeof(record));
	at += sizeof(record);
	path = record_string(&at, end);
	if (!path)
		return -EBADMSG;
	foreign = ARRAY_ADD(process->foreign, process->foreign_count);
	if (!foreign)
		return -ENOMEM;
	foreign->sleds = record.sleds & ~SPOOR_FOREIGN_ELSEWHERE;
	foreign->elsewhere = record.sleds & SPOOR_FOREIGN_ELSEWHERE;
	foreign->path = clean_name(strdup(path));
	return foreign->path ? 0 : -ENOMEM;
}

int process_take_module_record(struct process *process, const struct block *block, struct symbol_cache *symbols)
{
	switch (block->extension.kind) {
	case SPOOR_BLOCK_MODULE_GONE:
		return take_module_gone(process, block);
	case SPOOR_BLOCK_SKIPPED_SLEDS:
		return take_skipped_sleds(process, block);
	case SPOOR_BLOCK_FOREIGN:
		return take_foreign(process, block);
	default:
		return take_module(process, block, symbols);
	}
}
