/* SPDX-License-Identifier: MIT */
/*
 * signature_record.h - builds the description of one function's arguments and result (format/signature_format.h),
 * for LLVM's pass and GCC's plugin.
 */
#ifndef SPOOR_SIGNATURE_RECORD_H
#define SPOOR_SIGNATURE_RECORD_H

#include "format/signature_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A description without its head. Begins with all fields 0. */
struct signature_record {
	uint8_t bytes[SPOOR_SIGNATURE_MAX];
	size_t used;
	bool is_full;	/* something did not fit */
};

void signature_put(struct signature_record *record, unsigned byte);
void signature_put_two(struct signature_record *record, enum spoor_signature_item item, unsigned operand);
void signature_put_size(struct signature_record *record, enum spoor_signature_item item, uint64_t size);

/* A structure of @size bytes on the stack. @alignment: in bytes */
void signature_put_byval(struct signature_record *record, uint64_t size, uint64_t alignment);

/*
 * signature_end - ends the description.
 * @fitting: the bytes in use before the first argument that did not fit, if @record is full
 */
void signature_end(struct signature_record *record, size_t fitting);

#ifdef __cplusplus
}
#endif

#endif
