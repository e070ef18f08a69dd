# SPDX-License-Identifier: MIT

import ast
import builtins
import importlib
import os
import sys
import types

text, code, usual = sys.argv[1:4]
out = os.fdopen(int(sys.argv[4]), 'w')
null = os.open(os.devnull, os.O_RDWR)
os.dup2(null, 1), os.dup2(null, 2)
usual = dict(each.split('=') for each in usual.split())


def load(name):
    try:
        return importlib.import_module(name)
    except BaseException:
        return None


try:
    tree = compile(text.strip(), '<--consumer>', 'eval', ast.PyCF_ONLY_AST)
except (SyntaxError, ValueError) as error:
    out.write(f'!{error}')
    out.flush()
    os._exit(0)
bound = {'_', 'np', *dir(builtins)}
for node in [*ast.walk(tree), *ast.walk(ast.parse(code))]:
    if isinstance(node, ast.arg):
        bound.add(node.arg)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        bound.add(node.id)
    elif isinstance(node, ast.alias):
        bound.add((node.asname or node.name).split('.')[0])
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        bound.add(node.name)
bound.discard('np' if code and 'np' not in code else '')
chains = {}
for node in ast.walk(tree):
    names, at = [], node
    while isinstance(at, ast.Attribute):
        names, at = [at.attr, *names], at.value
    if isinstance(at, ast.Name) and at.id not in bound:
        chains[at.lineno, at.col_offset, len(names)] = [at.id, *names]
lines = {}
for key, (root, *names) in sorted(chains.items()):
    top = full = needed = usual.get(root, root)
    module = load(top)
    if not module and not names:
        continue
    # An attribute that is there and not a module is not imported: a function can have the name of
    # the file that defines it.
    for name in names if module else ():
        path, value = f'{full}.{name}', getattr(module, name, None)
        module = load(path) if value is None else value
        if not isinstance(module, types.ModuleType) or sys.modules.get(path) is not module:
            break
        full = path
        needed = needed if root != top and value else path
    if root != top:
        lines[f'import {top} as {root}'] = 1
    if root == top or needed != top:
        lines[f'import {needed}'] = 1
for line in lines:
    if not any(other.startswith(line + '.') for other in lines):
        out.write(line + '\n')
out.flush()
os._exit(0)  # without the ends of the libraries
