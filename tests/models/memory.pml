/* SPDX-License-Identifier: MIT */
/*
 * memory.pml - a model of the pairs of accesses that two threads share, on a machine as weakly ordered as
 * AArch64. trampolines/README.md has the names, and the argument for each pair.
 *
 * Each processor has a buffer of stores, which reach memory in any order, except that stores to one place
 * stay in order. Loads without a barrier happen in any order. A release waits until the buffer is empty; an
 * acquire keeps later loads after it. PAIR selects the pair. WITHOUT is the number of the barrier that the model
 * omits, or 0 for none.
 */
#ifndef WITHOUT
#define WITHOUT 0
#endif

#define PLACES 4
#define WAITING 3
#define ALWAYS 255	/* a barrier that is never omitted, because the kernel has it */

byte memory[PLACES];

/* The waiting stores of each of two processors, in order: places and values. */
byte place[6], value[6], waits[2];
byte ended;

inline store(cpu, at, what) {
	atomic {
		place[cpu * WAITING + waits[cpu]] = at;
		value[cpu * WAITING + waits[cpu]] = what;
		waits[cpu]++
	}
}

/* Waits until all earlier stores are in memory. */
inline release(cpu, number) {
	if
	:: WITHOUT == number
	:: else -> waits[cpu] == 0
	fi
}

inline commit_one(cpu, at) {
	d_step {
		memory[place[cpu * WAITING + at]] = value[cpu * WAITING + at];
		i = at;
		do
		:: i + 1 < waits[cpu] ->
			place[cpu * WAITING + i] = place[cpu * WAITING + i + 1];
			value[cpu * WAITING + i] = value[cpu * WAITING + i + 1];
			i++
		:: else -> break
		od;
		waits[cpu]--;
		place[cpu * WAITING + waits[cpu]] = 0;
		value[cpu * WAITING + waits[cpu]] = 0;
		i = 0
	}
}

/* Each processor has one of these. It commits any store that has no earlier store to the same place. */
proctype Buffer(byte cpu) {
	byte i;
end:	do
	:: waits[cpu] > 0 -> commit_one(cpu, 0)
	:: waits[cpu] > 1 && place[cpu * WAITING + 1] != place[cpu * WAITING] -> commit_one(cpu, 1)
	od
}

/* Two loads, which the barrier keeps in this order. */
inline load_both(first, x, second, y, number) {
	if
	:: x = memory[first]; y = memory[second]
	:: WITHOUT == number -> y = memory[second]; x = memory[first]
	fi
}

#if PAIR == 1	/* a record of several words: the first word shows that the others are stored */
#define WORDS 0
#define HEAD 1
proctype One() {
	store(0, WORDS, 7);
	release(0, 1);
	store(0, HEAD, 1);
	ended++
}
proctype Two() {
	byte head, words;
	load_both(HEAD, head, WORDS, words, 2);
	assert(!head || words == 7);
	ended++
}

#elif PAIR == 2	/* a slice is retired: its bit shows that its words are stored */
#define WORD 0
#define FULL 1
proctype One() {
	store(0, WORD, 5);
	release(0, 1);
	memory[FULL] = 1;
	ended++
}
proctype Two() {
	byte retired, word;
	load_both(FULL, retired, WORD, word, 2);
	assert(!retired || word == 5);
	ended++
}

#elif PAIR == 3	/* a slice is given back, and is not cleared after its next owner has it */
#define WORD 0
#define FREE 1
proctype One() {
	store(0, WORD, 0);
	release(0, 1);
	memory[FREE] = 1;
	ended++
}
proctype Two() {
	/* The store depends on the bit, so it cannot come first. */
	if
	:: atomic { memory[FREE] == 1 -> memory[FREE] = 0 }
	fi;
	store(1, WORD, 9);
	ended++
}

#elif PAIR == 4	/* a slice begins: its counter shows that its other facts are stored */
#define FACTS 0
#define COUNTER 1
proctype One() {
	store(0, FACTS, 3);
	release(0, 1);
	store(0, COUNTER, 1);
	ended++
}
proctype Two() {
	byte counter, facts;
	load_both(COUNTER, counter, FACTS, facts, 2);
	assert(!counter || facts == 3);
	ended++
}

#elif PAIR == 5	/* a drainer goes to sleep while a thread adds a full slice */
#define COUNT 0
#define WAKE 1
byte woken, sleeps;
proctype One() {
	byte wake;
	if
	:: memory[COUNT] = memory[COUNT] + 1; wake = memory[WAKE]
	:: WITHOUT == 1 -> wake = memory[WAKE]; memory[COUNT] = memory[COUNT] + 1
	fi;
	woken = wake;
	ended++
}
proctype Two() {
	byte count;
	store(1, WAKE, 1);
	release(1, 2);
	count = memory[COUNT];
	sleeps = !count;
	ended++
}

