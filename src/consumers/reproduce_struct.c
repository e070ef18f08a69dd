// SPDX-License-Identifier: MIT
/* The struct of DLPack: what NumPy exports, in which the words that the row changes are written.
 * The capsule points to a DLManagedTensor or a DLManagedTensorVersioned, which consist of words of
 * 64 bits; the deleter is NumPy's. */
#include "consumers/reproduce_script.h"

#include <string.h>

enum { UNKNOWN_FLAG = 1 << 20 };

/* Words of a DLManagedTensorVersioned, and those of its DLTensor, which a DLManagedTensor begins
 * with. */
enum { WORD_VERSION, WORD_CONTEXT, WORD_DELETER, WORD_FLAGS, WORD_TENSOR };
enum { TENSOR_DATA, TENSOR_DEVICE, TENSOR_TYPE, TENSOR_SHAPE, TENSOR_STRIDES, TENSOR_OFFSET };
enum { LEGACY_CONTEXT = 6, LEGACY_DELETER };

static void add_edit(
	struct script *script, int versioned, int legacy, const char *value, const char *comment)
{
	script->edits[script->n_edits++] = (struct edit){ versioned, legacy, value, comment };
}

static void add_tensor_edit(struct script *script, int word, const char *value, const char *comment)
{
	add_edit(script, WORD_TENSOR + word, word, value, comment);
}

static bool needs_version(const struct consumer_case *row)
{
	return row->major || row->exchange ||
	       row->flags & (CASE_READONLY | CASE_COPIED | CASE_UNKNOWN_FLAG);
}

bool script_returns_capsule(const struct script *script)
{
	const struct consumer_case *row = script->row;

	return !row->raises && (!row->result || row->result >= RESULT_DEVICE_NONE) &&
	       !(row->flags & CASE_NO_METHOD);
}

static void edit_managed(struct script *script)
{
	const struct consumer_case *row = script->row;
	int flags = row->flags & (CASE_READONLY | CASE_COPIED | CASE_UNKNOWN_FLAG);
	struct arena *arena = script->arena;

	if (row->major)
		add_edit(script, WORD_VERSION, -1,
			row->minor ? arena_printf(arena, "%d | %d << 32", row->major, row->minor)
				   : arena_printf(arena, "%d", row->major),
			arena_printf(arena, "version %d.%d", row->major, row->minor));
	if (row->flags & CASE_NULL_CONTEXT)
		add_edit(script, WORD_CONTEXT, LEGACY_CONTEXT, "0", "manager_ctx");
	if (row->flags & CASE_NULL_DELETER)
		add_edit(script, WORD_DELETER, LEGACY_DELETER, "0", "deleter");
	if (flags == CASE_READONLY && !row->exchange)
		add_edit(script, WORD_FLAGS, -1, "1", "flags: READ_ONLY");
	else if (flags == CASE_COPIED)
		add_edit(script, WORD_FLAGS, -1, "2", "flags: IS_COPIED");
	else if (flags == CASE_UNKNOWN_FLAG)
		add_edit(script, WORD_FLAGS, -1, arena_printf(arena, "%d", UNKNOWN_FLAG), "flags");
}

/* Whether the fields of the type are those that NumPy writes. */
static bool has_type_of_numpy(const struct script *script)
{
	const struct consumer_case *row = script->row;
	bool is_float32 = !row->code && !row->bits && !row->lanes;

	return script->has_type && script->numbers.is_native && (is_float32 || row->lanes == 1) &&
	       !row->ndim;
}

bool script_has_extents(const struct script *script)
{
	return !script->has_layout && script_returns_capsule(script) && has_type_of_numpy(script);
}

static void edit_tensor(struct script *script)
{
	const struct consumer_case *row = script->row;
	bool is_float32 = !row->code && !row->bits && !row->lanes;
	int n_dims = row->n_unit_dims + row->n_dims;
	struct arena *arena = script->arena;

	if (!has_type_of_numpy(script))
		add_tensor_edit(script, TENSOR_TYPE,
			arena_printf(arena, "%u | %d << 32 | %d << 40 | %d << 48",
				row->ndim ? (unsigned)row->ndim : (unsigned)n_dims,
				is_float32 ? 2 : row->code, is_float32 ? 32 : row->bits,
				is_float32 ? 1 : row->lanes),
			"ndim, code, bits, lanes");
	if (row->flags & CASE_NULL_DATA)
		add_tensor_edit(script, TENSOR_DATA, "0", "data");
	else if (row->byte_offset)
		add_tensor_edit(script, TENSOR_DATA,
			arena_printf(arena, "%s.ctypes.data - %lld", script->name,
				(long long)row->byte_offset),
			"data");
	if (row->device_type || row->device_id)
		add_tensor_edit(script, TENSOR_DEVICE,
			row->device_id ? arena_printf(arena, "%d | %u << 32",
						 row->device_type ? row->device_type : 1,
						 (unsigned)row->device_id)
				       : arena_printf(arena, "%d", row->device_type),
			"device_type, device_id");
	if (script_has_extents(script)) {
		add_tensor_edit(script, TENSOR_SHAPE, "sizes.ctypes.data", "shape");
		add_tensor_edit(script, TENSOR_STRIDES,
			arena_printf(arena, "sizes.ctypes.data + %d", 8 * n_dims), "strides");
	}
	if (row->flags & CASE_NULL_SHAPE)
		add_tensor_edit(script, TENSOR_SHAPE, "0", "shape");
	if (row->flags & CASE_NULL_STRIDES)
		add_tensor_edit(script, TENSOR_STRIDES, "0", "strides");
	if (row->byte_offset || row->wrong_offset)
		add_tensor_edit(script, TENSOR_OFFSET,
			arena_printf(arena, "%llu",
				row->wrong_offset ? (unsigned long long)row->wrong_offset
						  : (unsigned long long)row->byte_offset),
			"byte_offset");
}

