"""Runs one function of a tool's source within a sandbox. `program.ts` puts the files of this folder before this one.

Standard input: one JSON object:
  source, function, arguments  what to call, and with what; a function of null runs the whole source
  args_schema                  the JSON schema of the arguments, where its author gave one, or null
  beside                       tools that a whole source may call: [{"name", "source", "function"}]
  environment                  variables for the tool; they are set here, so that the launcher never sees them
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
    # Does not wait for threads that the tool left behind.
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
    """Runs a whole source, as in a notebook: its value is that of the last line, if that is an expression."""
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
    """A tool as a function of its own arguments, without the injected ones. It is loaded when it is called."""

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
    # With this flag annotations are not evaluated: `agent_state: AgentState` names a class that does not exist here.
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
    """Prints the traceback from the tool's own lines on, for people who read its standard error."""
    entries = error.__traceback__
    while entries is not None and entries.tb_frame.f_code.co_filename != "<tool>":
        entries = entries.tb_next
    try:
        import traceback

        traceback.print_exception(type(error), error, entries)
    except BaseException:
        pass  # A tool that holds every file open leaves none for the import. Its answer names the error.


main()
