// SPDX-License-Identifier: MIT
#include "worker/python/definition_items.h"

#include "worker/python/import.h"

/* A span is a pair of lines. A line belongs to an object if it is in the span of its item, or in
 * that of no other item on the way to it: brackets, and lines of the statement around it. */
static const char source[] =
	"import _ast as _a\n"
	"import bisect as _bisect\n"
	"import warnings as _warnings\n"
	"SEQUENCE = (_a.List, _a.Tuple)\n"
	"def parse(text, mode='exec'):\n"
	"    with _warnings.catch_warnings():\n"
	"        _warnings.simplefilter('ignore')\n"
	"        return compile(text, '<suai>', mode, 0x2400, True)\n"
	"def children(node, line=None):\n"
	"    for field in node._fields:\n"
	"        value = getattr(node, field, None)\n"
	"        if isinstance(value, list):\n"
	"            if line and value and isinstance(value[0], _a.stmt):\n"
	"                end = _bisect.bisect_right(value, line, key=lambda item: item.lineno)\n"
	"                value = value[max(end - 100, 0):end]\n"
	"            yield from (item for item in value if isinstance(item, _a.AST))\n"
	"        elif isinstance(value, _a.AST):\n"
	"            yield value\n"
	"def statements(node, line):\n"
	"    for child in children(node, line):\n"
	"        if not hasattr(child, 'lineno') or child.lineno <= line <= child.end_lineno:\n"
	"            if isinstance(child, _a.stmt):\n"
	"                yield child\n"
	"            if not isinstance(child, _a.expr):\n"
	"                yield from statements(child, line)\n"
	/* The subscripts and attributes of a name in an expression; None stands for other
	   operations. */
	"def path_to(node, name):\n"
	"    if isinstance(node, _a.Name):\n"
	"        return [] if node.id == name else None\n"
	"    for child in children(node):\n"
	"        path = path_to(child, name)\n"
	"        if path is not None:\n"
	"            return path + [key_of(node) if child is getattr(node, 'value', None) else None]\n"
	"def key_of(node):\n"
	"    if isinstance(node, _a.Attribute):\n"
	"        return node\n"
	"    index = getattr(node, 'slice', None)\n"
	"    negative = isinstance(index, _a.UnaryOp) and isinstance(index.op, _a.USub)\n"
	"    index = index.operand if negative else index\n"
	"    if isinstance(index, _a.Constant):\n"
	"        return -index.value if negative else index.value\n"
	/* (first node, last node, value, key) of each item; None: it has no items to find by the
	   key. */
	"def items_of(node, key):\n"
	"    if isinstance(node, SEQUENCE) and isinstance(key, int):\n"
	"        return [(item, item, item, i) for i, item in enumerate(node.elts)]\n"
	"    if isinstance(node, _a.Dict):\n"
	"        return [(k or v, v, v, getattr(k, 'value', None)) for k, v in zip(node.keys, node.values)]\n"
	"    if isinstance(node, _a.Call):\n"
	"        items = [(k, k, k.value, k.arg) for k in node.keywords]\n"
	"        if isinstance(key, _a.Attribute):\n"
	"            return items if any(i[3] == key.attr for i in items) else None\n"
	"        return items if getattr(node.func, 'id', None) == 'dict' else None\n"
	"def chosen(node, items, key):\n"
	"    if isinstance(node, SEQUENCE):\n"
	"        stars = [i for i, item in enumerate(node.elts) if isinstance(item, _a.Starred)]\n"
	"        at = key if key >= 0 else key + len(items)\n"
	"        if stars and (at >= stars[0] if key >= 0 else at <= stars[-1]):\n"
	"            return items[stars[0]:] if key >= 0 else items[:stars[-1] + 1]\n"
	"        return items[at:at + 1] if at >= 0 else []\n"
	"    key = getattr(key, 'attr', key)\n"
	"    return [i for i in items if type(i[3]) is type(key) and i[3] == key][-1:]\n"
	"def span(first, last):\n"
	"    return (first.lineno, last.end_lineno)\n"
	"def bindings(target, value):\n"
	"    if not isinstance(target, SEQUENCE):\n"
	"        yield target, value\n"
	"        return\n"
	"    targets = target.elts\n"
	"    values = value.elts if isinstance(value, SEQUENCE) else []\n"
	"    star = [i for i, item in enumerate(targets) if isinstance(item, _a.Starred)]\n"
	"    surplus = len(values) - len(targets)\n"
	"    known = not any(isinstance(item, _a.Starred) for item in values) and (\n"
	"        surplus >= -1 if star else surplus == 0)\n"
	"    for i, item in enumerate(targets):\n"
	"        part = None\n"
	"        if known and i in star:\n"
	"            rest = values[i:i + surplus + 1]\n"
	"            if rest:\n"
	"                part = _a.List(rest, _a.Load(), lineno=rest[0].lineno,\n"
	"                               end_lineno=rest[-1].end_lineno)\n"
	"        elif known:\n"
	"            part = values[i + (surplus if star and i > star[0] else 0)]\n"
	"        yield from bindings(getattr(item, 'value', item) if i in star else item, part)\n"
	/* Lists of (target, value) that a statement binds together. */
	"def groups(node):\n"
	"    if isinstance(node, _a.Assign):\n"
	"        return [list(bindings(target, node.value)) for target in node.targets]\n"
	"    if isinstance(node, _a.AnnAssign):\n"
	"        return [[(node.target, node.value)]]\n"
	"    if isinstance(node, (_a.With, _a.AsyncWith)):\n"
	"        return [[pair for item in node.items if item.optional_vars\n"
	"                 for pair in bindings(item.optional_vars, item.context_expr)]]\n"
	"    return [[(alias, None) for alias in getattr(node, 'names', ()) if isinstance(alias, _a.alias)]]\n"
	"def name_of(target):\n"
	"    if isinstance(target, _a.alias):\n"
	"        return target.asname or target.name.split('.')[0]\n"
	"    return getattr(target, 'id', None)\n"
	/* The named expression, and the nodes next to it on the way to it. */
	"def named_expression(node, name):\n"
	"    if isinstance(node, _a.NamedExpr) and node.target.id == name:\n"
	"        return node, []\n"
	"    nodes = [child for child in children(node) if not isinstance(child, _a.stmt)]\n"
	"    for child in nodes:\n"
	"        found = named_expression(child, name)\n"
	"        if found:\n"
	"            siblings = [other for other in nodes if other is not child and hasattr(other, 'lineno')]\n"
	"            return found[0], found[1] + siblings\n"
	"def definition(tree, name, line):\n"
	"    found = None\n"
	"    for node in statements(tree, line):\n"
	"        for group in groups(node):\n"
	"            mine = [pair for pair in group if name_of(pair[0]) == name]\n"
	"            if mine:\n"
	"                others = [span(n, n) for pair in group if pair is not mine[-1] for n in pair\n"
	"                          if n and not (n is pair[0] and n.lineno == mine[-1][0].lineno)]\n"
	"                found = mine[-1], others\n"
	"        named = not found and named_expression(node, name)\n"
	"        if named:\n"
	"            found = (named[0], named[0].value), [span(n, n) for n in named[1]]\n"
	"    return found\n"
	"def find(tree, name, line, expression, lines):\n"
	"    found = definition(tree, name, line)\n"
	"    if not found:\n"
	"        return None\n"
	"    (target, node), others = found\n"
	"    own = [span(node or target, node or target)]\n"
	"    for key in path_to(parse(expression.strip(), 'eval'), name) or ():\n"
	"        items = items_of(node, key)\n"
	"        if items is None or key is None:\n"
	"            break\n"
	"        mine = chosen(node, items, key)\n"
	"        own = [span(i[0], i[1]) for i in mine]\n"
	"        others += [span(i[0], i[1]) for i in items if i not in mine]\n"
	"        node = mine[0][2] if len(mine) == 1 else None\n"
	"        line = own[0][0] if len(mine) == 1 else line\n"
	"    def covers(spans, at):\n"
	"        return any(first <= at <= last for first, last in spans)\n"
	"    return line, [at for at in lines if covers(own, abs(at)) or\n"
	"                  at > 0 and not covers(others, at)]\n";

