"""The arguments of a tool's function: injected ones, and objects as the classes that it expects."""

INJECTED = ("agent_state", "agent_id", "client")


def to_arguments(function, asked, state, namespace):
    names = parameters_of(function)
    injected = {"agent_state": state, "agent_id": asked["agent_id"], "client": namespace["client"]}
    annotations = function.__annotations__
    schema = asked.get("args_schema") or {}
    described = {name: to_described(value, part, schema) for name, value, part in with_schemas(asked["arguments"], schema)}
    arguments = {name: to_model(value, annotations.get(name), namespace) for name, value in described.items()}
    arguments.update({name: value for name, value in injected.items() if name in names})
    return arguments


def parameters_of(function):
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def with_schemas(values, schema):
    parts = schema.get("properties", {})
    return [(name, value, parts.get(name, {})) for name, value in values.items()]


def to_described(value, part, schema):
    """Objects with attributes, as Letta's tools expect, where the schema names a model; also in lists."""
    part = resolved(part, schema)
    if isinstance(value, list):
        return [to_described(one, part.get("items", {}), schema) for one in value]
    if not isinstance(value, dict) or "properties" not in part:
        return value
    record = Record({})
    for name, one in value.items():
        setattr(record, name, to_described(one, part["properties"].get(name, {}), schema))
    return record


def resolved(part, schema):
    for _ in range(32):
        kinds = [one for one in part.get("anyOf", []) if one.get("type") != "null"]
        if len(kinds) == 1:
            part = kinds[0]
        elif str(part.get("$ref", "")).startswith("#/$defs/"):
            part = schema.get("$defs", {}).get(part["$ref"][len("#/$defs/") :], {})
        else:
            return part
    return {}


def to_model(value, annotation, namespace):
    """A dict as the BaseModel class of the parameter's annotation, also in a list or as an optional."""
    if "BaseModel" not in namespace or not isinstance(annotation, str):
        return value
    value = from_record(value)
    try:
        kind = eval(annotation, namespace)
    except Exception:
        return value
    from pydantic import TypeAdapter

    return TypeAdapter(kind).validate_python(value)
