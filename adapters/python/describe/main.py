"""Reads the name, description and JSON schema of a tool from its Python source, without running it. `program.ts` puts
the other files of this folder before this one.

Standard input: {"source": str, "name": str | null, "has_description": bool, "has_parameters": bool}; what its author
gave separately is not looked for in the source. Standard output, one of
  {"ok": true, "name", "description", "parameters", "modules"}: the function that is the tool, and what it imports;
  {"ok": false, "message"}: what the author should change, as a sentence.
"""

import ast
import json
import resource
import sys

# The memory limit of this process, in bytes: a source can be made to need any amount.
MEMORY = 1 << 30

# Parameters that callers never see: the runner fills them in.
INJECTED = {"agent_state", "agent_id", "client", "request_heartbeat"}


def describe(asked):
    tree = parse(asked["source"])
    function = find_function(tree, asked["name"])
    docstring = (ast.get_docstring(function) or "").strip()
    if not docstring and not asked["has_description"]:
        raise Unreadable(
            f"Function '{function.name}' has no docstring. Begin its body with one that says what it does; "
            "describe each parameter under 'Args:'."
        )
    shown = [] if asked["has_parameters"] else visible(function)
    description, documented = read_docstring(docstring, [arg.arg for arg in shown])
    return {
        "ok": True,
        "name": function.name,
        "description": description,
        "parameters": parameters(function, shown, documented, Annotations(tree)),
        "modules": modules(tree),
    }


def parse(source):
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise Unreadable(f"The source is not valid Python: {error.msg} (line {error.lineno}).") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"The source can't be parsed as Python ({type(error).__name__}).") from None


def find_function(tree, name):
    """The named function; else the last public one, as in Letta: earlier ones are its helpers."""
    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if name is not None:
        named = [node for node in functions if node.name == name]
        if not named:
            raise Unreadable(f"The source defines no function '{name}', which is the name in the tool's JSON schema.")
        return named[-1]
    public = [node for node in functions if not node.name.startswith("_")]
    if not public:
        raise Unreadable("The source defines no function. A tool is one function at the top level, with a docstring.")
    return public[-1]


def visible(function):
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise Unreadable(f"Function '{function.name}' takes *args or **kwargs. Name each parameter, so that it has a schema.")
    if arguments.posonlyargs:
        raise Unreadable(f"Function '{function.name}' has positional-only parameters. Tools are called by parameter names.")
    return [arg for arg in [*arguments.args, *arguments.kwonlyargs] if arg.arg not in INJECTED]


def defaults(function):
    positional = function.args.args
    with_default = positional[len(positional) - len(function.args.defaults):]
    named = {arg.arg for arg, value in zip(function.args.kwonlyargs, function.args.kw_defaults) if value is not None}
    return {arg.arg for arg in with_default} | named


def parameters(function, shown, documented, annotations):
    properties, required = {}, []
    optional = defaults(function)
    for arg in shown:
        what = f"Parameter '{arg.arg}' of function '{function.name}'"
        if arg.annotation is None:
            raise Unreadable(f"{what} has no type annotation. Annotate it, for example `{arg.arg}: str`.")
        if arg.arg not in documented:
            raise Unreadable(f"{what} is not described in the docstring. Add `{arg.arg}: what it is` under 'Args:'.")
        schema = annotations.schema(arg.annotation, what)
        properties[arg.arg] = {**schema, "description": documented[arg.arg]}
        if arg.arg not in optional and not annotations.takes_none(arg.annotation):
            required.append(arg.arg)
    schema = {"type": "object", "properties": properties, "required": required}
    return {**schema, "$defs": annotations.models} if annotations.models else schema


def modules(tree):
    """Top-level names of all imports; `letta_client` where the injected `client` is used."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "client"]
    injected = any(isinstance(node, ast.arg) and node.arg == "client" for node in ast.walk(tree))
    if injected or names and all(isinstance(node.ctx, ast.Load) for node in names):
        found.add("letta_client")
    return sorted(found)


def bound_memory():
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ValueError, OSError):
        pass  # Not supported on this platform. The caller's time limit still holds.


def main():
    bound_memory()
    asked = json.load(sys.stdin)
    try:
        answer = describe(asked)
    except Unreadable as reason:
        answer = {"ok": False, "message": str(reason)}
    except RecursionError:
        answer = {"ok": False, "message": "The source is nested too deeply to be read."}
    except MemoryError:
        answer = {"ok": False, "message": "The source takes too much memory to be read."}
    json.dump(answer, sys.stdout)


main()
