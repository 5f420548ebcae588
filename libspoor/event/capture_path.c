/* SPDX-License-Identifier: MIT */
/*
 * capture_path.c - stores an entry or exit together with the function's arguments or result.
 *
 * Runs inside an event: general registers only, no function of libc. The record of the values and the event's word
 * are reserved in one step (values_format.h).
 */
#include "event/capture_path.h"

#include <sys/syscall.h>
#include <time.h>

#include "base/large.h"
#include "base/system.h"
#include "base/time_source.h"
#include "event/record_path.h"
#include "event/value_text.h"

struct spoor_capture spoor_captures[SPOOR_CAPTURES_MAX] SPOOR_LARGE;
uint16_t *spoor_actions[(SPOOR_INDEX_MAX >> SPOOR_ACTION_CHUNK_SHIFT) + 1] SPOOR_LARGE;

static inline void put_address(struct spoor_value_bits *bits, uint64_t value)
{
	bool is_long = value >> 48;

	spoor_value_put(bits, (value & ((1ull << 48) - 1)) << 1 | is_long, 49);
	if (is_long)
		spoor_value_put(bits, value >> 48, 16);
}

static inline void put_integer(struct spoor_value_bits *bits, uint64_t value)
{
	bool is_long = (uint64_t)(int64_t)(int32_t)value != value;

	spoor_value_put(bits, (value & 0xffffffff) << 1 | is_long, 33);
	if (is_long)
		spoor_value_put(bits, value >> 32, 32);
}

static inline void put_fixed(struct spoor_value_bits *bits, uint64_t value, uint32_t size)
{
	if (size < 64)
		value &= (1ull << size) - 1;
	if (size <= SPOOR_VALUES_WORD_BITS) {
		spoor_value_put(bits, value, size);
		return;
	}
	spoor_value_put(bits, value & 0xffffffff, 32);
	spoor_value_put(bits, value >> 32, size - 32);
}

static void put_bytes(struct spoor_value_bits *bits, const uint64_t *from, uint32_t size)
{
	for (; size >= 8; size -= 8)
		put_fixed(bits, *from++, 64);
	if (size)
		put_fixed(bits, *from, 8 * size);
}

static inline const uint64_t *find_place(const struct spoor_capture_step *step, const uint64_t *registers, const uint64_t *stack)
{
	return step->place & SPOOR_PLACE_STACK ? &stack[step->place & ~SPOOR_PLACE_STACK] : &registers[step->place];
}

