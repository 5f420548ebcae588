/* SPDX-License-Identifier: MIT */
/* result_addresses_x86_64.c - functions return the addresses of results in memory, so the runtime needs no notes. */
#include "event/result_addresses.h"

void spoor_result_addresses_prepare(void)
{
}

void spoor_result_addresses_forget(void)
{
}