/* A borrowed function of the source; NULL: it could not be run. */
static PyObject *source_function(const char *name)
{
	static PyObject *scope;
	PyObject *code, *ran = NULL;
	Py_ssize_t hidden;

	if (!scope) {
		scope = PyDict_New();
		code = Py_CompileString(source, "<suai>", Py_file_input);
		hidden = sys_path_hide();
		if (code && scope &&
			!PyDict_SetItemString(scope, "__builtins__", PyEval_GetBuiltins()))
			ran = PyEval_EvalCode(code, scope, scope);
		sys_path_restore(hidden);
		Py_DecRef(ran);
		Py_DecRef(code);
	}
	return scope ? PyDict_GetItemString(scope, name) : NULL;
}

PyObject *definition_items_parse(PyObject *text)
{
	PyObject *parse = source_function("parse");
	PyObject *tree = parse ? PyObject_CallFunctionObjArgs(parse, text, NULL) : NULL;

	PyErr_Clear();
	return tree;
}

PyObject *definition_items_find(
	PyObject *tree, PyObject *name, long line, const char *expression, PyObject *lines)
{
	PyObject *find = source_function("find");
	PyObject *found =
		find ? PyObject_CallFunction(find, "OOlsO", tree, name, line, expression, lines)
		     : NULL;

	PyErr_Clear();
	if (found && (!PyTuple_Check(found) || PyTuple_Size(found) != 2)) {
		Py_DecRef(found);
		found = NULL;
	}
	return found;
}
