import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type DescribedTool, describePythonTool } from '../../adapters/python/describe-tool.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

async function described(source: string, more: object = {}): Promise<DescribedTool | undefined> {
  return describePythonTool({ source, ...more });
}

/** The schema of the only parameter of a function with this annotation, and the required parameters. */
async function parameter(annotation: string, before = ''): Promise<unknown> {
  const source = `${before}\ndef act(value: ${annotation}):\n    """Act.\n\n    Args:\n        value: What.\n    """\n`;
  const answer = await described(source);
  if (answer?.ok !== true) return answer;
  return [answer.parameters.properties['value'], answer.parameters.required];
}

/** The whole schema of a function with one parameter. */
async function parametersOf(annotation: string, before: string): Promise<unknown> {
  const source = `${before}\ndef act(value: ${annotation}):\n    """Act.\n\n    Args:\n        value: What.\n    """\n`;
  const answer = await described(source);
  return answer?.ok === true ? answer.parameters : answer;
}

const what = { description: 'What.' };

describe('[tools.schema] the schema of a Python tool', () => {
  it('is read from the signature and docstring', async () => {
    const answer = await described(`
import json
from datetime import date

def _help(): pass

def book_flight(agent_state: "AgentState", city: str, seats: int = 1, *, nonstop: bool):
    """
    Book a flight.

    It can't be undone.

    Args:
        city (str): Where to,
            by its name.
        seats (int): How many.
        nonstop: Whether to fly directly.

    Returns:
        str: The booking's number.
    """
    import requests
    return json.dumps([city, seats])
`);

    expect(answer).toEqual({
      ok: true,
      name: 'book_flight',
      description: "Book a flight.\n\nIt can't be undone.",
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Where to, by its name.' },
          seats: { type: 'integer', description: 'How many.' },
          nonstop: { type: 'boolean', description: 'Whether to fly directly.' },
        },
        required: ['city', 'nonstop'],
      },
      modules: ['datetime', 'json', 'requests'],
    });
  });

  it.each<[string, object, boolean]>([
    ['str', { type: 'string' }, true],
    ['float', { type: 'number' }, true],
    ['list', { type: 'array', items: {} }, true],
    ['dict', { type: 'object' }, true],
    ['List[int]', { type: 'array', items: { type: 'integer' } }, true],
    ['list[list[str]]', { type: 'array', items: { type: 'array', items: { type: 'string' } } }, true],
    ['typing.Dict[str, float]', { type: 'object', additionalProperties: { type: 'number' } }, true],
    ['Optional[str]', { type: 'string', nullable: true }, false],
    ['int | None', { type: 'integer', nullable: true }, false],
    ['Union[int, str]', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, true],
    ['Union[int, str, None]', { anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }] }, false],
    ['Literal["a", "b"]', { type: 'string', enum: ['a', 'b'] }, true],
    ['Optional[Literal[1, 2]]', { type: 'integer', enum: [1, 2, null], nullable: true }, false],
    ['"Optional[str]"', { type: 'string', nullable: true }, false],
  ])('describes a parameter annotated %s', async (annotation, schema, isRequired) => {
    expect(await parameter(annotation)).toEqual([{ ...schema, ...what }, isRequired ? ['value'] : []]);
  });

  it('includes the fields of the source’s own BaseModel classes', async () => {
    const classes = `
from pydantic import BaseModel, Field
class Named(BaseModel):
    name: str = Field(..., description="Whose.")
class Address(Named):
    street: str
    number: int = Field(default=1, description="On the street.")
    note: Optional[str] = None
`;
    const address = {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Whose.' },
        street: { type: 'string' },
        number: { type: 'integer', description: 'On the street.' },
        note: { type: 'string', nullable: true },
      },
      required: ['name', 'street'],
    };

    expect(await parametersOf('List[Address]', classes)).toEqual({
      type: 'object',
      properties: { value: { type: 'array', items: { $ref: '#/$defs/Address' }, ...what } },
      required: ['value'],
      $defs: { Address: address },
    });
  });

  it('names a recursive class and an optional one', async () => {
    const classes = 'class Node(BaseModel):\n    next: Optional["Node"] = None\n';
    const orNull = { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] };

    expect(await parametersOf('Node', classes)).toMatchObject({
      properties: { value: { $ref: '#/$defs/Node' } },
      $defs: { Node: { type: 'object', properties: { next: orNull }, required: [] } },
    });
  });

  it('uses the last definition of an inherited field', async () => {
    const classes = 'class A(BaseModel):\n    x: int\nclass B(A):\n    x: str = "y"\n';

    expect(await parametersOf('B', classes)).toMatchObject({
      $defs: { B: { properties: { x: { type: 'string' } }, required: [] } },
    });
  });

  it('survives docstrings without indentation', async () => {
    const answer = await described(
      'def push(task: str):\n    """\n    Push a task.\n    Args:\n    task (str): The task.\n    Returns:\n    Optional[str]: None\n    """\n',
    );

    expect(answer).toMatchObject({
      description: 'Push a task.',
      parameters: { properties: { task: { description: 'The task.' } } },
    });
  });

  it('describes the last public function, and lists letta_client for the injected client', async () => {
    const answer = await described(
      'def help_it(x): return x\ndef act():\n    "Act."\n    return client.agents.list()\ndef _more(): pass\n',
    );

    expect(answer).toMatchObject({ name: 'act', modules: ['letta_client'] });
  });

  it('is built without running the source', async () => {
    const file = join(makeTemporaryDirectory('schema'), 'was-run');
    const run = `open(${JSON.stringify(file)}, "w").close()`;

    const answer = await described(
      `${run}\ndef act(value: str = ${run}):\n    """Act.\n\n    Args:\n        value: What.\n    """\n    ${run}\n`,
    );

    expect(answer).toMatchObject({ ok: true, name: 'act' });
    expect(existsSync(file)).toBe(false);
  });
});

