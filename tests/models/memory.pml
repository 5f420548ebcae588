/* SPDX-License-Identifier: MIT */
/*
 * memory.pml - the pairs of accesses that two threads share, on a machine as weakly ordered as
 * AArch64: trampolines/README.md has the argument, pair by pair, and the names.
 *
 * A processor's stores wait in a buffer of its own and reach memory in any order, but for those to
 * one place; loads that nothing orders are done in either order. A release waits for the
 * buffer to empty; an acquire keeps the loads behind it there. PAIR chooses; WITHOUT is the
 * barrier that is left out, 0: none.
 */
#ifndef WITHOUT
#define WITHOUT 0
#endif

#define PLACES 4
#define WAITING 3
#define ALWAYS 255	/* a barrier that nobody leaves out: the kernel's */

byte memory[PLACES];

/* Of each of two processors what waits: places, values, in order. */
byte place[6], value[6], waits[2];
byte ended;

inline store(cpu, at, what) {
	atomic {
		place[cpu * WAITING + waits[cpu]] = at;
		value[cpu * WAITING + waits[cpu]] = what;
		waits[cpu]++
	}
}

/* Everything stored so far can be seen. */
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

/* One for each processor: takes any that no earlier one to the same place is in front of. */
proctype Buffer(byte cpu) {
	byte i;
end:	do
	:: waits[cpu] > 0 -> commit_one(cpu, 0)
	:: waits[cpu] > 1 && place[cpu * WAITING + 1] != place[cpu * WAITING] -> commit_one(cpu, 1)
	od
}

/* Two loads, in this order with the barrier. */
inline load_both(first, x, second, y, number) {
	if
	:: x = memory[first]; y = memory[second]
	:: WITHOUT == number -> y = memory[second]; x = memory[first]
	fi
}

#if PAIR == 1	/* a record of several words: its first word says that it is there */
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

#elif PAIR == 2	/* a slice is retired: the bit says that its words are there */
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

#elif PAIR == 3	/* a slice is given back: nobody clears it once it is another's */
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

#elif PAIR == 4	/* a slice begins: its counter says that the rest of its facts are there */
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

#elif PAIR == 5	/* a drainer that goes to sleep, and who has something for it */
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

#elif PAIR == 6	/* threads begin to run unrecorded, and one that goes on to a later quarter */
#define GAPS 0
#define QUARTER 1	/* 1: as it was, 2: advanced, 0: lowered */
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

#elif PAIR == 7	/* a handler, and the slot that leads to who calls it */
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

#elif PAIR == 8	/* a sled's bytes and its head; what was fetched early may be executed late */
#define BYTES 0
#define HEAD 1
byte fetched;
proctype One() {
	store(0, BYTES, 1);
	release(0, 1);		/* dc cvau, dsb, ic ivau, dsb */
	if
	:: WITHOUT == 2
	:: else -> fetched = memory[BYTES]	/* membarrier: every core fetches anew */
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

#elif PAIR == 9	/* a ring gives a slice up while it is read; so does a request that is another meanwhile */
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

#elif PAIR == 10	/* full slices are counted anew, while one more is retired */
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

#elif PAIR == 11	/* threads begin to run unrecorded, and one that is just becoming a thread */
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

#elif PAIR == 12	/* a drainer that goes to sleep, and who asks it for something */
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
