/* SPDX-License-Identifier: MIT */
/*
 * xray.c - implements XRay's interface with spoor's registry (libspoor/handler/xray_objects.h), so that tools
 * for XRay work without changes on programs with spoor's sleds.
 *
 * spoor has no sleds for arguments, custom events and typed events: functions that set a handler for them
 * return 0, an error.
 */
#include "xray/xray.h"

#include <errno.h>

#include "handler/xray_objects.h"
#include "spoor.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char __xray_spoor_present[1] = "";

static void (*handler)(int32_t packed, enum XRayEntryType kind);

/* Returns null if libspoor.so has another version: then the status is NOT_INITIALIZED. */
static const struct spoor_objects *objects(void)
{
	return spoor_objects(SPOOR_OBJECTS_VERSION);
}

static void event(uint64_t function_id, int kind)
{
	static const enum XRayEntryType kinds[] = {
		[SPOOR_HANDLER_ENTRY] = ENTRY, [SPOOR_HANDLER_EXIT] = EXIT, [SPOOR_HANDLER_TAIL_EXIT] = TAIL,
	};
	void (*called)(int32_t, enum XRayEntryType) = __atomic_load_n(&handler, __ATOMIC_ACQUIRE);
	int saved = errno;
	uint32_t packed;

	if (called && objects()->packed(function_id, &packed))
		called((int32_t)packed, kinds[kind]);
	errno = saved;
}

EXPORT int __xray_set_handler(void (*entry)(int32_t, enum XRayEntryType))
{
	if (!objects() || objects()->count() == 0)
		return 0;
	if (entry)
		__atomic_store_n(&handler, entry, __ATOMIC_RELEASE);
	return objects()->set_handler(entry ? event : NULL) == 0;
}

EXPORT int __xray_remove_handler(void)
{
	return __xray_set_handler(NULL);
}

EXPORT int __xray_set_handler_arg1(void (*entry)(int32_t, enum XRayEntryType, uint64_t))
{
	return !entry;
}

EXPORT int __xray_remove_handler_arg1(void)
{
	return 1;
}

EXPORT int __xray_set_customevent_handler(void (*entry)(void *, size_t))
{
	return !entry;
}

EXPORT int __xray_remove_customevent_handler(void)
{
	return 1;
}

EXPORT int __xray_set_typedevent_handler(void (*entry)(size_t, const void *, size_t))
{
	return !entry;
}

EXPORT int __xray_remove_typedevent_handler(void)
{
	return 1;
}

EXPORT uint16_t __xray_register_event_type(const char *event_type)
{
	(void)event_type;
	return 0;
}

static enum XRayPatchingStatus patch(int32_t object, int32_t function, bool on)
{
	if (!objects() || objects()->begin() < 0 || objects()->count() == 0)
		return NOT_INITIALIZED;
	return objects()->patch(object, function, on) == 0 ? SUCCESS : FAILED;
}

/* Skips objects without functions, and closed ones. */
static enum XRayPatchingStatus patch_all(bool on)
{
	enum XRayPatchingStatus status = SUCCESS;

	if (!objects() || objects()->begin() < 0 || objects()->count() == 0)
		return NOT_INITIALIZED;
	for (int32_t object = 0; object < objects()->count(); object++) {
		if (objects()->patch(object, 0, on) == -EACCES)
			status = FAILED;
	}
	return status;
}

EXPORT enum XRayPatchingStatus __xray_patch(void)
{
	return patch_all(true);
}

EXPORT enum XRayPatchingStatus __xray_unpatch(void)
{
	return patch_all(false);
}

EXPORT enum XRayPatchingStatus __xray_patch_object(int32_t object)
{
	return patch(object, 0, true);
}

EXPORT enum XRayPatchingStatus __xray_unpatch_object(int32_t object)
{
	return patch(object, 0, false);
}

/* Function 0 would mean all functions, so pass an invalid number instead. */
static enum XRayPatchingStatus patch_one(int32_t function, int32_t object, bool on)
{
	return patch(object, function > 0 ? function : -1, on);
}

EXPORT enum XRayPatchingStatus __xray_patch_function(int32_t packed)
{
	return patch_one(__xray_unpack_function_id(packed), __xray_unpack_object_id(packed), true);
}

EXPORT enum XRayPatchingStatus __xray_patch_function_in_object(int32_t function, int32_t object)
{
	return patch_one(function, object, true);
}

EXPORT enum XRayPatchingStatus __xray_unpatch_function(int32_t packed)
{
	return patch_one(__xray_unpack_function_id(packed), __xray_unpack_object_id(packed), false);
}

EXPORT enum XRayPatchingStatus __xray_unpatch_function_in_object(int32_t function, int32_t object)
{
	return patch_one(function, object, false);
}

EXPORT uintptr_t __xray_function_address(int32_t packed)
{
	return __xray_function_address_in_object(__xray_unpack_function_id(packed), __xray_unpack_object_id(packed));
}

EXPORT uintptr_t __xray_function_address_in_object(int32_t function, int32_t object)
{
	return objects() ? objects()->address(object, function) : 0;
}

EXPORT size_t __xray_max_function_id(void)
{
	return __xray_max_function_id_in_object(0);
}

EXPORT size_t __xray_max_function_id_in_object(int32_t object)
{
	return objects() ? (size_t)objects()->functions(object) : 0;
}

EXPORT size_t __xray_num_objects(void)
{
	return objects() ? (size_t)objects()->count() : 0;
}

EXPORT int32_t __xray_unpack_function_id(int32_t packed)
{
	return packed & SPOOR_OBJECT_FUNCTIONS_MAX;
}

EXPORT int32_t __xray_unpack_object_id(int32_t packed)
{
	return (int32_t)((uint32_t)packed >> 24);
}

EXPORT int32_t __xray_pack_id(int32_t function, int32_t object)
{
	return (int32_t)((uint32_t)object << 24 | ((uint32_t)function & SPOOR_OBJECT_FUNCTIONS_MAX));
}

EXPORT void __xray_init(void)
{
	if (objects())
		objects()->begin();
}
