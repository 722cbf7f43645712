"""Reads a tool's Python source and tells its name, description and JSON schema, without running any of it.

Standard input: {"source": str, "name": str | null, "has_description": bool, "has_parameters": bool}; what its author
gave beside the source is not looked for in it. Standard output, one of
  {"ok": true, "name", "description", "parameters", "modules"}: the function that is the tool, and what it imports;
  {"ok": false, "message"}: why there is no such function; a sentence for the author that says what to change.
"""

import ast
import json
import re
import resource
import sys

# What a source may make of this process, in bytes: sources can be written that take any amount.
MEMORY = 1 << 30
# Schemas, of parameters and of what is in them, that a tool may have: its model is shown all of them with every call.
MOST_SCHEMAS = 5_000

# Parameters that the caller never sees: they are filled in when the tool runs.
INJECTED = {"agent_state", "agent_id", "client", "request_heartbeat"}
SIMPLE = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
SUPPORTED = "str, int, float, bool, list, dict, Optional, Union, Literal, and BaseModel classes of the same source"


class Unreadable(Exception):
    """Why the source is no tool."""


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
    """The named function; else the last one that is not private, as Letta has it: those before it help it."""
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


class Annotations:
    """Annotations as JSON schemas. Classes are those of the source that derive from BaseModel: each is described once, in
    `models`, and referred to, so that a schema grows with its source, and not by the power of it."""

    def __init__(self, tree):
        self.classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.models = {}
        self.kinds = {}
        self.own_fields = {}
        self.count = 0

    def spend(self, count=1):
        self.count += count
        if self.count > MOST_SCHEMAS:
            raise Unreadable(f"The tool's schema would have more than {MOST_SCHEMAS} parts, which is more than models can be shown. Take fewer parameters and fields.")

    def schema(self, node, what):
        self.spend()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.schema(parse_annotation(node.value, what), what)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.union([node.left, node.right], what)
        if isinstance(node, ast.Subscript):
            return self.generic(node, what)
        name = simple_name(node)
        if name in SIMPLE:
            return {"type": SIMPLE[name]}
        if name in ("list", "List"):
            return {"type": "array", "items": {}}
        if name in ("dict", "Dict"):
            return {"type": "object"}
        if name == "Any":
            return {}
        if name in self.classes:
            return self.model(self.classes[name], what)
        raise unsupported(node, what)

    def generic(self, node, what):
        name = simple_name(node.value)
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Optional":
            return self.union([*inner, ast.Constant(None)], what)
        if name == "Union":
            return self.union(inner, what)
        if name == "Annotated":
            return self.schema(inner[0], what)
        if name in ("list", "List") and len(inner) == 1:
            return {"type": "array", "items": self.schema(inner[0], what)}
        if name in ("dict", "Dict") and len(inner) == 2:
            return {"type": "object", "additionalProperties": self.schema(inner[1], what)}
        if name == "Literal" and all(isinstance(value, ast.Constant) for value in inner):
            return literal([value.value for value in inner])
        raise unsupported(node, what)

    def union(self, nodes, what):
        members = [node for node in nodes if simple_name(node) != "None"]
        schemas = [self.schema(node, what) for node in members]
        schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        return or_null(schema) if len(members) < len(nodes) else schema

    def takes_none(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.takes_none(ast.parse(node.value, mode="eval").body)
        if isinstance(node, ast.BinOp):
            return any(self.takes_none(side) for side in (node.left, node.right))
        if isinstance(node, ast.Subscript) and simple_name(node.value) == "Union":
            return any(simple_name(member) == "None" for member in ast.walk(node.slice))
        return simple_name(node) == "None" or isinstance(node, ast.Subscript) and simple_name(node.value) == "Optional"

    def model(self, node, what):
        if not self.is_model(node):
            raise Unreadable(f"{what} is of class '{node.name}', which is no BaseModel. Use one of: {SUPPORTED}.")
        if node.name not in self.models:
            # Before its fields are read: it may hold itself.
            self.models[node.name] = {}
            properties, required = self.fields(node, what)
            self.models[node.name] = {"type": "object", "properties": properties, "required": required}
        return {"$ref": f"#/$defs/{node.name}"}

    def is_model(self, node):
        if node.name not in self.kinds:
            # For as long as its bases are looked at: it may be its own.
            self.kinds[node.name] = False
            bases = [simple_name(base) for base in node.bases]
            self.kinds[node.name] = "BaseModel" in bases or any(
                base in self.classes and self.is_model(self.classes[base]) for base in bases
            )
        return self.kinds[node.name]

    def fields(self, node, what):
        if node.name not in self.own_fields:
            self.own_fields[node.name] = ({}, [])
            self.own_fields[node.name] = self.read_fields(node, what)
        properties, required = self.own_fields[node.name]
        self.spend(len(properties))
        return properties, required

    def read_fields(self, node, what):
        properties, required = {}, []
        for base in node.bases:
            if simple_name(base) in self.classes:
                inherited, needed = self.fields(self.classes[simple_name(base)], what)
                properties.update(inherited)
                required.extend(name for name in needed if name not in required)
        for field in node.body:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            name = field.target.id
            schema = self.schema(field.annotation, f"Field '{name}' of class '{node.name}'")
            description, has_default = read_field(field.value)
            properties[name] = {**schema, "description": description} if description else schema
            if name in required:
                required.remove(name)
            if not has_default and not self.takes_none(field.annotation):
                required.append(name)
        return properties, required


def read_field(value):
    """What a field's right-hand side says: its description, and whether there is a default."""
    if value is None:
        return None, False
    if not (isinstance(value, ast.Call) and simple_name(value.func) == "Field"):
        return None, True
    keywords = {keyword.arg: keyword.value for keyword in value.keywords}
    described = keywords.get("description")
    description = described.value if isinstance(described, ast.Constant) else None
    first = value.args[0] if value.args else keywords.get("default")
    is_ellipsis = isinstance(first, ast.Constant) and first.value is Ellipsis
    return description, "default_factory" in keywords or (first is not None and not is_ellipsis)


def or_null(schema):
    """The schema with null allowed, in the form that JSON Schema validators and providers both read."""
    if "anyOf" in schema:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    if "enum" in schema:
        schema = {**schema, "enum": [*schema["enum"], None]}
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "nullable": True} if "type" in schema else schema


