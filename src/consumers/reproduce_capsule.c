// SPDX-License-Identifier: MIT
/* The exporter of DLPack: __dlpack__(), __dlpack_device__(), and the table of the C exchange API.
 */
#include "consumers/reproduce_script.h"

static void add_word_pointer(struct script *script, const char *indent)
{
	text_printf(&script->text,
		"%swords = ctypes.POINTER(ctypes.c_uint64).from_address(id(capsule) + object.__basicsize__)\n",
		indent);
}

static const char *show_device_method(const struct script *script)
{
	const struct consumer_case *row = script->row;

	switch (row->result) {
	case RESULT_DEVICE_NONE:
		return "lambda self: None";
	case RESULT_DEVICE_TEXT:
		return "lambda self: \"cpu\"";
	case RESULT_DEVICE_LONG:
		return "lambda self: (1, 0, 0)";
	default:
		break;
	}
	if (!row->asked_device_type && !row->device_id)
		return script_returns_capsule(script)
			       ? arena_printf(script->arena, "%s.__dlpack_device__", script->name)
			       : "lambda self: (1, 0)";
	return arena_printf(script->arena, "lambda self: (%d, %d)",
		row->asked_device_type ? row->asked_device_type : 1, row->device_id);
}

/* A new capsule for each call: as max_version requests it, or always of one kind. */
static void add_export(struct script *script)
{
	static const char *const parameters[] = { [CAPSULE_EITHER] = "max_version=None, **keywords",
		[CAPSULE_LEGACY] = "**_",
		[CAPSULE_VERSIONED] = "*, max_version, **_" };
	static const char *const arguments[] = { [CAPSULE_EITHER] = "max_version=max_version",
		[CAPSULE_LEGACY] = "",
		[CAPSULE_VERSIONED] = "max_version=(1, 0)" };
	const char *name = script->row->capsule_name, *indent = "    ", *comment;

	text_printf(&script->text, "\n\ndef export(self, %s):\n", parameters[script->kind]);
	text_printf(&script->text, "%scapsule = %s.__dlpack__(%s)\n", indent,
		script_show_exported(script), arguments[script->kind]);
	if (script->n_edits)
		add_word_pointer(script, indent);
	comment = script_add_edits(script, indent);
	if (name)
		text_printf(&script->text,
			"%sctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(capsule), %s)\n"
			"%sctypes.pythonapi.PyCapsule_SetDestructor(ctypes.py_object(capsule), None)\n",
			indent, *name ? arena_printf(script->arena, "b\"%s\"", name) : "None",
			indent);
	text_printf(&script->text,
		"%sreturn capsule%s%s\n\n\n"
		"Tensor = type(\"Tensor\", (), {\"__dlpack__\": export, \"__dlpack_device__\": %s})\n",
		indent, comment ? "  # words: " : "", comment ? comment : "",
		show_device_method(script));
}

/* A capsule of one kind, which is made once. */
static void add_constant_capsule(struct script *script)
{
	const char *version = script->kind == CAPSULE_LEGACY ? "" : "max_version=(1, 0)";

	text_printf(&script->text, "capsule = %s.__dlpack__(%s)\n", script_show_exported(script),
		version);
	if (script->n_edits)
		add_word_pointer(script, "");
	script_add_edits(script, "");
	if (script->row->capsule_name)
		text_printf(&script->text,
			"ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(capsule), b\"%s\")\n",
			script->row->capsule_name);
}

static void add_methods(struct script *script)
{
	const char *export = script->kind == CAPSULE_LEGACY
				     ? "lambda self, **_: capsule"
				     : "lambda self, *, max_version, **_: capsule";

	text_printf(&script->text, "    __dlpack__, __dlpack_device__ = %s, %s\n\n\n", export,
		show_device_method(script));
}

/* The table of the C exchange API with its only function that consumers of these cases call. It
 * passes the struct of a capsule on that is never destroyed, since that would release the struct.
 * __dlpack__ is NumPy's. */
