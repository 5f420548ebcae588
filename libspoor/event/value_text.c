/* SPDX-License-Identifier: MIT */
/*
 * value_text.c - reads text for a record of values, from memory that may not exist.
 *
 * Constants of the executable, and the rest of the page in which the thread's stack ends, are read directly. The
 * kernel reads all other memory (process_vm_readv), unless a seccomp filter could forbid that. So a wild pointer causes
 * no fault, even if another thread unmaps the memory meanwhile. Compiled as slow_path.c is.
 */
#include "event/value_text.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/system.h"
#include "event/event_path.h"

#define LEAST_PAGE 4096u	/* no page is smaller */

struct spoor_readable spoor_readable[SPOOR_READABLE_MAX];
uint32_t spoor_readable_count;
bool spoor_text_filter_is_tested;

struct range {
	uint64_t begin, bytes;
};

/* Returns whether no seccomp filter of this thread could end the process for process_vm_readv. The program may install a
 * filter between two events, so each record asks once. */
static bool may_ask_kernel(struct spoor_value_bits *to)
{
	if (!to->kernel) {
		bool may_ask = __atomic_load_n(&spoor_text_filter_is_tested, __ATOMIC_RELAXED) ||
			       spoor_system(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) == 0;

		to->kernel = may_ask ? SPOOR_KERNEL_READS : SPOOR_KERNEL_MUST_NOT_READ;
	}
	return to->kernel == SPOOR_KERNEL_READS;
}

/*
 * Reads the memory of the process to which the calling thread belongs. The kernel takes the ID of any thread that uses
 * this memory. So the thread's record of its ID is right, also in the child of a vfork, which has its parent's record. A
 * fork wipes the record. The kernel knows another ID, or none, for a recorded thread that has ended, or that is in
 * another namespace: ask for the ID then.
 */
static long read_ranges(const struct range *to, const struct range *from, uint32_t ranges)
{
	uint32_t thread_id = __atomic_load_n(&spoor_thread->thread_id, __ATOMIC_RELAXED);
	long got = -ESRCH;

	if (thread_id)
		got = spoor_system(SYS_process_vm_readv, thread_id, (long)to, 1, (long)from, ranges, 0);
	if (got == -ESRCH || got == -EPERM)
		got = spoor_system(SYS_process_vm_readv, spoor_system(SYS_gettid, 0, 0, 0, 0, 0, 0), (long)to, 1, (long)from,
				   ranges, 0);
	return got;
}

/* Copies up to @count bytes at @address. Returns how many were readable. */
static uint32_t read_memory(struct spoor_value_bits *record, char *bytes, uint64_t address, uint32_t count)
{
	/* The first range ends with its page, because the kernel reads a range completely or not at all. */
	uint32_t first = LEAST_PAGE - (uint32_t)(address & (LEAST_PAGE - 1));
	struct range to = { (uint64_t)bytes, count }, from[2] = { { address, count }, { 0, 0 } };
	uint32_t ranges = 1;
	long got;

	if (!may_ask_kernel(record))
		return 0;
	if (first < count) {
		from[0].bytes = first;
		from[1] = (struct range){ address + first, count - first };
		ranges = 2;
	}
	got = read_ranges(&to, from, ranges);
	return got < 0 ? 0 : (uint32_t)got;
}

/* Returns whether the memory can be read without the kernel. */
static bool is_readable(uint64_t address, uint32_t count)
{
	uint64_t stack = (uint64_t)__builtin_frame_address(0), end = (stack | (LEAST_PAGE - 1)) + 1;
	uint32_t ranges = __atomic_load_n(&spoor_readable_count, __ATOMIC_ACQUIRE);

	if (address >= stack && address < end && end - address >= count)
		return true;
	for (uint32_t i = 0; i < ranges; i++)
		if (address >= spoor_readable[i].begin && address < spoor_readable[i].end &&
		    spoor_readable[i].end - address >= count)
			return true;
	return false;
}

/* @bytes: at least @length + 1 of them are readable */
static void put_text(struct spoor_value_bits *to, const char *bytes, uint32_t length, enum spoor_text_state state)
{
	uint32_t i = 0;

	spoor_value_put(to, (uint64_t)length << 2 | state, 12);
	for (; i + 8 <= length; i += 7) {
		uint64_t seven;

		__builtin_memcpy(&seven, bytes + i, sizeof(seven));
		spoor_value_put(to, seven & ((1ull << 56) - 1), 56);
	}
	for (; i < length; i++)
		spoor_value_put(to, (uint8_t)bytes[i], 8);
}

