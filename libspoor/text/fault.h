/* SPDX-License-Identifier: MIT */
/* fault.h - describes an error in an option or a file in one line. */
#ifndef SPOOR_FAULT_H
#define SPOOR_FAULT_H

struct spoor_fault {
	char text[1024];
};

#endif
