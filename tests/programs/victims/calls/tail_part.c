/* SPDX-License-Identifier: MIT */
/* tail_part.c - the half of tails.c that is in a library. */
int tail_even(int n);

__attribute__((noinline)) int tail_odd(int n)
{
	return n == 0 ? 0 : tail_even(n - 1);
}
