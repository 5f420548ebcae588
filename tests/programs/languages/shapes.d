// SPDX-License-Identifier: MIT
// shapes.d - classes, templates, an exception, a thread. Each function counts its calls.
// At its end the program prints them as "NAME,CALLS".
module shapes;
import core.atomic, core.thread, std.stdio;

shared int[5] calls;

pragma(inline, true) void count(int which)
{
	atomicOp!"+="(calls[which], 1);
}

interface Shape
{
	double area();
}

class Square : Shape
{
	double side;
	this(double side) { this.side = side; }
	pragma(inline, false) double area() { count(0); return side * side; }
}

pragma(inline, false) T twice(T)(T x) { count(1); return x + x; }
// Prevents the compiler from inlining a sum of whole numbers into a loop.
pragma(inline, false) double fibonacci(int n) { count(2); return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
pragma(inline, false) int throws(int n)
{
	count(3);
	if (n > 3)
		throw new Exception("too many");
	return n;
}
pragma(inline, false) int callsWhatThrows(int n) { count(4); return throws(n) + 1; }

void main()
{
	auto shape = new Square(3);
	bool caught;
	double other;

	try
		callsWhatThrows(4);
	catch (Exception)
		caught = true;
	auto thread = new Thread({ other = fibonacci(6); });
	thread.start();
	thread.join();
	assert(caught && other == 8 && shape.area() == 9 && twice(2) == 4 && fibonacci(5) == 5);
	assert(callsWhatThrows(1) == 2);
	string[5] names = ["shapes.Square.area()", "shapes.twice!(int).twice(int)", "shapes.fibonacci(int)",
		"shapes.throws(int)", "shapes.callsWhatThrows(int)"];
	foreach (i, name; names)
		writeln(name, ",", calls[i]);
}
