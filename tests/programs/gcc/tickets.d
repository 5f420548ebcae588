// SPDX-License-Identifier: MIT
// tickets.d - classes, interfaces, templates, closures, ranges, scope guards, exceptions through several frames, and
// threads. Prints what it computes. The number of calls does not depend on time.
module tickets;

import core.thread;
import std.algorithm : filter, map, sort, sum;
import std.array : array;
import std.stdio : writefln;

class Refused : Exception
{
	int ticket;

	this(int ticket)
	{
		super("refused");
		this.ticket = ticket;
	}
}

interface Price
{
	long of(int ticket);
}

class Fixed : Price
{
	long of(int ticket) { return 7 + ticket % 2; }
}

class Rising : Price
{
	private long last;

	long of(int ticket) { return last += ticket % 3; }
}

struct Queue(T)
{
	private T[] items;

	void put(T item) { items ~= item; }
	bool empty() const { return items.length == 0; }
	T front() { return items[0]; }
	void popFront() { items = items[1 .. $]; }
}

int openSeats, refusals;

int seat(int ticket, int depth)
{
	openSeats++;
	scope (exit) openSeats--;
	if (depth == 0)
	{
		if (ticket % 11 == 0)
			throw new Refused(ticket);
		return ticket;
	}
	return seat(ticket, depth - 1) + 1;
}

int admit(int ticket)
{
	try
		return seat(ticket, ticket % 6);
	catch (Refused refused)
	{
		refusals++;
		return -refused.ticket;
	}
}

long delegate(long) adder(long start)
{
	return (long more) { start += more; return start; };
}

long fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

T largest(T)(T[] values) if (is(typeof(values[0] < values[0])))
{
	T found = values[0];

	foreach (value; values)
		if (found < value)
			found = value;
	return found;
}

void main()
{
	Queue!int queue;
	long total;
	long[3] results;
	Thread[] threads;
	Price[] prices = [cast(Price) new Fixed, new Rising];
	auto add = adder(5);

	foreach (i; 1 .. 200)
		queue.put(i * 37 % 101);
	foreach (ticket; queue)
		total += admit(ticket);
	foreach (price; prices)
		foreach (ticket; 0 .. 20)
			total += add(price.of(ticket));
	writefln("%d %d %d", total, refusals, openSeats);

	int[] numbers = queue.items.filter!(x => x % 3 == 0).map!(x => x * x % 97).array;
	numbers.sort!((a, b) => a > b);
	writefln("%s %d %d", numbers[0 .. 5], numbers.sum, largest(numbers));
	writefln("%s", largest([2.5, 7.25, 3.0]));

	foreach (i; 0 .. 3)
	{
		auto start(int which) { return new Thread({ results[which] = fibonacci(12 + which); }).start(); }
		threads ~= start(i);
	}
	foreach (thread; threads)
		thread.join();
	writefln("%s", results);
}
