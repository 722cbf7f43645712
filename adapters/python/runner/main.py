"""Runs one function of a tool's source within the bounds of a sandbox.

Standard input: one JSON object:
  source, function, arguments  what to call, and with what; a function of null runs the whole source
  args_schema                  the JSON schema of the arguments, where its author gave one, or null
  beside                       tools that a whole source may call: [{"name", "source", "function"}]
  environment                  variables for the tool; they are set here, so that what starts this never sees them
  limits                       {"address_space", "file_size": bytes, "cpu": seconds, "processes": count or null}
  agent                        the agent's state, or null; agent_id
  api                          {"socket": path} or {"port": number} under which the server is reached, or null
File descriptor 3: one JSON object:
  {"ok": true, "value": str, "blocks": {id: value}}, where blocks are those whose value the tool changed in `agent_state`
  {"ok": false, "error": "Type: text", "blocks": {}}
"""

import json
import os
import sys

API_PORT = 8283
LONGEST_VALUE = 4_000_000


def main():
    answers = os.fdopen(os.dup(3), "w", encoding="utf-8")
    os.close(3)
    asked = json.load(sys.stdin)
    set_limits(asked["limits"])
    os.environ.update(asked["environment"])
    if asked["api"] is not None:
        open_api(asked["api"])
    state = None if asked["agent"] is None else AgentState(asked["agent"])
    try:
        value = run_all(asked, state) if asked["function"] is None else call(asked, state)
        answer = {"ok": True, "value": to_text(value)[:LONGEST_VALUE], "blocks": changed_blocks(state)}
    except BaseException as error:  # A tool may raise anything; SystemExit would end this process without an answer.
        report(error)
        answer = {"ok": False, "error": f"{type(error).__name__}: {error}"[:LONGEST_VALUE], "blocks": {}}
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    json.dump(answer, answers)
    answers.close()
    # Threads that the tool left behind are not waited for.
    os._exit(0)


def set_limits(limits):
    import resource

    bounds = [
        (resource.RLIMIT_AS, limits["address_space"]),
        (resource.RLIMIT_FSIZE, limits["file_size"]),
        (resource.RLIMIT_CPU, limits["cpu"]),
        (resource.RLIMIT_NPROC, limits["processes"]),
        (resource.RLIMIT_CORE, 0),
    ]
    for kind, bound in bounds:
        if bound is not None:
            try:
                resource.setrlimit(kind, (bound, bound))
            except (ValueError, OSError):
                pass  # Not every system knows every limit; docs/tools.md says which isolation promises what.


def new_namespace(source):
    module = type(sys)("tool")
    sys.modules["tool"] = module
    namespace = module.__dict__
    if any(name in source for name in ("Optional", "List", "Dict", "Literal", "Union", "Any", "Tuple")):
        import typing

        namespace.update({name: getattr(typing, name) for name in typing.__all__})
    namespace["client"] = LazyClient()
    return namespace


def run_all(asked, state):
    """As a notebook's cell does: the value is that of a last line that is an expression."""
    import ast

    namespace = new_namespace(asked["source"])
    namespace.update({tool["name"]: bound(tool, asked, state) for tool in asked["beside"]})
    body = ast.parse(asked["source"], "<tool>").body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body=body, type_ignores=[]), "<tool>", "exec"), namespace)
    value = None if last is None else eval(compile(ast.Expression(last.value), "<tool>", "eval"), namespace)
    return "" if value is None else value


def call(asked, state):
    function, namespace = load(asked)
    return awaited_result(function(**to_arguments(function, asked, state, namespace)))


def bound(tool, asked, state):
    """A tool as a function of what its caller gives it, without what is injected. It is loaded when it is called."""

    def called(*values, **named):
        function, namespace = load(tool)
        names = [name for name in parameters_of(function) if name not in INJECTED]
        arguments = {**dict(zip(names, values)), **named}
        return awaited_result(function(**to_arguments(function, {**asked, "arguments": arguments}, state, namespace)))

    called.__name__ = tool["name"]
    return called


def load(tool):
    """The function of a tool's source, and the names around it."""
    source = tool["source"]
    namespace = new_namespace(source)
    # With this flag annotations are not evaluated: `agent_state: AgentState` names a class that is not there.
    exec(compile(source, "<tool>", "exec", 0x1000000, True), namespace)
    function = namespace.get(tool["function"])
    if not callable(function):
        raise NameError(f"the source defines no function '{tool['function']}'")
    return function, namespace


def awaited_result(result):
    if hasattr(result, "__await__"):
        import asyncio

        async def awaited():
            return await result

        result = asyncio.run(awaited())
    return result


def to_arguments(function, asked, state, namespace):
    names = parameters_of(function)
    injected = {"agent_state": state, "agent_id": asked["agent_id"], "client": namespace["client"]}
    annotations = function.__annotations__
    schema = asked.get("args_schema") or {}
    described = {name: to_described(value, part, schema) for name, value, part in with_schemas(asked["arguments"], schema)}
    arguments = {name: to_model(value, annotations.get(name), namespace) for name, value in described.items()}
    arguments.update({name: value for name, value in injected.items() if name in names})
    return arguments


INJECTED = ("agent_state", "agent_id", "client")


