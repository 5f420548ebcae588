/* SPDX-License-Identifier: MIT */
/* loops.c - functions whose first block may become the head of a loop. */
#include <stdio.h>

struct node {
	struct node *next;
	int value;
};

#define NOT_INLINE __attribute__((noinline))

NOT_INLINE int last(const struct node *node)
{
	while (node->next)
		node = node->next;
	return node->value;
}

NOT_INLINE void spin(volatile int *rounds)
{
	while (--*rounds > 0)
		;
}

NOT_INLINE unsigned int collatz(unsigned int n)
{
again:
	if (n == 1)
		return 0;
	n = n % 2 ? 3 * n + 1 : n / 2;
	goto again;
}

int main(void)
{
	struct node nodes[50] = {{NULL, 7}};
	int sum = 0;

	for (int i = 1; i < 50; i++)
		nodes[i] = (struct node){&nodes[i - 1], i};
	for (int i = 0; i < 10; i++) {
		volatile int rounds = 50;
		volatile unsigned int start = 27;

		sum += last(&nodes[49]);
		spin(&rounds);
		sum += collatz(start);
	}
	printf("%d\n", sum);
	return sum != 70;
}
