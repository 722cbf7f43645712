"""Type annotations of a source as JSON schemas."""

import ast

# The limit of schemas (of parameters and within them) of a tool, because every model call includes them.
MOST_SCHEMAS = 5_000

SIMPLE = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
SUPPORTED = "str, int, float, bool, list, dict, Optional, Union, Literal, and BaseModel classes of the same source"


class Unreadable(Exception):
    """Why the source is not a tool."""


class Annotations:
    """Annotations as JSON schemas. Each BaseModel class of the source is described once, in `models`, and referred to,
    so that the schema's size is linear in the source's."""

    def __init__(self, tree):
        self.classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.models = {}
        self.kinds = {}
        self.own_fields = {}
        self.count = 0

    def spend(self, count=1):
        self.count += count
        if self.count > MOST_SCHEMAS:
            raise Unreadable(f"The tool's schema would have more than {MOST_SCHEMAS} parts, which is too many for a model. Use fewer parameters and fields.")

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
            raise Unreadable(f"{what} is of class '{node.name}', which is not a BaseModel. Use one of: {SUPPORTED}.")
        if node.name not in self.models:
            # Before its fields are read, because it may contain itself.
            self.models[node.name] = {}
            properties, required = self.fields(node, what)
            self.models[node.name] = {"type": "object", "properties": properties, "required": required}
        return {"$ref": f"#/$defs/{node.name}"}

    def is_model(self, node):
        if node.name not in self.kinds:
            # While its bases are examined, because a class may name itself as its base.
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
    """A field's description, and whether it has a default, from its right-hand side."""
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
    """Allows null, in the form that both JSON Schema validators and providers read."""
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
