"""What the two Python programs share: areas that are run one after the other, each reporting what it saw."""

import json
import sys
import time
import traceback

MODEL = {"model": "openai/scripted", "embedding": "openai/text-embedding-3-small"}
BLOCKS = [{"label": "human", "value": "Unknown."}, {"label": "persona", "value": "I am Sam."}]

# Every kind of tool rule, with all that it has.
RULES = [
    {"type": "run_first", "tool_name": "a", "args": {"x": 1}},
    {
        "type": "constrain_child_tools",
        "tool_name": "a",
        "children": ["b"],
        "child_arg_nodes": [{"name": "b", "args": {"y": 2}}],
    },
    {"type": "exit_loop", "tool_name": "a"},
    {"type": "continue_loop", "tool_name": "b"},
    {"type": "parent_last_tool", "tool_name": "a", "children": ["b"]},
    {
        "type": "conditional",
        "tool_name": "a",
        "child_output_mapping": {"yes": "b"},
        "default_child": "c",
        "require_output_mapping": True,
    },
    {"type": "max_count_per_step", "tool_name": "b", "max_count_limit": 2},
    {"type": "required_before_exit", "tool_name": "b"},
    {"type": "requires_approval", "tool_name": "b"},
]


def say(text):
    return [{"role": "user", "content": text}]


def label_or_true(labels, label):
    """Labels, with True in the place of one that is different in each run."""
    return [True if one == label else one for one in labels]


def stream_facts(whole, tokens):
    """What a stream whose answer came whole and one whose answer came in fragments have shown."""
    said = [chunk for chunk in tokens if chunk.message_type == "assistant_message"]
    return {
        "types": [chunk.message_type for chunk in whole],
        "said": next(chunk.content for chunk in whole if chunk.message_type == "assistant_message"),
        "stop": next(chunk.stop_reason for chunk in whole if chunk.message_type == "stop_reason"),
        "fragments": len(said) > 1,
        "joined": "".join(chunk.content for chunk in said),
        "ids": len({chunk.id for chunk in said}),
    }


def run_areas(areas):
    """Each area is a function that returns its facts. One JSON object a line; one that throws does not stop the others."""
    for area in areas:
        try:
            line = {"area": area.__name__, "facts": area()}
        except Exception:
            line = {"area": area.__name__, "error": traceback.format_exc()}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def wait_until_ended(retrieve):
    """Asks for a run until it has ended."""
    for _ in range(400):
        run = retrieve()
        if run.status not in ("created", "running"):
            return run
        time.sleep(0.05)
    raise TimeoutError(f"run {run.id} is still {run.status}")


def calculation(name, sign):
    """Python source of a tool that calculates."""
    return f'def {name}(a: int, b: int):\n    """Calculate.\n\n    Args:\n        a: One.\n        b: Other.\n    """\n    return a {sign} b\n'


def problem_of(call, error_class):
    """Status and sentence of the error that a call ends in. The older client makes an object of some bodies."""
    try:
        call()
    except error_class as error:
        detail = error.body["detail"] if isinstance(error.body, dict) else error.body.detail
        return {"status": error.status_code, "detail": detail}
    return {"status": 200, "detail": ""}
