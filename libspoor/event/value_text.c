/* SPDX-License-Identifier: MIT */
/*
 * value_text.c - reads text for a record of values, from memory that may not exist.
 *
 * Constants of the executable, and the rest of the page in which the thread's stack ends, are read directly. All other
 * memory is read in a transaction, if the processor has transactions; otherwise, or if that fails, by the kernel
 * (process_vm_readv), unless a seccomp filter could forbid that. So a wild pointer causes no fault, even if another thread
 * unmaps the memory meanwhile. Compiled as slow_path.c is.
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
bool spoor_text_has_transactions;

struct range {
	uint64_t begin, bytes;
};

/*
 * Returns whether no seccomp filter of this thread could end the process for process_vm_readv.
 *
 * Each record asks once. An older answer may be wrong: the program may have installed a filter between two events, by an
 * instruction of its own, or another thread may have installed it for all threads (SECCOMP_FILTER_FLAG_TSYNC). Nothing in
 * the memory of the process changes then, so only a system call can tell.
 */
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
static __attribute__((noinline)) uint32_t read_memory(struct spoor_value_bits *record, char *bytes, uint64_t address, uint32_t count)
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

/*
 * Copies @count bytes in a transaction of the processor. Returns whether it has. If a byte cannot be read, the processor
 * ends the transaction as if it had not begun, and no fault reaches the kernel. The same happens if another thread changes
 * the memory, or if the thread is interrupted.
 */
static inline bool copy_in_transaction(char *to, uint64_t from, uint32_t count)
{
#ifdef __x86_64__
	uint32_t state = UINT32_MAX, i = 0;

	/* Goes on at the label, with another value in eax, when the transaction has failed. */
	__asm__ volatile("xbegin 1f\n1:" : "+a"(state) : : "memory");
	if (state != UINT32_MAX)
		return false;
	for (; i + 8 <= count; i += 8)
		__builtin_memcpy(to + i, (const char *)from + i, 8);
	for (; i < count; i++)
		to[i] = ((const char *)from)[i];
	__asm__ volatile("xend" : : : "memory");
	return true;
#else
	(void)to;
	(void)from;
	(void)count;
	return false;
#endif
}

/* Returns whether the memory can be read directly. */
static inline bool is_readable(uint64_t address, uint32_t count)
{
	uint64_t stack = (uint64_t)__builtin_frame_address(0), end = (stack | (LEAST_PAGE - 1)) + 1;
	uint32_t ranges = __atomic_load_n(&spoor_readable_count, __ATOMIC_ACQUIRE);

	if (address >= stack && address < end && end - address >= count)
		return true;
	/* The strings of a program are mostly in its last segment of constants. */
	while (ranges-- > 0) {
		const struct spoor_readable *range = &spoor_readable[ranges];
		uint64_t offset = address - range->begin;

		if (offset < range->bytes && range->bytes - offset >= count)
			return true;
	}
	return false;
}

/* Reads eight bytes at any address. */
static inline uint64_t eight_bytes(const char *bytes)
{
	uint64_t eight;

	__builtin_memcpy(&eight, bytes, sizeof(eight));
	return eight;
}

/* Returns the number of bytes before the first NUL; @most without one. */
static inline uint32_t length_of(const char *bytes, uint32_t most)
{
	uint32_t length = 0;

	for (; length + 8 <= most; length += 8) {
		uint64_t eight = eight_bytes(bytes + length);
		/* The lowest set bit is in the first byte that is 0. */
		uint64_t zeroes = (eight - 0x0101010101010101) & ~eight & 0x8080808080808080;

		if (zeroes)
			return length + (uint32_t)__builtin_ctzll(zeroes) / 8;
	}
	while (length < most && bytes[length])
		length++;
	return length;
}

/*
 * Appends the bytes of a text, if a later word begins at a multiple of 4 bits in the text: then each is a part of the eight
 * bytes that begin there. Returns the number of bits that it has appended.
 */
