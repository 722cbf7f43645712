"""Runs a notebook's cells as they are, with another base URL, and reports what each shows.

Usage: run.py FILE BASE_URL. Cells begin with `# %%`. One JSON object a line: {"cell", "kind": "message" | "print" |
"value", "content"}, and at last the id of the agent that the cells made.
"""

import ast
import json
import sys


def report(kind, content):
    line = {"cell": cell, "kind": kind, "content": content}
    sys.stdout.write(json.dumps(line, default=lambda model: model.model_dump(mode="json")) + "\n")
    sys.stdout.flush()


def run_cell(source, namespace):
    """As a notebook does: a last line that is an expression is shown."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body=body, type_ignores=[]), f"cell {cell}", "exec"), namespace)
    if last is not None:
        value = eval(compile(ast.Expression(body=last.value), f"cell {cell}", "eval"), namespace)
        if value is not None:
            report("value", value)


path, base_url = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    notebook = file.read().replace("http://localhost:8283", base_url)
namespace = {
    "print_message": lambda message: report("message", message),
    "print": lambda *values: report("print", " ".join(str(value) for value in values)),
}
for cell, text in enumerate(notebook.split("# %%")[1:]):
    # What follows the mark on its line is the cell's title.
    run_cell(text.partition("\n")[2], namespace)
report("value", {"agent_id": namespace["agent_state"].id})
