# SPDX-License-Identifier: MIT

# A span is a pair of lines. A line belongs to an object if it is in the span of its item, or in
# that of no other item on the way to it: brackets, and lines of the statement around it.

import _ast as _a
import bisect as _bisect
import warnings as _warnings

SEQUENCE = (_a.List, _a.Tuple)


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
    if isinstance(node, (_a.AnnAssign, _a.AugAssign)):
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


# (line, value, number of items before it) of each statement up to the line that makes a list: the
# last `name = [...]` and each `name += [...]` after it. None: not of such statements, or the one at
# the line is not `+=`.
def extensions(tree, name, line):
    at = _bisect.bisect_right(tree.body, line, key=lambda item: item.lineno) - 1
    if at < 0 or not isinstance(tree.body[at], _a.AugAssign):
        return None
    parts = []
    for node in tree.body[:at + 1]:
        if isinstance(node, _a.AugAssign) and name_of(node.target) == name:
            parts.append(node)
        elif isinstance(node, (_a.Assign, _a.AnnAssign)) and name in (
                name_of(pair[0]) for group in groups(node) for pair in group):
            parts = [node]
    made, n_items = [], 0
    for node in parts:
        items = getattr(node.value, 'elts', None)
        if items is None or any(isinstance(item, _a.Starred) for item in items):
            return None
        made.append((node.lineno, node.value, n_items))
        n_items += len(items)
    return made if made and not isinstance(parts[0], _a.AugAssign) else None


def path_of(expression, name):
    return path_to(parse(expression.strip(), 'eval'), name) or []


# The line of the statement that adds the item to a list.
def statement(tree, name, line, expression):
    path = path_of(expression, name)
    if path and isinstance(path[0], int):
        for at, value, n_before in extensions(tree, name, line) or ():
            if n_before <= path[0] < n_before + len(value.elts):
                return at
    return line


def find(tree, name, line, expression, lines):
    found = definition(tree, name, line)
    if not found:
        return None
    (target, node), others = found
    own = [span(node or target, node or target)]
    path = path_of(expression, name)
    made = extensions(tree, name, line)
    if made and path and isinstance(path[0], int):
        path[0] -= made[-1][2]
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
