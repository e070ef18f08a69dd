// SPDX-License-Identifier: MIT
/* What a script imports: modules for its array, and those of the consumer. */
#include "base/identifier.h"
#include "consumers/reproduce_script.h"

#include "base/python_code.h"
#include "model/usual_names.h"

#include <string.h>

/* Imports the modules of names that an expression reads attributes of, np as numpy. */
static void add_expression_imports(struct script *script, const char *expression)
{
	struct name_scan scan = { .at = expression };
	struct arena *arena = script->arena;

	while (name_scan_next(&scan)) {
		const char *name = arena_copy(arena, scan.name, scan.n_bytes);
		const char *module = usual_module(name) ? usual_module(name) : name;

		if (*scan.at != '.' || !strcmp(name, "_") || !strcmp(name, "np"))
			continue;
		if (!strcmp(module, name))
			name = arena_printf(arena, "import %s\n", module);
		else
			name = arena_printf(arena, "import %s as %s\n", module, name);
		if (!script->text.n_bytes || !strstr(script->text.bytes, name))
			text_add(&script->text, name);
	}
}

/* Whether a line of the code imports numpy as np. */
static bool imports_numpy(const char *code)
{
	static const char import[] = "import numpy as np";

	for (const char *at = code; at && (at = strstr(at, import)); at++)
		if ((at == code || strchr("\n;, ", at[-1])) &&
			!is_identifier_byte(at[strlen(import)]))
			return true;
	return false;
}

static bool ends_with_blank_line(const struct text *text)
{
	return text->n_bytes > 1 && !memcmp(text->bytes + text->n_bytes - 2, "\n\n", 2);
}

void script_add_imports(struct script *script, bool has_memory)
{
	const struct job_call *call = script->call;
	const struct reproduce_names *names = script->names;
	const char *device_imports = script->device ? script->device->imports : "";
	bool is_host = has_memory && !script->device && !script_has_table(script);

	if (!script_has_table(script) &&
		(script_is_edited(script) || (script->device && script->device->uses_ctypes)))
		text_printf(&script->text, "import ctypes\n");
	text_printf(&script->text, "%s%s%s", is_host ? "import mmap\n" : "",
		names->file ? "import runpy\n" : "",
		script->row->flags & CASE_SLOW ? "import time\n" : "");
	if (script_has_table(script))
		text_printf(&script->text, "from ctypes import %spy_object, pythonapi\n",
			script->row->exchange == EXCHANGE_MAJOR
				? "c_void_p, "
				: "POINTER, PYFUNCTYPE, byref, c_int, c_uint64, c_void_p, cast, memmove, ");
	if (script->text.n_bytes && !names->file)
		text_printf(&script->text, "\n");
	text_printf(&script->text, "%s", device_imports);
	if (call->module && strcmp(call->module, "numpy") != 0 &&
		!strstr(device_imports, call->module))
		text_printf(&script->text, "import %s\n", call->module);
	if (names->imports)
		text_printf(&script->text, "%s", names->imports);
	else if (!call->module && !names->file && !names->code)
		add_expression_imports(script, call->expression);
	if (imports_numpy(names->code))
		;
	else if (has_memory || (call->module && !strcmp(call->module, "numpy")) ||
		 (!names->file && call->expression &&
			 expression_count_name(call->expression, "np")))
		text_printf(&script->text, "%simport numpy as np\n", names->file ? "\n" : "");
	if (names->code && *names->code)
		text_printf(&script->text, "%s%s\n",
			script->text.n_bytes && !ends_with_blank_line(&script->text) ? "\n" : "",
			names->code);
	if (script->text.n_bytes)
		text_printf(&script->text, has_memory ? "\n" : "\n\n");
}