describe('[tools.own-schema] an author’s own schema', () => {
  it('replaces the inferred one, and its name selects the function', async () => {
    const source = 'def act(*whatever): pass\ndef other(): pass\n';

    expect(await described(source, { name: 'act', hasDescription: true, hasParameters: true })).toMatchObject(
      {
        ok: true,
        name: 'act',
      },
    );
  });
});

describe('[tools.schema-faults] invalid tool source', () => {
  it.each([
    ['def act(:', /not valid Python: .* \(line 1\)/],
    ['x = 1', /defines no function/],
    ['def act(): pass', /'act' has no docstring/],
    ['def act(value):\n  "Act."', /'value' .* has no type annotation\. Annotate it/],
    ['def act(value: str):\n  "Act."', /'value' .* is not described .* under 'Args:'/],
    ['def act(*values):\n  "Act."', /\*args or \*\*kwargs/],
    ['def act(value, /):\n  "Act."', /positional-only/],
    [`${'('.repeat(100_000)}1`, /nested|parse|parser/],
    ['\0', /not valid Python|can't be parsed/],
  ])('is refused with what to change: %#', async (source, message) => {
    expect(await described(source)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });

  it.each([
    ['bytes', /annotated `bytes`, which has no JSON schema here\. Use one of: str/],
    ['Tuple[int, int]', /annotated `Tuple\[int, int\]`/],
    ['"a b"', /annotation that can't be read: 'a b'/],
    ['Plain', /class 'Plain', which is not a BaseModel/],
  ])('is refused with the faulty annotation: %s', async (annotation, message) => {
    expect(await parameter(annotation, 'class Plain:\n  x: int\n')).toEqual({
      ok: false,
      message: expect.stringMatching(message),
    });
  });

  it('is refused if the named function is missing', async () => {
    expect(await described('def act(): "Act."', { name: 'other' })).toEqual({
      ok: false,
      message: expect.stringMatching(/no function 'other'/),
    });
  });
});

describe('[tools.hostile-schemas] hostile classes', () => {
  /** Each class has two fields of the next class: as a tree, 2^levels of them. */
  const doubling = (levels: number): string =>
    Array.from({ length: levels + 1 }, (_, index) => levels - index)
      .map((level) =>
        level === levels
          ? `class C${level}(BaseModel):\n    x: int`
          : `class C${level}(BaseModel):\n    a: C${level + 1}\n    b: C${level + 1}`,
      )
      .join('\n');

  it('produce a schema in proportion to their source', async () => {
    const schema = JSON.stringify(await parametersOf('C0', doubling(200)));

    expect(schema.length).toBeLessThan(40_000);
    expect(schema).toContain('"C200":');
  });

  it.each([
    [
      'ancestors that double at each level',
      Array.from({ length: 60 }, (_, i) => `class C${i}(C${i + 1}, C${i + 1}): pass`).join('\n') +
        '\nclass C60(BaseModel):\n    x: int',
      true,
    ],
    ['circular ancestors', 'class C0(C1): pass\nclass C1(C0): pass', false],
    [
      'fields that many classes inherit',
      `class B(BaseModel):\n${Array.from({ length: 1_000 }, (_, i) => `    f${i}: int`).join('\n')}\n${Array.from({ length: 1_000 }, (_, i) => `class D${i}(B): pass`).join('\n')}\nC0 = None\nclass C0(BaseModel):\n${Array.from({ length: 1_000 }, (_, i) => `    d${i}: D${i}`).join('\n')}`,
      false,
    ],
    ['thousands of alternatives', `class C0(BaseModel):\n    x: Union[${'int, '.repeat(20_000)}]`, false],
  ])('are read or refused in bounded time: %s', async (_, classes, isRead) => {
    const started = performance.now();
    const answer = await parametersOf('C0', classes);

    expect(answer).toMatchObject(isRead ? { $defs: { C0: {} } } : { ok: false });
    expect(performance.now() - started).toBeLessThan(8_000);
  });
});
