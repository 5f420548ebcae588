/* SPDX-License-Identifier: MIT */
int untraced(int x);
int untraced(int x) { return -x; }
