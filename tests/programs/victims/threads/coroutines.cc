// SPDX-License-Identifier: MIT
// coroutines.cc - C++ coroutines that resume each other at great depth.
#include <coroutine>
#include <cstdio>
#include <exception>

#define TRACED __attribute__((noinline))

struct Task {
	struct promise_type {
		std::coroutine_handle<> next;
		int value = 0;

		struct End {
			bool await_ready() noexcept
			{
				return false;
			}
			std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept
			{
				std::coroutine_handle<> next = ended.promise().next;

				return next ? next : std::noop_coroutine();
			}
			void await_resume() noexcept
			{
			}
		};

		Task get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend()
		{
			return {};
		}
		End final_suspend() noexcept
		{
			return {};
		}
		void return_value(int what)
		{
			value = what;
		}
		void unhandled_exception()
		{
			std::terminate();
		}
	};

	std::coroutine_handle<promise_type> handle;

	bool await_ready()
	{
		return false;
	}
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting)
	{
		handle.promise().next = waiting;
		return handle;
	}
	int await_resume()
	{
		int value = handle.promise().value;

		handle.destroy();
		return value;
	}
};

TRACED static Task leaf(int number)
{
	co_return number;
}

TRACED static Task sums(int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += co_await leaf(i & 3);
	co_return sum;
}

int main()
{
	Task task = sums(20000);

	task.handle.resume();
	printf("%d\n", task.handle.promise().value);
	task.handle.destroy();
	return 0;
}
