/* SPDX-License-Identifier: MIT */
/* bits.cc - reads and writes single bits in a row of bytes. */
#include "bits.h"

#include <stdexcept>

namespace compress {

void BitWriter::put(uint32_t bits, unsigned count)
{
	pending_ |= uint64_t(bits) << pending_count_;
	pending_count_ += count;
	while (pending_count_ >= 8) {
		bytes_.push_back(uint8_t(pending_));
		pending_ >>= 8;
		pending_count_ -= 8;
	}
}

void BitWriter::finish()
{
	if (pending_count_)
		bytes_.push_back(uint8_t(pending_));
	pending_ = 0;
	pending_count_ = 0;
}

unsigned BitReader::get()
{
	if (cursor_ == end_)
		throw std::runtime_error("the packed text ends too early");
	unsigned bit = *cursor_ >> bit_ & 1;
	if (++bit_ == 8) {
		bit_ = 0;
		cursor_++;
	}
	return bit;
}

} // namespace compress