/* Returns the number of bytes for which there is room. */
static uint32_t room(const struct spoor_value_bits *to)
{
	uint32_t bits;

	if (to->word >= to->end)
		return 0;
	bits = (uint32_t)(to->end - to->word) * SPOOR_VALUES_WORD_BITS - to->used;
	return bits > 12 ? (bits - 12) / 8 : 0;
}

static void put_unreadable(struct spoor_value_bits *to, uint64_t address)
{
	spoor_value_put(to, SPOOR_TEXT_UNREADABLE | (address & 0xffffffff) << 2, 34);
	spoor_value_put(to, address >> 32, 32);
}

/* Returns where up to @wanted bytes at @address can be read, and sets their number. */
static const char *find_bytes(struct spoor_value_bits *to, uint64_t address, uint32_t wanted, char *copy, uint32_t *got)
{
	*got = wanted;
	if (is_readable(address, wanted))
		return (const char *)address;
	*got = read_memory(to, copy, address, wanted);
	return copy;
}

/* @is_whole: there are no further bytes */
static void put_most(struct spoor_value_bits *to, const char *bytes, uint32_t length, uint32_t most, bool is_whole)
{
	if (length > most)
		length = most;
	if (length > room(to)) {
		length = room(to);
		is_whole = false;
	}
	put_text(to, bytes, length, is_whole ? SPOOR_TEXT_WHOLE : SPOOR_TEXT_CUT);
}

void spoor_value_put_text(struct spoor_value_bits *to, uint64_t address, uint32_t most)
{
	uint32_t got, length = 0;
	const char *bytes;
	char copy[256];

	if (!address) {
		spoor_value_put(to, SPOOR_TEXT_NULL, 2);
		return;
	}
	bytes = find_bytes(to, address, most + 1, copy, &got);
	if (!got) {
		put_unreadable(to, address);
		return;
	}
	while (length < got && bytes[length])
		length++;
	put_most(to, bytes, length, most, length < got);
}

void spoor_value_put_range(struct spoor_value_bits *to, uint64_t address, uint64_t length, uint32_t most)
{
	uint32_t wanted = length < most ? (uint32_t)length : most, got = 0;
	const char *bytes = "";
	char copy[256];

	/* One byte more, because eight bytes are copied at a time. */
	if (wanted)
		bytes = find_bytes(to, address, wanted + 1, copy, &got);
	if (wanted && !got) {
		put_unreadable(to, address);
		return;
	}
	if (got > wanted)
		got = wanted;
	put_most(to, bytes, got, most, got == length);
}

/* A long string: its capacity with the lowest bit set, its length, and its address. A short one: twice its length, and its
 * bytes. */
static void put_libcxx(struct spoor_value_bits *to, uint64_t address, const uint64_t words[3], uint32_t most)
{
	if (words[0] & 1)
		spoor_value_put_range(to, words[2], words[1], most);
	else
		spoor_value_put_range(to, address + 1, (words[0] & 0xff) >> 1, most);
}

void spoor_value_put_object(struct spoor_value_bits *to, uint64_t address, enum spoor_text_layout layout, uint32_t most)
{
	bool has_three = layout >= SPOOR_LAYOUT_POINTER_CAPACITY_LENGTH;
	uint64_t words[3] = { 0, 0, 0 };
	uint32_t size = has_three ? 24 : 16, got;
	const char *bytes;
	char copy[24];

	if (!address) {
		spoor_value_put(to, SPOOR_TEXT_NULL, 2);
		return;
	}
	bytes = find_bytes(to, address, size, copy, &got);
	if (got < size) {
		put_unreadable(to, address);
		return;
	}
	__builtin_memcpy(words, bytes, 16);
	if (has_three)
		__builtin_memcpy(&words[2], bytes + 16, 8);
	if (layout == SPOOR_LAYOUT_LIBCXX)
		put_libcxx(to, address, words, most);
	else
		spoor_value_put_range(to, words[layout == SPOOR_LAYOUT_LENGTH_POINTER || layout == SPOOR_LAYOUT_CAPACITY_POINTER_LENGTH],
				      words[has_three ? 2 : layout == SPOOR_LAYOUT_POINTER_LENGTH], most);
}
