dnl SPDX-License-Identifier: MIT

dnl SPOOR_FIND(VARIABLE, MODULE, PACKAGES) - finds a library with pkg-config, or
dnl adds the Debian packages that contain it to SPOOR_MISSING.
AC_DEFUN([SPOOR_FIND],
[PKG_CHECK_MODULES([$1], [$2], [], [SPOOR_MISSING="$SPOOR_MISSING $3"])])

dnl SPOOR_FIND_LLVM - finds LLVM with the program in --with-llvm-config, or else the
dnl newest installed one of LLVM 22, 19 and 14. Sets LLVM_CONFIG, LLVM_VERSION, LLVM_MAJOR, LLVM_BINDIR,
dnl LLVM_CFLAGS, LLVM_CXXFLAGS, LLVM_LIBS, LLVM_CLANG, LLVM_CLANGXX.
AC_DEFUN([SPOOR_FIND_LLVM],
[AC_ARG_WITH([llvm-config],
  [AS_HELP_STRING([--with-llvm-config=PROGRAM],
    [the LLVM to build for: 14, 19 or 22 (default: the newest installed)])],
  [LLVM_CONFIG=$withval],
  [AC_PATH_PROGS([LLVM_CONFIG], [llvm-config-22 llvm-config-19 llvm-config-14], [])])
AC_MSG_CHECKING([for LLVM])
AS_IF([test -z "$LLVM_CONFIG" || ! LLVM_VERSION=`$LLVM_CONFIG --version 2>/dev/null`],
  [AC_MSG_RESULT([no])
   AS_CASE([$LLVM_CONFIG], [''|*-22], [wanted_llvm=22], [*-19], [wanted_llvm=19], [*-14], [wanted_llvm=14],
     [AC_MSG_ERROR([--with-llvm-config: $LLVM_CONFIG cannot be executed: name an llvm-config of LLVM 14, 19 or 22])])
   SPOOR_MISSING="$SPOOR_MISSING llvm-$wanted_llvm-dev clang-$wanted_llvm lld-$wanted_llvm"
   LLVM_VERSION=none],
  [AC_MSG_RESULT([$LLVM_VERSION])
   LLVM_MAJOR=`AS_ECHO(["$LLVM_VERSION"]) | $SED 's/\..*//'`
   AS_CASE([$LLVM_MAJOR], [14|19|22], [],
     [AC_MSG_ERROR([$LLVM_CONFIG belongs to LLVM $LLVM_VERSION, which spoor does not support: use LLVM 14, 19 or 22])])
   LLVM_BINDIR=`$LLVM_CONFIG --bindir`
   LLVM_INCLUDEDIR=`$LLVM_CONFIG --includedir`
   dnl llvm-config --cxxflags has flags for LLVM's own compiler, so this lists only the necessary ones.
   LLVM_DEFINES="-D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS"
   LLVM_STANDARD="-std=c++17 -fno-exceptions -fno-rtti"
   LLVM_CFLAGS="-isystem $LLVM_INCLUDEDIR $LLVM_DEFINES"
   LLVM_CXXFLAGS="$LLVM_CFLAGS $LLVM_STANDARD"
   LLVM_LIBS=`$LLVM_CONFIG --link-shared --ldflags --libs | tr '\n' ' '`
   LLVM_CLANG=$LLVM_BINDIR/clang
   LLVM_CLANGXX=$LLVM_BINDIR/clang++
   AS_IF([test ! -f "$LLVM_INCLUDEDIR/llvm/Passes/PassBuilder.h"], [SPOOR_MISSING="$SPOOR_MISSING llvm-$LLVM_MAJOR-dev"])
   AS_IF([test ! -x "$LLVM_CLANG"], [SPOOR_MISSING="$SPOOR_MISSING clang-$LLVM_MAJOR"])])
AC_SUBST([LLVM_CONFIG])
AC_SUBST([LLVM_VERSION])
AC_SUBST([LLVM_MAJOR])
AC_SUBST([LLVM_BINDIR])
AC_SUBST([LLVM_CFLAGS])
AC_SUBST([LLVM_CXXFLAGS])
AC_SUBST([LLVM_LIBS])
AC_SUBST([LLVM_CLANG])
AC_SUBST([LLVM_CLANGXX])])

