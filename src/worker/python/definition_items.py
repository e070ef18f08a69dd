# SPDX-License-Identifier: MIT

# A span is a pair of lines. A line belongs to an object if it is in the span of its item, or in
# that of no other item on the way to it: brackets, and lines of the statement around it.

import _ast as _a
import bisect as _bisect
import warnings as _warnings

SEQUENCE = (_a.List, _a.Tuple)
MAX_STATEMENTS = 5000


def parse(text, mode='exec'):
    with _warnings.catch_warnings():
        _warnings.simplefilter('ignore')
        return compile(text, '<suai>', mode, 0x2400, True)


def children(node, line=None):
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            if line and value and isinstance(value[0], _a.stmt):
                end = _bisect.bisect_right(value, line, key=lambda item: item.lineno)
                value = value[max(end - 100, 0):end]
            yield from (item for item in value if isinstance(item, _a.AST))
        elif isinstance(value, _a.AST):
            yield value


def statements(node, line):
    for child in children(node, line):
        if not hasattr(child, 'lineno') or child.lineno <= line <= child.end_lineno:
            if isinstance(child, _a.stmt):
                yield child
            if not isinstance(child, _a.expr):
                yield from statements(child, line)


# The subscripts and attributes of a name in an expression; None stands for other operations.
def path_to(node, name):
    if isinstance(node, _a.Name):
        return [] if node.id == name else None
    for child in children(node):
        path = path_to(child, name)
        if path is not None:
            return path + [key_of(node) if child is getattr(node, 'value', None) else None]


def key_of(node):
    if isinstance(node, _a.Attribute):
        return node
    index = getattr(node, 'slice', None)
    negative = isinstance(index, _a.UnaryOp) and isinstance(index.op, _a.USub)
    index = index.operand if negative else index
    if isinstance(index, _a.Constant):
        return -index.value if negative else index.value


# (first node, last node, value, key) of each item; None: it has no items to find by the key.
def items_of(node, key):
    if isinstance(node, SEQUENCE) and isinstance(key, int):
        return [(item, item, item, i) for i, item in enumerate(node.elts)]
    if isinstance(node, _a.Dict):
        return [(k or v, v, v, getattr(k, 'value', None)) for k, v in zip(node.keys, node.values)]
    if isinstance(node, _a.Call):
        items = [(k, k, k.value, k.arg) for k in node.keywords]
        if isinstance(key, _a.Attribute):
            return items if any(i[3] == key.attr for i in items) else None
        return items if getattr(node.func, 'id', None) == 'dict' else None


def chosen(node, items, key):
    if isinstance(node, SEQUENCE):
        stars = [i for i, item in enumerate(node.elts) if isinstance(item, _a.Starred)]
        at = key if key >= 0 else key + len(items)
        if stars and (at >= stars[0] if key >= 0 else at <= stars[-1]):
            return items[stars[0]:] if key >= 0 else items[:stars[-1] + 1]
        return items[at:at + 1] if at >= 0 else []
    key = getattr(key, 'attr', key)
    return [i for i in items if type(i[3]) is type(key) and i[3] == key][-1:]


def span(first, last):
    return (first.lineno, last.end_lineno)


def bindings(target, value):
    if not isinstance(target, SEQUENCE):
        yield target, value
        return
    targets = target.elts
    values = value.elts if isinstance(value, SEQUENCE) else []
    star = [i for i, item in enumerate(targets) if isinstance(item, _a.Starred)]
    surplus = len(values) - len(targets)
    known = not any(isinstance(item, _a.Starred) for item in values) and (
        surplus >= -1 if star else surplus == 0)
    for i, item in enumerate(targets):
        part = None
        if known and i in star:
            rest = values[i:i + surplus + 1]
            if rest:
                part = _a.List(rest, _a.Load(), lineno=rest[0].lineno,
                               end_lineno=rest[-1].end_lineno)
        elif known:
            part = values[i + (surplus if star and i > star[0] else 0)]
        yield from bindings(getattr(item, 'value', item) if i in star else item, part)


# Lists of (target, value) that a statement binds together.
def groups(node):
    if isinstance(node, _a.Assign):
        return [list(bindings(target, node.value)) for target in node.targets]
    if isinstance(node, _a.AnnAssign):
        return [[(node.target, node.value)]]
    if isinstance(node, (_a.With, _a.AsyncWith)):
        return [[pair for item in node.items if item.optional_vars
                 for pair in bindings(item.optional_vars, item.context_expr)]]
    return [[(alias, None) for alias in getattr(node, 'names', ()) if isinstance(alias, _a.alias)]]


def name_of(target):
    if isinstance(target, _a.alias):
        return target.asname or target.name.split('.')[0]
    return getattr(target, 'id', None)


# The named expression, and the nodes next to it on the way to it.
def named_expression(node, name):
    if isinstance(node, _a.NamedExpr) and node.target.id == name:
        return node, []
    nodes = [child for child in children(node) if not isinstance(child, _a.stmt)]
    for child in nodes:
        found = named_expression(child, name)
        if found:
            siblings = [other for other in nodes if other is not child and hasattr(other, 'lineno')]
            return found[0], found[1] + siblings


