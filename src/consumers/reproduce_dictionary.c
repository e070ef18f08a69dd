// SPDX-License-Identifier: MIT
/* The object of the other protocols: a dictionary of their attribute, or what NumPy's array has. */
#include "consumers/reproduce_script.h"

#include <string.h>

/* The items of SYCL's dictionary, which counts from the lowest address. */
static const char *show_offset(const struct script *script)
{
	const struct array *layout = &script->layout;
	bool is_null = !script->has_layout || script->row->flags & CASE_NULL_DATA;

	return arena_printf(script->arena, "{\"offset\": %lld, \"syclobj\": block.sycl_queue}",
		is_null ? 0LL
			: (long long)((int64_t)layout->pointer / dtype_itemsize(&layout->dtype)));
}

static const char *show_dict(
	const struct script *script, const char *shape, const char *typestr, const char *strides)
{
	return arena_printf(script->arena,
		"interface = dict(version=%d, shape=%s, typestr=\"%s\", strides=%s)",
		script->interface->version, shape, typestr, strides);
}

/* Adds the address, in another line if one would be too long, and so the strides. */
static void add_dict(struct script *script, const char *line, const char *data)
{
	const char *strides = strstr(line, ", strides=");

	if (strlen(line) + strlen(data) + strlen(", data=") <= REPRODUCE_MAX_COLUMNS)
		text_printf(&script->text, "%.*s, data=%s)\n", (int)strlen(line) - 1, line, data);
	else if (strlen(line) <= REPRODUCE_MAX_COLUMNS)
		text_printf(&script->text, "%s\ninterface[\"data\"] = %s\n", line, data);
	else
		text_printf(&script->text, "%.*s, data=%s)\ninterface[\"strides\"] = %.*s\n",
			(int)(strides - line), line, data, (int)strlen(strides + 10) - 1,
			strides + 10);
}

/* The dictionary of a protocol. */
static void add_interface_dict(struct script *script)
{
	const struct consumer_case *row = script->row;
	const struct protocol *protocol = script->interface->protocol;
	int64_t shape[ARRAY_MAX_DIMS], stride_bytes[ARRAY_MAX_DIMS];
	struct arena *arena = script->arena;
	const char *data = arena_printf(arena, "%s.ctypes.data", script->name);
	const char *shown_shape, *shown_strides, *line;
	struct array described;
	struct err ignored;
	int64_t n_bytes;
	char typestr[DTYPE_TEXT_BYTES];

	consumer_case_describe(row, &described, &n_bytes); /* the type, whatever the layout is */
	dtype_to_typestr(&described.dtype, typestr, &ignored);
	consumer_case_extents(row, shape, stride_bytes);
	if (row->flags & CASE_NULL_DATA)
		data = "0";
	else if (script->interface->has_offset)
		data = row->misalignment
			       ? arena_printf(arena, "block._pointer + %d", row->misalignment)
			       : "block._pointer";
	for (int i = 0; protocol->counts_elements && i < described.n_dims; i++)
		stride_bytes[i] /= dtype_itemsize(&described.dtype);
	shown_shape = script_show_tuple(script, shape, 0);
	shown_strides = script_show_tuple(script, stride_bytes, 0);
	data = arena_printf(arena, "(%s, %s)", data, row->flags & CASE_READONLY ? "True" : "False");
	line = show_dict(script, shown_shape, typestr, shown_strides);
	if (script->has_names && !protocol->counts_elements)
		line = show_dict(script, "shape", typestr, "strides");
	else if (strlen(line) > REPRODUCE_MAX_COLUMNS && !protocol->counts_elements &&
		 script->has_layout && array_elements(&script->layout))
		line = show_dict(script, "expected.shape", typestr, "expected.strides");
	add_dict(script, line, data);
	if (script->interface->has_offset)
		text_printf(&script->text, "interface |= %s\n", show_offset(script));
	text_printf(&script->text, "Tensor = type(\"Tensor\", (), {\"%s\": interface%s%s})\n",
		protocol->attribute, row->items ? " | " : "", row->items ? row->items : "");
}

void script_add_other_class(struct script *script)
{
	if (script->row->flags & CASE_READONLY && !script->interface->has_items)
		text_printf(&script->text, "expected.flags.writeable = False\n");
	if (script->interface->has_items)
		add_interface_dict(script);
	else if (script->interface->release != RELEASE_BUFFER)
		text_printf(&script->text, "\n\nclass Tensor:\n    %s = expected.%s\n\n\n",
			script->interface->shown, script->interface->shown);
}
