/* SPDX-License-Identifier: MIT */
/*
 * spoor/sdt_value.h - finds for spoor/sdt.h whether an argument is a pointer, its sign, its size, the type in
 * which it is passed, and the 64 bits that are recorded. Internal.
 *
 * An argument that is no integer, bool, enumeration, pointer or array does not compile.
 */
#ifndef SPOOR_SDT_VALUE_H
#define SPOOR_SDT_VALUE_H

#ifdef __cplusplus
namespace spoor_sdt {
template <bool> struct argument_is_an_integer_or_pointer;
template <> struct argument_is_an_integer_or_pointer<true> { enum { good = 1 }; };
template <typename T, bool is_enum> struct integer_of { typedef T type; };
template <typename T> struct integer_of<T, true> { typedef __underlying_type(T) type; };
template <typename T> struct is_real { enum { value = 0 }; };
template <> struct is_real<float> { enum { value = 1 }; };
template <> struct is_real<double> { enum { value = 1 }; };
template <> struct is_real<long double> { enum { value = 1 }; };
/* The properties of a value that is passed. Arrays have become pointers before. */
template <typename T> struct kind_of {
	typedef typename integer_of<T, __is_enum(T)>::type integer;
	enum {
		good = argument_is_an_integer_or_pointer<!is_real<T>::value && !__is_class(T) && sizeof(T) <= 8>::good,
		sign = (integer)-1 < (integer)1,
		pointer = 0
	};
	typedef decltype(+integer()) wide;
};
template <> struct kind_of<bool> { enum { sign = 0, pointer = 0 }; typedef int wide; };
template <typename T> struct kind_of<T *> { enum { sign = 0, pointer = 1 }; typedef T *wide; };
template <> struct kind_of<decltype(nullptr)> { enum { sign = 0, pointer = 1 }; typedef void *wide; };
template <typename T> kind_of<T> describe(T value);
template <typename T> T decayed(T value);
template <typename T> inline __UINT64_TYPE__ bits(T value) { return static_cast<__UINT64_TYPE__>(value); }
template <typename T> inline __UINT64_TYPE__ bits(T *value) { return reinterpret_cast<__UINT64_TYPE__>(value); }
inline __UINT64_TYPE__ bits(decltype(nullptr)) { return 0; }
}
#define SPOOR_SDT_IS_POINTER(value) (decltype(spoor_sdt::describe(value))::pointer)
#define SPOOR_SDT_HANDED(value) decltype(spoor_sdt::decayed(value))
#define SPOOR_SDT_BITS(number) spoor_sdt::bits(spoor_sdt_##number)
#define SPOOR_SDT_SIGNED(value) (decltype(spoor_sdt::describe(value))::sign)
#define SPOOR_SDT_SIZE(value) sizeof(spoor_sdt::decayed(value))
#define SPOOR_SDT_WIDE(value) static_cast<typename decltype(spoor_sdt::describe(value))::wide>(value)
#else
/* The numbers of GCC's typeclass.h: real numbers, complex numbers, structures, unions. */
#define SPOOR_SDT_CLASS(value) __builtin_classify_type((value))
#define SPOOR_SDT_IS_POINTER(value) (SPOOR_SDT_CLASS(value) == 5)
#define SPOOR_SDT_INTEGER(value) __typeof__(__builtin_choose_expr(SPOOR_SDT_IS_POINTER(value), 0u, ((void)0, (value))))
#define SPOOR_SDT_SIGNED(value) ((SPOOR_SDT_INTEGER(value))-1 < (SPOOR_SDT_INTEGER(value))1)
/* After a comma operator an array is a pointer, and small integers keep their size. */
#define SPOOR_SDT_SIZE(value)                                                                  \
	(sizeof(SPOOR_SDT_HANDED(value)) * sizeof(char[SPOOR_SDT_CLASS(value) != 8 && SPOOR_SDT_CLASS(value) != 9 && \
						       sizeof(SPOOR_SDT_HANDED(value)) <= 8 ? 1 : -1]))
#define SPOOR_SDT_HANDED(value) __typeof__(((void)0, (value)))
#define SPOOR_SDT_BITS(number) (__UINT64_TYPE__)(spoor_sdt_##number)
#define SPOOR_SDT_WIDE(value)                                                                  \
	__builtin_choose_expr(SPOOR_SDT_IS_POINTER(value), (value),                            \
			      +__builtin_choose_expr(SPOOR_SDT_IS_POINTER(value), 0, (value)))
#endif

#endif
