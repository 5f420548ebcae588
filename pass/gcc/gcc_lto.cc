/* SPDX-License-Identifier: MIT */
/*
 * gcc_lto.cc - a warning for objects of -flto that are linked without the plugin.
 *
 * An object has an asm outside of all functions, which reaches the assembler when the link generates code. It makes the
 * assembler warn once a file, unless the plugin defined a symbol before.
 */
#include "pass/gcc/gcc_headers.h"

#include "pass/gcc/gcc_lto.h"

static const char warning_text[] =
	"\t.ifndef .Lspoor_has_plugin\n"
	"\t.set .Lspoor_has_plugin, 0\n"
	"\t.warning \"functions of 'spoor-gcc -flto' get no sleds: link with spoor-gcc too\"\n"
	"\t.endif\n";

void gcc_lto_begin(void)
{
	if (flag_generate_lto && !in_lto_p)
		symtab->finalize_toplevel_asm(build_string(sizeof warning_text - 1, warning_text));
	if (asm_out_file && (flag_generate_lto || in_lto_p))
		fputs("\t.set .Lspoor_has_plugin, 1\n", asm_out_file);
}
