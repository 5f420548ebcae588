/* SPDX-License-Identifier: MIT */
/* toggles.c - switches a library's functions off and on a thousand times. */
#include <stddef.h>

#include "spoor.h"
#include "../common/work.h"

#pragma weak spoor_functions_enable
#pragma weak spoor_functions_disable

int loaded_calls(int times);

UNTRACED int main(void)
{
	for (int i = 0; i < 1000 && spoor_functions_enable; i++) {
		spoor_functions_disable(NULL, "loaded_calls");
		spoor_functions_enable(NULL, "loaded_calls");
	}
	return loaded_calls(1) - 1;
}
