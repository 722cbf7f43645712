"""The agent's state as a tool's code sees it, and what the tool changed in it."""


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
        # What the tool read. Only changed blocks are written back.
        self.__dict__["_read"] = {block.id: block.value for block in self.blocks}


class Memory:
    """The agent's core memory. Changed blocks are written back after the tool has returned."""

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