static void add_exchange_table(struct script *script)
{
	enum case_exchange exchange = script->row->exchange;

	if (exchange != EXCHANGE_MAJOR) {
		text_printf(&script->text,
			"# A new reference, which keeps the capsule, and its first word, which points to the struct.\n"
			"capsule = PYFUNCTYPE(c_void_p)((\"Py_NewRef\", pythonapi))"
			"(py_object(%s.__dlpack__(max_version=(1, 0))))\n"
			"words = POINTER(c_uint64).from_address(capsule + object.__basicsize__)\n",
			script_show_exported(script));
		script_add_edits(script, "");
		text_printf(&script->text,
			"export = PYFUNCTYPE(c_int, c_void_p, c_void_p)"
			"(lambda self, out: memmove(out, byref(words), 8) and 0)\n"
			"table, pythonapi.PyCapsule_New.restype = "
			"(c_void_p * 7)(1 | 3 << 32, 0, 0, cast(export, c_void_p)), py_object\n");
	}
	if (exchange == EXCHANGE_CHAIN)
		text_printf(&script->text,
			"table = (c_void_p * 7)(2, cast(table, c_void_p), *[-1] * 5)  # a newer version\n");
	else if (exchange == EXCHANGE_MAJOR)
		text_printf(&script->text,
			"table, pythonapi.PyCapsule_New.restype = (c_void_p * 7)(2, 0, *[-1] * 5), py_object\n");
	text_printf(&script->text,
		"Tensor = type(\"Tensor\", (), dict(__dlpack__=%s.__dlpack__, __dlpack_device__=lambda self: (1, 0)))\n"
		"Tensor.__dlpack_c_exchange_api__ = pythonapi.PyCapsule_New(table, b\"%s\", None)\n",
		script->name,
		exchange == EXCHANGE_NAME ? "dlpack_exchange_api2" : "dlpack_exchange_api");
}

/* Objects whose methods do what the row states, or export what NumPy does. */
static void add_simple_class(struct script *script)
{
	const struct consumer_case *row = script->row;
	const char *keywords = row->flags & CASE_NO_KEYWORDS ? "stream=None" : "**keywords";
	const char *exported = arena_printf(script->arena, "%s.__dlpack__(%s)", script->name,
		script->kind == CAPSULE_LEGACY ? "" : "**keywords");

	text_printf(
		&script->text, "%sclass Tensor:\n", script_returns_capsule(script) ? "\n\n" : "");
	if (row->flags & CASE_SLOW)
		text_printf(&script->text,
			"    def __dlpack__(self, %s):\n        time.sleep(%.1f)\n        return %s\n\n",
			keywords, CASE_SLOW_MS / 1000.0, exported);
	else if (row->raises)
		text_printf(&script->text,
			"    def __dlpack__(self, %s):\n        raise %s(\"this exporter raises %s\")\n\n",
			keywords, row->raises, row->raises);
	else if (!script_returns_capsule(script) && !(row->flags & CASE_NO_METHOD))
		text_printf(&script->text, "    __dlpack__ = lambda self, %s: %s\n", keywords,
			row->result == RESULT_INT    ? "42"
			: row->result == RESULT_NONE ? "None"
						     : "b\"dltensor\"");
	else if (script->kind == CAPSULE_LEGACY)
		text_printf(&script->text, "    __dlpack__ = lambda self, %s: %s\n", keywords,
			exported);
	else if (script_returns_capsule(script))
		text_printf(&script->text, "    __dlpack__ = %s.__dlpack__\n", script->name);
	if (row->raises_device)
		text_printf(&script->text,
			"\n    def __dlpack_device__(self):\n        raise %s(\"this exporter raises %s\")\n\n\n",
			row->raises_device, row->raises_device);
	else
		text_printf(&script->text, "    __dlpack_device__ = %s\n\n\n",
			show_device_method(script));
}

void script_add_dlpack_class(struct script *script)
{
	if (script_is_readonly_array(script)) {
		text_printf(&script->text, "expected.flags.writeable = False\n");
		add_simple_class(script);
	} else if (!script_is_edited(script))
		add_simple_class(script);
	else if (script->row->exchange)
		add_exchange_table(script);
	else if (script->kind == CAPSULE_EITHER ||
		 (consumer_case_is_legal(script->row) && !script->is_short))
		add_export(script);
	else {
		add_constant_capsule(script);
		text_printf(&script->text, "\n\nclass Tensor:\n");
		add_methods(script);
	}
}
