/* SPDX-License-Identifier: MIT */
/*
 * reclaim.pml - a model of a thread that takes the slice of another thread (libspoor/event/reclaim.c).
 *
 * There is one slice. Its owner reserves words, as the event path does: a load and a store of the cursor, between
 * which another processor may store. It retires the slice when it is full, and borrows it again when the drainer
 * has freed it. Two takers try to take it, one after the other or at the same time. WITHOUT is the number of the rule
 * in reclaim.c that the model omits, or 0 for none.
 */
#ifndef WITHOUT
#define WITHOUT 0
#endif

#define WORDS 2		/* of the slice */
#define USES 3
#define NOWHERE 100	/* cursors in no slice: the owner's own, */
#define TAKEN 50	/* ... and those that name a use and its words */
#define IS_TAKEN(value) ((value) >= TAKEN && (value) < NOWHERE)
#define NAMES(use, words) (TAKEN + (use) * 4 + (words))

#define OPEN 0
#define CLAIMED 1
#define DONE 2

byte cursor = NOWHERE;
byte use;		/* which the claim names */
byte claim = DONE;
bool is_free = true;
bool in_instruction;	/* the owner is between load and store */
byte retired[USES + 1];	/* how often each use was retired */
byte words_of[USES + 1];	/* ... with how many words */
byte reserved[USES + 1];	/* words that the owner has reserved */
bool ended;

inline retire(which, words) {
	atomic {
		retired[which]++;
		words_of[which] = words;
		assert(retired[which] == 1);
		assert(reserved[which] == words)
	}
}

proctype Drainer() {
	byte seen;
end:	do
	:: atomic { seen < USES && retired[seen + 1] -> seen++; is_free = true }
	od
}

proctype Owner() {
	byte at, before, mine;
	bool retires, borrowed;
	do
	:: if
	   :: true -> skip		/* an event */
	   :: true -> break		/* the thread makes no more events */
	   fi;
	   atomic { in_instruction = true; at = cursor };
	   atomic {
		cursor = (at < WORDS -> at + 1 : at);
		in_instruction = false;
		if
		:: at < WORDS ->
			/* No word belongs to a use that was retired. */
			assert(!retired[mine]);
			reserved[mine]++
		:: else
		fi
	   };
	   if
	   :: at < WORDS -> skip
	   :: else ->
		before = cursor;
		if
		:: IS_TAKEN(before) ->
			if
			:: WITHOUT == 3 -> retire((before - TAKEN) / 4, (before - TAKEN) % 4)
			:: else ->
				retires = false;
				atomic {
					if
					:: claim == CLAIMED && use == (before - TAKEN) / 4 -> claim = DONE; retires = true
					:: else
					fi
				}
				if
				:: retires -> retire((before - TAKEN) / 4, (before - TAKEN) % 4)
				:: else
				fi
			fi;
			before = NOWHERE;
			cursor = NOWHERE
		:: before == WORDS ->
			cursor = NOWHERE;
			retire(mine, WORDS)
		:: else
		fi;
		if
		:: mine < USES ->
			borrowed = false;
			atomic {
				if
				:: is_free -> is_free = false; borrowed = true
				:: else
				fi
			}
			if
			:: borrowed && (WITHOUT == 4 || claim != CLAIMED) ->
				mine++;
				atomic { use = mine; claim = OPEN };
				cursor = 0
			:: borrowed && !(WITHOUT == 4 || claim != CLAIMED) -> is_free = true
			:: else
			fi
		:: else
		fi
	   fi
	od;
	ended = true
}

proctype Taker() {
	byte which, at, now;
	bool claims = false, took = false, retires = false;
	atomic {
		if
		:: claim == OPEN -> claim = CLAIMED; which = use; claims = true
		:: else
		fi
	}
	if
	:: claims ->
		at = cursor;
		if
		:: at > 0 && at < WORDS && use == which && (claim == CLAIMED || WITHOUT == 4) ->
			atomic {
				if
				:: cursor == at -> cursor = NAMES(which, at); took = true
				:: else
				fi
			}
		:: else
		fi;
		if
		:: took ->
			/* membarrier: the owner's instruction has ended. */
			if
			:: WITHOUT == 2
			:: else -> !in_instruction
			fi;
			now = cursor;
			if
			:: now == NAMES(which, at) ->
				atomic {
					if
					:: claim == CLAIMED && use == which -> claim = DONE; retires = true
					:: else
					fi
				}
				if
				:: retires || WITHOUT == 3 -> retire(which, at)
				:: else
				fi
			:: else ->
				atomic {
					if
					:: claim == CLAIMED && use == which -> claim = OPEN
					:: else
					fi
				}
			fi
		:: else ->
			atomic {
				if
				:: claim == CLAIMED && use == which -> claim = OPEN
				:: else
				fi
			}
		fi
	:: else
	fi
}

init {
	byte i = 1;
	atomic { run Drainer(); run Owner(); run Taker(); run Taker() }
	/* All processes but the drainer and this one have ended. */
	_nr_pr == 2;
	/* A use that the owner has left was retired. */
	do
	:: i <= USES ->
		assert(reserved[i] == 0 || retired[i] == 1 || (use == i && cursor <= WORDS) ||
		       (use == i && IS_TAKEN(cursor)));
		i++
	:: else -> break
	od;
	/* What the owner has not seen was retired by the taker. */
	assert(!IS_TAKEN(cursor) || retired[(cursor - TAKEN) / 4] == 1)
}
