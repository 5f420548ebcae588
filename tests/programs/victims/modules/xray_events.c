/* SPDX-License-Identifier: MIT */
/* xray_events.c - a function with sleds of XRay's own custom and typed events. */
int loaded_calls(int times);
void __xray_CustomEvent(void);
void __xray_TypedEvent(void);

/* The functions that those sleds would call if they were patched. */
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
