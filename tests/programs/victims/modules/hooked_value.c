/* SPDX-License-Identifier: MIT */
/* hooked_value.c - a library with one function, NAME_value, which adds the length of its name. */
#define JOIN(name) name##_value
#define FUNCTION(name) JOIN(name)
#define TEXT(name) #name
#define LENGTH(name) (sizeof(TEXT(name) "_value") - 1)
#define LENGTH_OF(name) LENGTH(name)

int FUNCTION(NAME)(int value)
{
	return value + (int)LENGTH_OF(NAME);
}