def definition(tree, name, line):
    found = None
    for node in statements(tree, line):
        for group in groups(node):
            mine = [pair for pair in group if name_of(pair[0]) == name]
            if mine:
                others = [span(n, n) for pair in group if pair is not mine[-1] for n in pair
                          if n and not (n is pair[0] and n.lineno == mine[-1][0].lineno)]
                found = mine[-1], others
        named = not found and named_expression(node, name)
        if named:
            found = (named[0], named[0].value), [span(n, n) for n in named[1]]
    return found


def mentions(node, name):
    return getattr(node, 'id', None) == name or any(mentions(child, name) for child in children(node))


# (key, (statement, item)) of each item of a list, tuple or dictionary; None: unknown.
def literal_items(statement, value):
    if isinstance(value, SEQUENCE):
        if not any(isinstance(item, _a.Starred) for item in value.elts):
            return [(i, (statement, item)) for i, item in enumerate(value.elts)]
    elif isinstance(value, _a.Dict):
        if all(isinstance(key, _a.Constant) for key in value.keys):
            return [(key.value, (statement, item)) for key, item in zip(value.keys, value.values)]
    return None


def is_part(node, kind, name):
    return isinstance(node, kind) and name_of(node.value) == name


def is_compound(node):
    return isinstance(getattr(node, 'body', None), list) and not isinstance(
        node, (_a.FunctionDef, _a.AsyncFunctionDef, _a.ClassDef))


# What a statement adds to the container, as literal_items(); []: nothing.
def addition(node, name, n_items):
    if isinstance(node, _a.AugAssign) and name_of(node.target) == name:
        value = node.value
    elif isinstance(node, _a.Assign) and is_part(node.targets[0], _a.Subscript, name):
        key = node.targets[0].slice
        return [(key.value, (node, node.value))] if isinstance(key, _a.Constant) else None
    elif isinstance(node, _a.Expr) and is_part(getattr(node.value, 'func', 0), _a.Attribute, name):
        call, method = node.value, node.value.func.attr
        if method == 'append' and len(call.args) == 1:
            return [(n_items, (node, call.args[0]))]
        if method == 'update' and not call.args:
            return [(keyword.arg, (node, keyword.value)) for keyword in call.keywords]
        if method not in ('extend', 'update') or len(call.args) != 1 or call.keywords:
            return None
        value = call.args[0]
    elif isinstance(node, _a.Delete) or is_compound(node):
        return None if mentions(node, name) else []
    else:
        return []
    items = literal_items(node, value)
    if items is None or isinstance(value, _a.Dict):
        return items
    return [(n_items + key, item) for key, item in items]


# {(type of key, key): (statement, item)} as the module's statements make the container; empty:
# unknown.
def container_of(tree, name):
    items = None
    for node in tree.body if len(tree.body) <= MAX_STATEMENTS else ():
        values = [value for group in groups(node) for target, value in group
                  if name_of(target) == name]
        if values:
            added, items = literal_items(node, values[-1]), {}
        else:
            added = items is not None and addition(node, name, len(items))
        if added is None:
            items = None
        elif added:
            items.update(((type(key), key), item) for key, item in added)
    return items or {}


containers = {}


def item_of(tree, name, path):
    if not path or isinstance(path[0], _a.AST) or path[0] is None:
        return None
    if (id(tree), name) not in containers:
        containers[id(tree), name] = container_of(tree, name)
    return containers[id(tree), name].get((type(path[0]), path[0]))


def path_of(expression, name):
    return path_to(parse(expression.strip(), 'eval'), name) or []


# The line of the statement that puts the item into its container.
def statement(tree, name, line, expression):
    item = item_of(tree, name, path_of(expression, name))
    return item[0].lineno if item else line


def find(tree, name, line, expression, lines):
    path = path_of(expression, name)
    item = item_of(tree, name, path)
    if item and item[0].lineno == line and not definition(tree, name, line):
        target = node = item[1]
        others = [span(other, other) for statement, other in containers[id(tree), name].values()
                  if statement is item[0] and other is not node]
        line = node.lineno
        path = path[1:]
    else:
        found = definition(tree, name, line)
        if not found:
            return None
        (target, node), others = found
    own = [span(node or target, node or target)]
    for key in path:
        items = items_of(node, key)
        if items is None or key is None:
            break
        mine = chosen(node, items, key)
        own = [span(i[0], i[1]) for i in mine]
        others += [span(i[0], i[1]) for i in items if i not in mine]
        node = mine[0][2] if len(mine) == 1 else None
        line = own[0][0] if len(mine) == 1 else line

    def covers(spans, at):
        return any(first <= at <= last for first, last in spans)

    return line, [at for at in lines if covers(own, abs(at)) or
                  at > 0 and not covers(others, at)]