#elif PAIR == 6	/* threads begin to run unrecorded while a thread advances to a later quarter */
#define GAPS 0
#define QUARTER 1	/* 1: unchanged, 2: advanced, 0: lowered */
byte saw;
proctype One() {
	if
	:: memory[GAPS] = 1; memory[QUARTER] = 0
	:: WITHOUT == 1 -> memory[QUARTER] = 0; memory[GAPS] = 1
	fi;
	ended++
}
proctype Two() {
	if
	:: memory[QUARTER] = 2; saw = memory[GAPS]
	:: WITHOUT == 2 -> saw = memory[GAPS]; memory[QUARTER] = 2
	fi;
	if
	:: saw -> memory[QUARTER] = 0
	:: else
	fi;
	ended++
}

#elif PAIR == 7	/* a handler, and the slot that leads to its caller */
#define HANDLER 0
#define SLOT 1
proctype One() {
	store(0, HANDLER, 1);
	release(0, 1);
	store(0, SLOT, 1);
	ended++
}
proctype Two() {
	byte slot, handler;
	load_both(SLOT, slot, HANDLER, handler, 2);
	assert(!slot || handler);
	ended++
}

#elif PAIR == 8	/* a sled's bytes and its head: bytes that were fetched early may be executed late */
#define BYTES 0
#define HEAD 1
byte fetched;
proctype One() {
	store(0, BYTES, 1);
	release(0, 1);		/* dc cvau, dsb, ic ivau, dsb */
	if
	:: WITHOUT == 2
	:: else -> fetched = memory[BYTES]	/* membarrier: every core fetches again */
	fi;
	store(0, HEAD, 1);
	ended++
}
proctype Two() {
	byte head;
	if
	:: fetched = memory[BYTES]
	:: true
	fi;
	head = memory[HEAD];
	assert(!head || fetched);
	ended++
}

#elif PAIR == 9	/* a ring reuses a slice while it is read; the same holds for a request that is replaced */
#define WORD 0
#define COUNTER 1
proctype One() {
	store(0, COUNTER, 0);
	release(0, 1);
	store(0, WORD, 0);
	release(0, 2);
	store(0, COUNTER, 9);
	ended++
}
proctype Two() {
	byte counter, word, again;
	if
	:: counter = memory[COUNTER]; word = memory[WORD]; again = memory[COUNTER]
	:: WITHOUT == 3 -> word = memory[WORD]; counter = memory[COUNTER]; again = memory[COUNTER]
	:: WITHOUT == 4 -> counter = memory[COUNTER]; again = memory[COUNTER]; word = memory[WORD]
	fi;
	assert(!counter || counter != again || (counter == 5) == (word == 5));
	ended++
}

#elif PAIR == 10	/* full slices are counted again while a thread retires another slice */
#define FULL 0
#define COUNT 1
proctype One() {
	if
	:: memory[FULL] = 1; memory[COUNT] = memory[COUNT] + 1
	:: WITHOUT == 1 -> memory[COUNT] = memory[COUNT] + 1; memory[FULL] = 1
	fi;
	ended++
}
proctype Two() {
	byte before, bits;
	bool counted;
	do
	:: counted -> break
	:: else ->
		load_both(COUNT, before, FULL, bits, 2);
		atomic {
			if
			:: WITHOUT == 3 || memory[COUNT] == before -> memory[COUNT] = bits; counted = true
			:: else
			fi
		}
	od;
	ended++
}

#elif PAIR == 11	/* threads begin to run unrecorded while another thread begins to log */
#define GAPS 0
#define CLAIMED 1
byte knows, seen;
proctype One() {
	if
	:: memory[GAPS] = 1; seen = memory[CLAIMED]
	:: WITHOUT == 1 -> seen = memory[CLAIMED]; memory[GAPS] = 1
	fi;
	ended++
}
proctype Two() {
	store(1, CLAIMED, 1);
	release(1, 2);
	knows = memory[GAPS];
	ended++
}

#elif PAIR == 12	/* a drainer goes to sleep while another process sends it a request */
#define ASKED 0
#define WAKE 1
bool sleeps;
proctype One() {
	store(0, ASKED, 1);
	release(0, 1);
	store(0, WAKE, 0);
	release(0, ALWAYS);	/* FUTEX_WAKE */
	sleeps = false;
	ended++
}
proctype Two() {
	byte asked;
	store(1, WAKE, 1);
	release(1, 2);
	asked = memory[ASKED];
	release(1, ALWAYS);	/* FUTEX_WAIT */
	atomic {
		if
		:: !asked && memory[WAKE] == 1 -> sleeps = true
		:: else
		fi
	}
	ended++
}
#endif

init {
	byte i;
#if PAIR == 6
	memory[QUARTER] = 1;
#elif PAIR == 9
	memory[WORD] = 5;
	memory[COUNTER] = 5;
#endif
#if PAIR == 3
	memory[WORD] = 4;
#endif
	atomic { run Buffer(0); run Buffer(1); run One(); run Two() }
	ended == 2 && waits[0] == 0 && waits[1] == 0;
#if PAIR == 3
	assert(memory[WORD] == 9);
#elif PAIR == 5
	assert(!sleeps || woken);
#elif PAIR == 6
	assert(memory[QUARTER] == 0);
#elif PAIR == 10
	assert(memory[COUNT]);
#elif PAIR == 11
	assert(knows || seen);
#elif PAIR == 12
	assert(!sleeps);
#endif
}
