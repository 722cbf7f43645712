"""Docstrings in Google style."""

import re

SECTION = re.compile(r"^\s*(Args|Arguments|Parameters|Returns?|Raises|Yields?|Examples?|Notes?|Attributes)\s*:\s*$")
ENTRY = re.compile(r"^\s*\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")


def read_docstring(docstring, names):
    """The description, and those of the parameters. Ignores indentation, which documents lose."""
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
