/* SPDX-License-Identifier: MIT */
/* signature_record.c - builds the description of one function's arguments and result. */
#include "pass/description/signature_record.h"

void signature_put(struct signature_record *record, unsigned byte)
{
	/* The last byte is kept for the end. */
	if (record->used + 1 < sizeof record->bytes)
		record->bytes[record->used++] = (uint8_t)byte;
	else
		record->is_full = true;
}

void signature_put_two(struct signature_record *record, enum spoor_signature_item item, unsigned operand)
{
	signature_put(record, item);
	signature_put(record, operand);
}

/* The size is in LEB128. */
void signature_put_size(struct signature_record *record, enum spoor_signature_item item, uint64_t size)
{
	signature_put(record, item);
	for (; size >= 0x80; size >>= 7)
		signature_put(record, (unsigned)(size & 0x7f) | 0x80);
	signature_put(record, (unsigned)size);
}

void signature_put_byval(struct signature_record *record, uint64_t size, uint64_t alignment)
{
	unsigned logarithm = 0;

	while (alignment >> (logarithm + 1))
		logarithm++;
	signature_put_size(record, SPOOR_SIGNATURE_BYVAL, size);
	signature_put(record, logarithm);
}

void signature_end(struct signature_record *record, size_t fitting)
{
	if (record->is_full) {
		record->used = fitting;
		record->bytes[0] |= SPOOR_SIGNATURE_CUT;
	}
	record->bytes[record->used++] = SPOOR_SIGNATURE_END;
}
