dnl SPDX-License-Identifier: MIT
dnl paths.m4 - rejects folders that make and libtool cannot handle.

dnl SPOOR_CHECK_PATHS - ends configure, with one message, if the path of the sources or of the build has white space
dnl or a character that a shell expands. It comes before AM_INIT_AUTOMAKE, whose message names no remedy.
AC_DEFUN([SPOOR_CHECK_PATHS],
[spoor_sources=`cd "$srcdir" && pwd`
for spoor_path in "$spoor_sources" "`pwd`"; do
  case $spoor_path in
  *[[\\\"\#\$\&\'\`\ \	]]*)
    AC_MSG_ERROR([the path '$spoor_path' has a space or another character that make cannot handle: move the sources and the build to a folder without it]) ;;
  esac
done])