def parameters_of(function):
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def with_schemas(values, schema):
    parts = schema.get("properties", {})
    return [(name, value, parts.get(name, {})) for name, value in values.items()]


def to_described(value, part, schema):
    """An object that the schema names as a model: its members are attributes, as Letta's tools expect; also in lists."""
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
    """A dict as the BaseModel class that the parameter is annotated with, also in a list or as an optional."""
    if "BaseModel" not in namespace or not isinstance(annotation, str):
        return value
    value = from_record(value)
    try:
        kind = eval(annotation, namespace)
    except Exception:
        return value
    from pydantic import TypeAdapter

    return TypeAdapter(kind).validate_python(value)


def to_text(value):
    if isinstance(value, str):
        return value
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json")
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, default=to_plain, ensure_ascii=False)
    return str(value)


def to_plain(value):
    if hasattr(value, "model_dump"):
        return value.model_dump()
    return str(value)


def report(error):
    """The traceback, from the tool's own lines on, for people who read the tool's standard error."""
    entries = error.__traceback__
    while entries is not None and entries.tb_frame.f_code.co_filename != "<tool>":
        entries = entries.tb_next
    try:
        import traceback

        traceback.print_exception(type(error), error, entries)
    except BaseException:
        pass  # A tool that holds every file open leaves none for the import. Its answer names the error.


class LazyClient:
    """Letta's client for this server, made when the tool first uses it: importing it takes a while."""

    def __getattr__(self, name):
        if "_client" not in self.__dict__:
            from letta_client import Letta

            self.__dict__["_client"] = Letta(base_url=f"http://localhost:{API_PORT}")
        return getattr(self.__dict__["_client"], name)


class Record:
    """A JSON object whose members are attributes."""

    def __init__(self, fields):
        for name, value in fields.items():
            setattr(self, name, to_record(value))

    def __getitem__(self, name):
        return getattr(self, name)

    def get(self, name, default=None):
        return getattr(self, name, default)

    def __repr__(self):
        return f"{type(self).__name__}({self.__dict__})"

    def model_dump(self, **_options):
        return {name: from_record(value) for name, value in self.__dict__.items()}


class AgentState(Record):
    def __init__(self, fields):
        super().__init__({name: value for name, value in fields.items() if name != "blocks"})
        self.blocks = [Record(block) for block in fields["blocks"]]
        self.memory = Memory(self.blocks)
        # What the tool read: only what it changes is written back.
        self.__dict__["_read"] = {block.id: block.value for block in self.blocks}


class Memory:
    """The agent's core memory. Changes of its blocks are written back when the tool has returned."""

    def __init__(self, blocks):
        self.blocks = blocks

    def get_block(self, label):
        for block in self.blocks:
            if block.label == label:
                return block
        raise KeyError(f"there is no block '{label}'; there are: {', '.join(self.list_block_labels())}")

    def get_blocks(self):
        return self.blocks

    def list_block_labels(self):
        return [block.label for block in self.blocks]

    def update_block_value(self, label, value):
        if not isinstance(value, str):
            raise ValueError("a block's value must be a string")
        self.get_block(label).value = value

    def compile(self):
        return "\n".join(f"<{block.label}>\n{block.value}\n</{block.label}>" for block in self.blocks)


def to_record(value):
    if isinstance(value, dict):
        return Record(value) if all(isinstance(name, str) and name.isidentifier() for name in value) else value
    return [to_record(item) for item in value] if isinstance(value, list) else value


def from_record(value):
    if isinstance(value, list):
        return [from_record(item) for item in value]
    if isinstance(value, Memory):
        return {"blocks": from_record(value.blocks)}
    return value.model_dump() if isinstance(value, Record) else value


def changed_blocks(state):
    if state is None:
        return {}
    return {block.id: str(block.value) for block in state.blocks if block.value != state._read.get(block.id)}


def open_api(api):
    """Makes the server answer on localhost:8283, whatever its real address is."""
    if "port" in api:
        redirect_connections(api["port"])
    else:
        relay_connections(api["socket"])


def relay_connections(path):
    """For a network of its own: listens there, and hands each connection to the socket that leads out of it."""
    # The bare modules: importing `socket` and `threading` would cost each tool more than its sandbox does.
    import _socket
    import _thread

    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", API_PORT))
    listener.listen(16)

    def pump(source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
        except OSError:
            pass
        try:
            target.shutdown(_socket.SHUT_WR)
        except OSError:
            pass

    def accept():
        while True:
            descriptor, _address = listener._accept()
            near = _socket.socket(fileno=descriptor)
            far = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            for side in (listener, near, far):
                side.settimeout(None)
            far.connect(path)
            _thread.start_new_thread(pump, (near, far))
            _thread.start_new_thread(pump, (far, near))

    _thread.start_new_thread(accept, ())


def redirect_connections(port):
    """For the machine's own network, where another program may have the port: connections to it go to another one."""
    import socket

    def redirected(original):
        def connect(self, address):
            if self.family == socket.AF_INET and address[1] == API_PORT and address[0] in ("127.0.0.1", "localhost"):
                address = ("127.0.0.1", port)
            return original(self, address)

        return connect

    socket.socket.connect = redirected(socket.socket.connect)
    socket.socket.connect_ex = redirected(socket.socket.connect_ex)


main()
