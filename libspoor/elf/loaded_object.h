/* SPDX-License-Identifier: MIT */
/* loaded_object.h - checks addresses against the segments of a loaded object (dl_iterate_phdr). */
#ifndef SPOOR_LOADED_OBJECT_H
#define SPOOR_LOADED_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Tells if [@address, @address + @bytes) is within one segment of the object. */
static inline bool spoor_object_holds(const struct dl_phdr_info *object, uint64_t address, uint64_t bytes)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uint64_t begin = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && address >= begin && address - begin < segment->p_memsz &&
		    bytes <= segment->p_memsz - (address - begin))
			return true;
	}
	return false;
}

#endif
