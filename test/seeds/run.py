"""Runs a notebook's cells as they are, with another base URL, and reports what each shows.

Usage: run.py FILE BASE_URL [PASSWORD]. Cells begin with `# %%`. One JSON object a line: {"cell", "kind": "message" |
"print" | "value", "content"}, and at last the ids of the agents that the cells made. Functions of a cell that become
tools keep the base URL that the document gives them: they are run elsewhere.
"""

import ast
import json
import linecache
import os
import sys


def report(kind, content):
    line = {"cell": cell, "kind": kind, "content": content}
    sys.stdout.write(json.dumps(line, default=lambda model: model.model_dump(mode="json")) + "\n")
    sys.stdout.flush()


def run_cell(source, namespace):
    """As a notebook does: a last line that is an expression is shown."""
    # Where `inspect` looks for the source of what a cell defines.
    linecache.cache[f"cell {cell}"] = (len(source), None, source.splitlines(keepends=True), f"cell {cell}")
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body=body, type_ignores=[]), f"cell {cell}", "exec"), namespace)
    if last is not None:
        value = eval(compile(ast.Expression(body=last.value), f"cell {cell}", "eval"), namespace)
        if value is not None:
            report("value", value)


path, base_url, *password = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    written = file.read()
token = "".join(f', token="{word}"' for word in password)
outside = '\nclient = Letta(base_url="{}"{})\n'
notebook = written.replace(outside.format("http://localhost:8283", ""), outside.format(base_url, token))
os.chdir(os.path.dirname(os.path.abspath(path)))
namespace = {
    "print_message": lambda message: report("message", message),
    "print": lambda *values: report("print", " ".join(str(value) for value in values)),
}
for cell, text in enumerate(notebook.split("# %%")[1:]):
    # What follows the mark on its line is the cell's title.
    run_cell(text.partition("\n")[2], namespace)
agents = {name: value.id for name, value in namespace.items() if str(getattr(value, "id", "")).startswith("agent-")}
report("value", {"agent_id": agents.get("agent_state"), "agents": agents})
