/* SPDX-License-Identifier: MIT */
/* hooked_pointer.c - calls red_value of a library, or with -DOWN a function in this file, five
 * times through a pointer. */
int red_value(int value);

#ifdef OWN
__attribute__((noinline)) static int own_value(int value)
{
	__asm__ volatile("");
	return value + 9;
}
#else
#define own_value red_value
#endif

int main(void)
{
	int (*volatile value)(int) = own_value;
	int wrong = 0;

	for (int i = 0; i < 5; i++)
		wrong += value(i) != i + 9;
	return wrong != 0;
}