dnl SPOOR_FIND_OTHER_LLVM(MAJOR) - checks whether this LLVM is installed in addition to
dnl the chosen one. Sets OTHER_LLVM_<MAJOR>, LLVM_<MAJOR>_CFLAGS, LLVM_<MAJOR>_CXXFLAGS,
dnl LLVM_<MAJOR>_LIBS, and adds the number to SPOOR_OTHER_LLVMS.
AC_DEFUN([SPOOR_FIND_OTHER_LLVM],
[other_llvm=no
AS_IF([test "x$LLVM_MAJOR" != x$1 && other_includedir=`llvm-config-$1 --includedir 2>/dev/null` &&
       test -f "$other_includedir/llvm/Passes/PassBuilder.h"],
  [other_llvm=yes
   SPOOR_OTHER_LLVMS="$SPOOR_OTHER_LLVMS $1"
   LLVM_$1_CFLAGS="-isystem $other_includedir $LLVM_DEFINES"
   LLVM_$1_CXXFLAGS="$LLVM_STANDARD"
   LLVM_$1_LIBS=`llvm-config-$1 --link-shared --ldflags --libs | tr '\n' ' '`])
AC_SUBST([LLVM_$1_CFLAGS])
AC_SUBST([LLVM_$1_LIBS])
AC_SUBST([LLVM_$1_CXXFLAGS])
AM_CONDITIONAL([OTHER_LLVM_$1], [test $other_llvm = yes && test "x$host" = "x$build"])])

dnl SPOOR_FIND_GCC_PLUGIN(CONDITIONAL, MAJOR, COMPILER...) - finds the first of the compilers that is GCC of this version
dnl and has its plugin headers. Sets CONDITIONAL, CONDITIONAL_CPPFLAGS and gcc_found.
AC_DEFUN([SPOOR_FIND_GCC_PLUGIN],
[gcc_found=
for gcc_candidate in $3; do
  gcc_headers=`$gcc_candidate -print-file-name=plugin/include 2>/dev/null`
  gcc_major=`$gcc_candidate -dumpversion 2>/dev/null | $SED 's/\..*//'`
  AS_IF([test -z "$gcc_found" && test -f "$gcc_headers/gcc-plugin.h" && test "x$gcc_major" = x$2],
    [gcc_found=$gcc_candidate
     $1_CPPFLAGS="-isystem $gcc_headers"])
done
AC_SUBST([$1_CPPFLAGS])
AM_CONDITIONAL([$1], [test -n "$gcc_found" && test "x$host" = "x$build"])])

dnl SPOOR_FIND_GCC(MAJOR) - finds GCC of this version for this machine and for the other architecture. Adds to
dnl SPOOR_GCCS, and sets SPOOR_GCC_MAJOR to the default version of the drivers and SPOOR_GCC_SUFFIX to the end of that
dnl compiler's name, after "gcc".
AC_DEFUN([SPOOR_FIND_GCC],
[SPOOR_FIND_GCC_PLUGIN([GCC_$1], [$1], [gcc gcc-$1])
AS_IF([test -n "$gcc_found"],
  [SPOOR_GCCS="$SPOOR_GCCS $1"
   AS_IF([test -z "$gcc_default" || test "$gcc_found" = gcc],
     [gcc_default=$gcc_found SPOOR_GCC_SUFFIX=${gcc_found#gcc} SPOOR_GCC_MAJOR=$1])])
SPOOR_FIND_GCC_PLUGIN([OTHER_GCC_$1], [$1], [$SPOOR_OTHER_ARCH-linux-gnu-gcc $SPOOR_OTHER_ARCH-linux-gnu-gcc-$1])
AS_IF([test -n "$gcc_found"], [SPOOR_GCCS="$SPOOR_GCCS $1-$SPOOR_OTHER_ARCH"])
AC_SUBST([SPOOR_GCC_SUFFIX])
AC_SUBST([SPOOR_GCC_MAJOR])])

dnl SPOOR_CONFIG_FILES - further files that configure writes.
AC_DEFUN([SPOOR_CONFIG_FILES], [])