def literal(values):
    types = {type(value) for value in values}
    schema = {"enum": values}
    if types == {str}:
        return {"type": "string", **schema}
    if types == {int}:
        return {"type": "integer", **schema}
    return schema


def simple_name(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Constant) and node.value is None:
        return "None"
    return None


def parse_annotation(text, what):
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        raise Unreadable(f"{what} has an annotation that can't be read: '{text}'.") from None


def unsupported(node, what):
    return Unreadable(f"{what} is annotated `{ast.unparse(node)}`, which has no JSON schema here. Use one of: {SUPPORTED}.")


SECTION = re.compile(r"^\s*(Args|Arguments|Parameters|Returns?|Raises|Yields?|Examples?|Notes?|Attributes)\s*:\s*$")
ENTRY = re.compile(r"^\s*\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")


def read_docstring(docstring, names):
    """The description and the parameters' own ones (Google style). Indentation is not trusted: documents lose it."""
    description, documented, section, current = [], {}, None, None
    for line in docstring.splitlines():
        header = SECTION.match(line)
        if header:
            section, current = header.group(1), None
            continue
        if section is None:
            description.append(line)
        if section not in ("Args", "Arguments", "Parameters"):
            continue
        entry = ENTRY.match(line)
        if entry and entry.group(1) in names:
            current = entry.group(1)
            documented[current] = entry.group(2).strip()
        elif current is not None and line.strip():
            documented[current] = f"{documented[current]} {line.strip()}".strip()
    return "\n".join(description).strip(), {name: text for name, text in documented.items() if text}


def modules(tree):
    """Top-level names of what is imported anywhere; `letta_client` where the injected `client` is used."""
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
        pass  # A platform that can't: the time that the caller gives is the bound there.


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