static inline __attribute__((always_inline)) uint32_t put_words(struct spoor_value_bits *to, const char *bytes, uint32_t bits)
{
	uint32_t first = SPOOR_VALUES_WORD_BITS - to->used, done = first, shift = first % 8;

	if (first % 4 || first > bits)
		return 0;
	*to->word++ = SPOOR_USER_MARK | to->bits | (eight_bytes(bytes) << to->used & (SPOOR_USER_MARK - 1));
	for (bytes += first / 8; done + SPOOR_VALUES_WORD_BITS <= bits; done += SPOOR_VALUES_WORD_BITS) {
		*to->word++ = SPOOR_USER_MARK | (eight_bytes(bytes) >> shift & (SPOOR_USER_MARK - 1));
		bytes += 7 + shift / 4;
		shift ^= 4;
	}
	to->bits = 0;
	to->used = 0;
	return done;
}

/* Appends text. @readable: number of bytes that can be read, at least @length. There is room for the text. */
static inline __attribute__((always_inline)) void put_text(struct spoor_value_bits *to, const char *bytes, uint32_t length,
							   uint32_t readable, enum spoor_text_state state)
{
	/* The compiler keeps a copy in registers, because nothing takes its address. */
	struct spoor_value_bits bits = *to;
	uint32_t done = 0, end = 8 * length;	/* positions in the text, in bits */

	spoor_value_put(&bits, (uint64_t)length << 2 | state, 12);
	if (readable > length && readable >= 8)
		done = put_words(&bits, bytes, end);
	if (done < end && end - done < SPOOR_VALUES_WORD_BITS && done / 8 + 8 <= readable) {
		spoor_value_put(&bits, eight_bytes(bytes + done / 8) >> done % 8 & ((1ull << (end - done)) - 1), end - done);
		done = end;
	}
	if (done % 8) {
		spoor_value_put(&bits, (uint8_t)bytes[done / 8] >> 4, 4);
		done += 4;
	}
	for (; done < end; done += 8)
		spoor_value_put(&bits, (uint8_t)bytes[done / 8], 8);
	*to = bits;
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
static inline __attribute__((always_inline)) const char *find_bytes(struct spoor_value_bits *to, uint64_t address, uint32_t wanted, char *copy, uint32_t *got)
{
	*got = wanted;
	if (is_readable(address, wanted))
		return (const char *)address;
	if (__atomic_load_n(&spoor_text_has_transactions, __ATOMIC_RELAXED) && copy_in_transaction(copy, address, wanted))
		return copy;
	*got = read_memory(to, copy, address, wanted);
	return copy;
}

/* @readable: number of bytes that can be read, at least @length; @is_whole: there are no further bytes */
static inline __attribute__((always_inline)) void put_most(struct spoor_value_bits *to, const char *bytes, uint32_t length, uint32_t readable, uint32_t most,
			    bool is_whole)
{
	if (length > most)
		length = most;
	if (length > room(to)) {
		length = room(to);
		is_whole = false;
	}
	put_text(to, bytes, length, readable, is_whole ? SPOOR_TEXT_WHOLE : SPOOR_TEXT_CUT);
}

void spoor_value_put_text(struct spoor_value_bits *to, uint64_t address, uint32_t most)
{
	uint32_t got, length;
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
	length = length_of(bytes, got);
	put_most(to, bytes, length, got, most, length < got);
}

void spoor_value_put_range(struct spoor_value_bits *to, uint64_t address, uint64_t length, uint32_t most)
{
	uint32_t wanted = length < most ? (uint32_t)length : most, got = 0;
	const char *bytes = "";
	char copy[256];

	if (wanted)
		bytes = find_bytes(to, address, wanted, copy, &got);
	if (wanted && !got) {
		put_unreadable(to, address);
		return;
	}
	put_most(to, bytes, got, got, most, got == length);
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
