/* SPDX-License-Identifier: MIT */
/*
 * xray.h - declares the functions of LLVM 22's <xray/xray_interface.h> that libspoor_xray.so defines.
 * Programs include LLVM's header. Names and numbers are LLVM's.
 */
#ifndef SPOOR_XRAY_H
#define SPOOR_XRAY_H

#include <stddef.h>
#include <stdint.h>

enum XRayEntryType { ENTRY = 0, EXIT = 1, TAIL = 2, LOG_ARGS_ENTRY = 3, CUSTOM_EVENT = 4, TYPED_EVENT = 5 };
enum XRayPatchingStatus { NOT_INITIALIZED = 0, SUCCESS = 1, ONGOING = 2, FAILED = 3 };

int __xray_set_handler(void (*entry)(int32_t, enum XRayEntryType));
int __xray_remove_handler(void);
int __xray_set_handler_arg1(void (*entry)(int32_t, enum XRayEntryType, uint64_t));
int __xray_remove_handler_arg1(void);
int __xray_set_customevent_handler(void (*entry)(void *, size_t));
int __xray_remove_customevent_handler(void);
int __xray_set_typedevent_handler(void (*entry)(size_t, const void *, size_t));
int __xray_remove_typedevent_handler(void);
uint16_t __xray_register_event_type(const char *event_type);
enum XRayPatchingStatus __xray_patch(void);
enum XRayPatchingStatus __xray_patch_object(int32_t object);
enum XRayPatchingStatus __xray_unpatch(void);
enum XRayPatchingStatus __xray_unpatch_object(int32_t object);
enum XRayPatchingStatus __xray_patch_function(int32_t packed);
enum XRayPatchingStatus __xray_patch_function_in_object(int32_t function, int32_t object);
enum XRayPatchingStatus __xray_unpatch_function(int32_t packed);
enum XRayPatchingStatus __xray_unpatch_function_in_object(int32_t function, int32_t object);
uintptr_t __xray_function_address(int32_t packed);
uintptr_t __xray_function_address_in_object(int32_t function, int32_t object);
size_t __xray_max_function_id(void);
size_t __xray_max_function_id_in_object(int32_t object);
size_t __xray_num_objects(void);
int32_t __xray_unpack_function_id(int32_t packed);
int32_t __xray_unpack_object_id(int32_t packed);
int32_t __xray_pack_id(int32_t function, int32_t object);
void __xray_init(void);

/* libspoor.so looks this name up to detect this library. */
extern const char __xray_spoor_present[1];

#endif
