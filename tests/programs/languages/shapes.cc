/* SPDX-License-Identifier: MIT */
/* shapes.cc - lambdas, virtual thunks, exceptions, coroutines, templates. Each function
 * counts its calls. At its end the program prints them as "NAME,CALLS". */
#include <coroutine>
#include <cstdio>
#include <exception>
#include <stdexcept>

#define KEPT __attribute__((noinline))
static int calls[9];

struct Named { virtual ~Named() {} virtual int name() = 0; long pad = 1; };
struct Sized { virtual ~Sized() {} virtual int size() = 0; long pad = 2; };
struct Base : virtual Sized { long more = 3; };
struct Shape : Named, Base {
	int name() override { calls[0]++; return 1; }
	int size() override { calls[1]++; return 2; }
};

template<class T> KEPT T twice(T x) { calls[2]++; return x + x; }

struct Generator {
	struct promise_type {
		int value = 0;
		Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int v) { value = v; return {}; }
		void return_void() {}
		void unhandled_exception() { std::terminate(); }
	};
	std::coroutine_handle<promise_type> handle;
};

KEPT Generator upto(int n)
{
	for (int i = 0; i < n; i++)
		co_yield i;
}

KEPT int throws(int n)
{
	calls[3]++;
	if (n > 3)
		throw std::runtime_error("too many");
	return n;
}
KEPT int calls_what_throws(int n) { calls[4]++; return throws(n) + 1; }

KEPT int apply(int (*f)(int), int n) { calls[5]++; return f(n); }

KEPT Named *make_named() { static Shape shape; return &shape; }
KEPT Sized *make_sized() { return static_cast<Shape *>(make_named()); }

int main()
{
	int sum = 0;
	bool caught = false;
	Generator generator = upto(4);
	static int (*volatile increment)(int) = [](int n) { calls[6]++; return n + 1; };

	while (generator.handle.resume(), !generator.handle.done())
		sum += generator.handle.promise().value;
	generator.handle.destroy();
	try {
		calls_what_throws(4);
	} catch (const std::exception &) {
		caught = true;
	}
	if (!caught || sum != 6 || make_named()->name() + make_sized()->size() != 3 || twice(2) + twice(3L) != 10 ||
	    calls_what_throws(1) != 2 || apply(increment, 1) != 2)
		return 1;
	std::printf("Shape::name(),%d\nvirtual thunk to Shape::size(),%d\n", calls[0], calls[1]);
	std::printf("throws(int),%d\ncalls_what_throws(int),%d\napply(int (*)(int), int),%d\n", calls[3], calls[4], calls[5]);
	std::printf("main::$_0::__invoke(int),%d\nupto(int),1\n", calls[6]);
	return 0;
}
