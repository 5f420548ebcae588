/* SPDX-License-Identifier: MIT */
/* inject_unwind.c - finds a function in .eh_frame_hdr, the sorted table of the linker. */
#include "attach/inject/inject_unwind.h"

#include <elf.h>
#include <string.h>

#include "format/unwind_table.h"

/* Debuggers use this function of libunwind, which <libunwind.h> does not declare. */
#define SEARCH UNW_OBJ(dwarf_search_unwind_table)
int SEARCH(unw_addr_space_t space, unw_word_t address, unw_dyn_info_t *table, unw_proc_info_t *info, int need,
	   void *context);

/* libunwind passes its own context to the accessors. */
static __thread const struct target *at_hand;

void inject_unwind_use(const struct target *target)
{
	at_hand = target;
}

/* Finds the table of an image. Returns 0, or -UNW_ENOINFO if it has no table in the usual format. */
static int find_table(const struct target_image *image, unw_dyn_info_t *table)
{
	struct spoor_unwind_table head;
	uint64_t bias = 0, at = 0;
	Elf64_Phdr segment;
	Elf64_Ehdr header;
	bool first = true;

	if (target_read(at_hand->pid, image->begin, &header, sizeof(header)) < 0)
		return -UNW_ENOINFO;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		if (target_read(at_hand->pid, image->begin + header.e_phoff + i * sizeof(segment), &segment, sizeof(segment)) < 0)
			return -UNW_ENOINFO;
		if (segment.p_type == PT_LOAD && first) {
			bias = image->begin - (segment.p_vaddr & ~(uint64_t)4095);
			first = false;
		} else if (segment.p_type == PT_GNU_EH_FRAME) {
			at = segment.p_vaddr;
		}
	}
	if (!at || target_read(at_hand->pid, bias + at, &head, sizeof(head)) < 0 || !spoor_unwind_table_is_one(&head))
		return -UNW_ENOINFO;
	*table = (unw_dyn_info_t){ .start_ip = image->begin, .end_ip = image->end, .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	table->u.rti.segbase = bias + at;
	table->u.rti.table_data = bias + at + sizeof(head);
	table->u.rti.table_len = (unw_word_t)head.count * sizeof(struct spoor_unwind_entry) / sizeof(unw_word_t);
	return 0;
}

/* libunwind reads tables from the files that we see. Other files, and the kernel's part of a process, need this. */
static bool is_in_no_file(const struct target_image *image)
{
	return at_hand->other_files || (image && strcmp(image->path, "[vdso]") == 0);
}

int inject_unwind_find(unw_addr_space_t space, unw_word_t address, unw_proc_info_t *info, int need, void *context)
{
	const struct target_image *image = at_hand ? target_image_at(at_hand, address) : NULL;
	unw_dyn_info_t table;

	if (!at_hand || !is_in_no_file(image)) {
		int error = _UPT_accessors.find_proc_info(space, address, info, need, context);

		/* The file was replaced or moved, but its content is still in memory. */
		if (!at_hand || error >= 0)
			return error;
	}
	if (!image || find_table(image, &table) < 0)
		return -UNW_ENOINFO;
	return SEARCH(space, address, &table, info, need, context);
}
