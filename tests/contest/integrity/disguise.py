"""Python as somebody hands it in who would not have it known: renamed, formatted anew, in another order."""

from __future__ import annotations

import ast
from random import Random


class _Renamed(ast.NodeTransformer):
    """Every name that a program makes is another one."""

    def __init__(self, tree: ast.AST) -> None:
        nodes = list(ast.walk(tree))
        made = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        made |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self._names = {name: f"my_{number}" for number, name in enumerate(sorted(made))}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("id", "arg", "attr", "name"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                setattr(node, field, self._names.get(name, name))
        return node


def disguised(text: str, seed: int = 1) -> str:
    """The same program, without a comment, with other names, its functions and methods in another order."""
    tree = _Renamed(ast.parse(text)).visit(ast.parse(text))
    rng = Random(seed)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:] or [ast.Pass()]
        if isinstance(node, (ast.Module, ast.ClassDef)):
            places = [
                at for at, one in enumerate(node.body) if isinstance(one, (ast.FunctionDef, ast.ClassDef))
            ]
            for place, one in zip(
                places, rng.sample([node.body[at] for at in places], len(places)), strict=True
            ):
                node.body[place] = one
    return ast.unparse(tree)
