dnl SPDX-License-Identifier: MIT

dnl SPOOR_FIND(VARIABLE, MODULE, PACKAGES) - finds a library by pkg-config, or
dnl adds the Debian packages that hold it to SPOOR_MISSING.
AC_DEFUN([SPOOR_FIND],
[PKG_CHECK_MODULES([$1], [$2], [], [SPOOR_MISSING="$SPOOR_MISSING $3"])])

dnl SPOOR_FIND_LLVM - LLVM_CONFIG is --with-llvm-config, or else the newest of
dnl 22, 19 and 14 that is installed. Sets LLVM_VERSION, LLVM_MAJOR, LLVM_BINDIR,
dnl LLVM_CFLAGS, LLVM_CXXFLAGS, LLVM_CLANG, LLVM_CLANGXX.
AC_DEFUN([SPOOR_FIND_LLVM],
[AC_ARG_WITH([llvm-config],
  [AS_HELP_STRING([--with-llvm-config=PROGRAM],
    [the LLVM to build for: 14, 19 or 22 (default: the newest installed)])],
  [LLVM_CONFIG=$withval],
  [AC_PATH_PROGS([LLVM_CONFIG], [llvm-config-22 llvm-config-19 llvm-config-14], [])])
AC_MSG_CHECKING([for LLVM])
AS_IF([test -z "$LLVM_CONFIG" || ! LLVM_VERSION=`$LLVM_CONFIG --version 2>/dev/null`],
  [AC_MSG_RESULT([no])
   SPOOR_MISSING="$SPOOR_MISSING llvm-22-dev clang-22 lld-22"
   LLVM_VERSION=none],
  [AC_MSG_RESULT([$LLVM_VERSION])
   LLVM_MAJOR=`AS_ECHO(["$LLVM_VERSION"]) | $SED 's/\..*//'`
   LLVM_BINDIR=`$LLVM_CONFIG --bindir`
   LLVM_INCLUDEDIR=`$LLVM_CONFIG --includedir`
   dnl clang's own list of flags differs from the compiler's here: only what matters.
   LLVM_CFLAGS="-isystem $LLVM_INCLUDEDIR -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS"
   LLVM_CXXFLAGS="$LLVM_CFLAGS -std=c++17 -fno-exceptions -fno-rtti"
   LLVM_CLANG=$LLVM_BINDIR/clang
   LLVM_CLANGXX=$LLVM_BINDIR/clang++
   AS_IF([test ! -x "$LLVM_CLANG"], [SPOOR_MISSING="$SPOOR_MISSING clang-$LLVM_MAJOR"])])
AC_SUBST([LLVM_CONFIG])
AC_SUBST([LLVM_VERSION])
AC_SUBST([LLVM_MAJOR])
AC_SUBST([LLVM_BINDIR])
AC_SUBST([LLVM_CFLAGS])
AC_SUBST([LLVM_CXXFLAGS])
AC_SUBST([LLVM_CLANG])
AC_SUBST([LLVM_CLANGXX])])

dnl SPOOR_CONFIG_FILES - files that configure writes beside the Makefile.
AC_DEFUN([SPOOR_CONFIG_FILES], [])