static __attribute__((noinline)) void put_cpu_time(struct spoor_value_bits *bits)
{
	struct timespec time = { 0, 0 };

	spoor_system(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&time, 0, 0, 0, 0);
	put_fixed(bits, (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec, 64);
}

static inline void put_number(struct spoor_value_bits *bits, const struct spoor_capture_step *step, uint64_t value)
{
	if (step->storage == SPOOR_VALUE_BITS)
		put_fixed(bits, value, step->size);
	else if (step->storage == SPOOR_VALUE_INTEGER)
		put_integer(bits, value);
	else
		put_address(bits, value);
}

static inline void put_steps(struct spoor_value_bits *bits, const struct spoor_capture_step *step, uint32_t count,
			     const uint64_t *registers, const uint64_t *stack)
{
	for (const struct spoor_capture_step *end = step + count; step < end; step++) {
		const uint64_t *from = find_place(step, registers, stack);

		switch (step->storage) {
		case SPOOR_VALUE_BITS:
		case SPOOR_VALUE_INTEGER:
		case SPOOR_VALUE_ADDRESS:
			put_number(bits, step, *from);
			break;
		case SPOOR_VALUE_TEXT:
			spoor_value_put_text(bits, *from, step->size);
			break;
		case SPOOR_VALUE_TEXT_LAYOUT + SPOOR_LAYOUT_LENGTH_NEXT:
			/* A plan puts the length after it. */
			step++;
			spoor_value_put_range(bits, *from, *find_place(step, registers, stack), step->size);
			break;
		case SPOOR_VALUE_TEXT_LAYOUT + SPOOR_LAYOUT_POINTER_LENGTH ... SPOOR_VALUE_TEXT_LAYOUT + SPOOR_LAYOUT_LIBCXX:
			spoor_value_put_object(bits, *from, step->storage - SPOOR_VALUE_TEXT_LAYOUT, step->size);
			break;
		case SPOOR_VALUE_OBJECT:
			put_address(bits, *from);
			spoor_value_put_range(bits, *from, step->size, step->size);
			break;
		case SPOOR_STEP_CPU_TIME:
			put_cpu_time(bits);
			break;
		default:
			put_bytes(bits, from, step->size);
			break;
		}
	}
}

/* Stores the event if nothing else comes first. Returns whether it has. */
static inline bool store(uint32_t code, const uint64_t *words, uint32_t count, uint64_t counter)
{
	struct spoor_thread *thread = spoor_thread;
	uint32_t quarter = (uint32_t)(counter >> SPOOR_QUARTER_SHIFT);
	volatile uint64_t *slot;

	if (__builtin_expect(thread->quarter != quarter, 0))
		return false;
	slot = (volatile uint64_t *)spoor_cursor_add(&thread->cursor, (2 + count) * 8);
	if (__builtin_expect(!spoor_record_fits(slot, 1 + count) ||
				     __atomic_load_n(&thread->quarter, __ATOMIC_RELAXED) != quarter, 0)) {
		spoor_record_gives_up(slot, 1 + count);
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
		slot[1 + i] = words[i];
	slot[1 + count] = (uint64_t)code << 32 | (uint32_t)counter;
	/* A reader that sees the first word sees the words after it. */
	__atomic_store_n(&slot[0], SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, count, SPOOR_EXTENDED_VALUES), __ATOMIC_RELEASE);
	return true;
}

/* What the next functions store: the record with the head @head and @count steps, and the event @code. */
struct to_store {
	const struct spoor_capture_step *steps;
	uint32_t count, head;
	/* The counter at an exit; 0: at an entry. The time of storing the values belongs neither to the function nor to its
	 * callees, but to its caller. */
	uint64_t exited;
};

static inline __attribute__((always_inline)) struct to_store find_steps(uint32_t code, uint32_t action)
{
	bool is_exit = code >> SPOOR_INDEX_BITS == SPOOR_KIND_EXIT;
	uint32_t number = action & (SPOOR_CAPTURES_MAX - 1);
	const struct spoor_capture *capture = &spoor_captures[number];

	return (struct to_store){
		.steps = capture->steps + (is_exit ? capture->arguments : 0),
		.count = is_exit ? capture->results : capture->arguments,
		.head = number | (uint32_t)is_exit << SPOOR_CAPTURE_NUMBER_BITS,
		.exited = is_exit ? spoor_cycles() : 0,
	};
}

static inline void store_words(uint32_t code, const uint64_t *words, uint32_t count, uint64_t exited)
{
	if (__builtin_expect(!store(code, words, count, exited ? exited : spoor_cycles()), 0))
		spoor_values_store_slow(code, words, count);
}

static __attribute__((noinline)) void store_any(uint32_t code, const struct spoor_saved_registers *registers,
						const uint64_t *stack, uint32_t action)
{
	struct to_store what = find_steps(code, action);
	uint64_t words[SPOOR_VALUES_WORDS_MAX];
	struct spoor_value_bits bits = { words, words + SPOOR_VALUES_WORDS_MAX, what.head, SPOOR_VALUES_HEAD_BITS, 0 };

	put_steps(&bits, what.steps, what.count, (const uint64_t *)registers, stack);
	store_words(code, words, spoor_value_end(&bits, words), what.exited);
}

/* The same if all values are numbers. The compiler keeps @bits in registers, because nothing takes its address. */
static __attribute__((noinline)) void store_numbers(uint32_t code, const struct spoor_saved_registers *registers,
						    const uint64_t *stack, uint32_t action)
{
	struct to_store what = find_steps(code, action);
	uint64_t words[SPOOR_VALUES_WORDS_MAX];
	struct spoor_value_bits bits = { words, words + SPOOR_VALUES_WORDS_MAX, what.head, SPOOR_VALUES_HEAD_BITS, 0 };

	for (uint32_t i = 0; i < what.count; i++)
		put_number(&bits, &what.steps[i], *find_place(&what.steps[i], (const uint64_t *)registers, stack));
	store_words(code, words, spoor_value_end(&bits, words), what.exited);
}

void spoor_capture_store(uint32_t code, const struct spoor_saved_registers *registers, const uint64_t *stack,
			 uint32_t action)
{
	uint8_t numbers = code >> SPOOR_INDEX_BITS == SPOOR_KIND_EXIT ? SPOOR_CAPTURE_NUMBERS_RESULT :
									SPOOR_CAPTURE_NUMBERS_ARGUMENTS;

	if (spoor_captures[action & (SPOOR_CAPTURES_MAX - 1)].flags & numbers)
		store_numbers(code, registers, stack, action);
	else
		store_any(code, registers, stack, action);
}
