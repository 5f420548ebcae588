/* SPDX-License-Identifier: MIT */
/* xray_events.c - XRay's own custom and typed events among the sleds of a function. */
int loaded_calls(int times);
void __xray_CustomEvent(void);
void __xray_TypedEvent(void);

/* What their sleds would call, if somebody patched them. */
void __xray_CustomEvent(void)
{
	__builtin_trap();
}

void __xray_TypedEvent(void)
{
	__builtin_trap();
}

int loaded_calls(int times)
{
	__xray_customevent("custom", 6);
	__xray_typedevent(1, "typed", 5);
	return times;
}