void script_find_edits(struct script *script)
{
	script->kind = script->row->flags & CASE_LEGACY ? CAPSULE_LEGACY
		       : needs_version(script->row)     ? CAPSULE_VERSIONED
							: CAPSULE_EITHER;
	if (!script_returns_capsule(script))
		return;
	edit_managed(script);
	edit_tensor(script);
}

bool script_is_readonly_array(const struct script *script)
{
	return script->n_edits == 1 && script->row->flags & CASE_READONLY &&
	       script->edits[0].versioned == WORD_FLAGS;
}

static const char *show_word(const struct script *script, const struct edit *edit)
{
	switch (script->kind) {
	case CAPSULE_EITHER:
		return arena_printf(script->arena, "words[%d if max_version else %d]",
			edit->versioned, edit->legacy);
	case CAPSULE_LEGACY:
		return arena_printf(script->arena, "words[%d]", edit->legacy);
	default:
		return arena_printf(script->arena, "words[%d]", edit->versioned);
	}
}

/* One assignment to some words. */
static const char *show_assignment(
	struct script *script, const struct edit *edits, int n_edits, const char *indent)
{
	struct arena *arena = script->arena;
	const char *words = "", *values = "";

	for (int i = 0; i < n_edits; i++) {
		const char *comma = i ? ", " : "";

		words = arena_printf(arena, "%s%s%s", words, comma, show_word(script, &edits[i]));
		values = arena_printf(arena, "%s%s%s", values, comma, edits[i].value);
	}
	return arena_printf(arena, "%s%s = %s", indent, words, values);
}

/* What the words are is a comment, which has a line of its own if the line would be too long. NULL,
 * or that comment if the lines are indented, as an indented comment is a line of the function. */
static const char *add_assignment(
	struct script *script, const struct edit *edits, int n_edits, const char *indent)
{
	const char *line = show_assignment(script, edits, n_edits, indent), *comments = "";

	for (int i = 0; i < n_edits; i++)
		comments = arena_printf(
			script->arena, "%s%s%s", comments, i ? ", " : "", edits[i].comment);
	if (strlen(line) + strlen(comments) + 4 <= REPRODUCE_MAX_COLUMNS) {
		text_printf(&script->text, "%s  # %s\n", line, comments);
		return NULL;
	}
	if (!*indent)
		text_printf(&script->text, "# %s\n", comments);
	text_printf(&script->text, "%s\n", line);
	return *indent ? comments : NULL;
}

const char *script_add_edits(struct script *script, const char *indent)
{
	int n_first = script->n_edits;
	const char *comments[2] = { NULL, NULL };

	while (n_first > 1 && strlen(show_assignment(script, script->edits, n_first, indent)) >
				      REPRODUCE_MAX_COLUMNS)
		n_first--;
	if (n_first)
		comments[0] = add_assignment(script, script->edits, n_first, indent);
	if (script->n_edits > n_first)
		comments[1] = add_assignment(
			script, script->edits + n_first, script->n_edits - n_first, indent);
	if (script->row->flags & CASE_GARBAGE)
		text_printf(&script->text,
			"%sctypes.memset(ctypes.addressof(words.contents) + 24, 255, 56)\n",
			indent);
	return comments[0] && comments[1]
		       ? arena_printf(script->arena, "%s, %s", comments[0], comments[1])
	       : comments[0] ? comments[0]
			     : comments[1];
}

bool script_is_edited(const struct script *script)
{
	return script->interface->has_structs && script_returns_capsule(script) &&
	       (script->n_edits || script->row->capsule_name || script->row->exchange);
}

bool script_has_table(const struct script *script)
{
	return script->interface->has_structs && script->row->exchange &&
	       script_returns_capsule(script);
}
