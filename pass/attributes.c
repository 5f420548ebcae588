/* SPDX-License-Identifier: MIT */
/* attributes.c - reads and sets attributes of functions by name. */
#include "pass/attributes.h"

#include <string.h>

static LLVMAttributeRef get_attribute(LLVMValueRef function, const char *name)
{
	return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name,
					     (unsigned)strlen(name));
}

bool attribute_is_set(LLVMValueRef function, const char *name)
{
	return get_attribute(function, name) != NULL;
}

bool attribute_is(LLVMValueRef function, const char *name, const char *value)
{
	LLVMAttributeRef attribute = get_attribute(function, name);
	const char *actual;
	unsigned length;

	if (!attribute)
		return false;
	actual = LLVMGetStringAttributeValue(attribute, &length);
	return length == strlen(value) && memcmp(actual, value, length) == 0;
}

bool attribute_lists(LLVMValueRef function, const char *name, const char *item)
{
	LLVMAttributeRef attribute = get_attribute(function, name);
	const char *at, *end, *comma;
	unsigned length;

	if (!attribute)
		return false;
	at = LLVMGetStringAttributeValue(attribute, &length);
	for (end = at + length; at < end; at = comma + 1) {
		comma = memchr(at, ',', (size_t)(end - at));
		comma = comma ? comma : end;
		if ((size_t)(comma - at) == strlen(item) && memcmp(at, item, strlen(item)) == 0)
			return true;
	}
	return false;
}

void attribute_set(LLVMValueRef function, const char *name, const char *value)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateStringAttribute(context, name, (unsigned)strlen(name),
							  value, (unsigned)strlen(value)));
}

void attribute_remove(LLVMValueRef function, const char *name)
{
	LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name,
					 (unsigned)strlen(name));
}

bool attribute_own_is_set(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	return kind && LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
}
