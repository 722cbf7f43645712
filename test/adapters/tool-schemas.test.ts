import { describe, expect, it } from '@jest/globals';
import {
  checkArguments,
  createSchemaChecks,
  findSchemaFault,
} from '../../adapters/tool-schemas/check-schemas.js';
import type { JsonSchemaObject } from '../../core/models/model.js';
import { mostSchemaCharacters, mostSchemaLevels } from '../../core/tools/schema-bounds.js';

function anObject(properties: JsonSchemaObject['properties'], more: object = {}): JsonSchemaObject {
  return { type: 'object', properties, required: [], ...more };
}

/** The longest time in ms that this thread was blocked during the work. */
async function longestStandstill(work: Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await work;
  clearInterval(timer);
  return longest;
}

const evil = anObject({ text: { type: 'string', pattern: '^(a+)+$' } });
const manyAs = { text: `${'a'.repeat(50)}b` };
const inTime = /could not be checked in time/;

/** Each class refers to the next one twice: as a tree, 2^40 of them. */
function doubling(levels: number): JsonSchemaObject {
  const ref = (index: number): object => ({ $ref: `#/$defs/c${index}` });
  const inner = Array.from({ length: levels }, (_, index) => [
    `c${index}`,
    index + 1 === levels ? { type: 'string', maxLength: 1 } : { allOf: [ref(index + 1), ref(index + 1)] },
  ]);
  return anObject({ a: ref(0) as Record<string, unknown> }, { $defs: Object.fromEntries(inner) as object });
}

describe('[tools.hostile-schemas] a hostile schema', () => {
  /** For schemas whose check would take too long. */
  const hasty = createSchemaChecks(300);

  it('with a catastrophic pattern delays only its caller', async () => {
    const checked = hasty.checkArguments(evil, manyAs);

    expect(await longestStandstill(checked)).toBeLessThan(1_500);
    expect(await checked).toEqual({ ok: false, faults: expect.stringMatching(inTime) });
  });

  it('delays no other check after it was too slow once', async () => {
    await hasty.checkArguments(evil, manyAs);
    const ends: string[] = [];
    const slow = hasty.checkArguments(evil, manyAs).then(() => ends.push('slow'));
    const quick = hasty
      .checkArguments(anObject({ n: { type: 'number' } }), { n: 1 })
      .then(() => ends.push('quick'));

    await Promise.all([slow, quick]);
    expect(ends).toEqual(['quick', 'slow']);
  });

  it.each<[string, JsonSchemaObject, unknown]>([
    ['references that double forty times', doubling(40), { a: 'x' }],
    [
      'a pattern for property names',
      anObject({}, { patternProperties: { '^(a+)+$': { type: 'number' } } }),
      { [`${'a'.repeat(50)}b`]: 1 },
    ],
    [
      'a list of different items',
      anObject({ a: { type: 'array', uniqueItems: true } }),
      { a: Array.from({ length: 100_000 }, (_, index) => ({ index })) },
    ],
  ])('is abandoned when its check takes too long: %s', async (_, schema, args) => {
    expect(await hasty.findSchemaFault(schema)).toBeUndefined();
    expect(await hasty.checkArguments(schema, args as Record<string, unknown>)).toEqual({
      ok: false,
      faults: expect.stringMatching(inTime),
    });
  });

  it.each<[string, object, unknown]>([
    ['refers to itself', { $ref: '#/properties/a' }, 'x'],
    ['refers to itself by alternatives', { anyOf: [{ $ref: '#/properties/a' }, { type: 'null' }] }, 'x'],
  ])('that %s without end is reported to the model', async (_, schema, value) => {
    const checked = await checkArguments(anObject({ a: schema as Record<string, unknown> }), { a: value });

    expect(checked).toEqual({ ok: false, faults: expect.stringMatching(/call stack/) });
  });

  it('may refer to itself if the recursion ends', async () => {
    const tree = { type: 'object', properties: { next: { $ref: '#/$defs/tree' }, n: { type: 'integer' } } };
    const schema = anObject({ root: { $ref: '#/$defs/tree' } }, { $defs: { tree } });

    expect(await checkArguments(schema, { root: { next: { n: '2' } } })).toEqual({
      ok: true,
      args: { root: { next: { n: 2 } } },
    });
  });

  it('is refused if it is nested too deeply or too long', async () => {
    const deep = Array.from({ length: mostSchemaLevels }).reduce<Record<string, unknown>>(
      (inner) => ({ items: inner }),
      {},
    );
    const long = anObject({ a: { enum: Array.from({ length: 30_000 }, (_, index) => `value ${index}`) } });

    expect(await findSchemaFault(anObject({ a: deep }))).toMatch(`more than ${mostSchemaLevels} levels`);
    expect(await findSchemaFault(long)).toMatch(`at most ${mostSchemaCharacters}`);
    expect(await checkArguments(long, {})).toEqual({
      ok: false,
      faults: expect.stringMatching(/the schema itself/),
    });
  });

  it('with many values is compiled', async () => {
    const values = Array.from({ length: 3_000 }, (_, index) => `value ${index}`);
    const wide = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`p${index}`, { type: 'string', default: 'x' }]),
    );

    expect(await checkArguments(anObject({ a: { enum: values } }), { a: 'value 7' })).toMatchObject({
      ok: true,
    });
    expect(await checkArguments(anObject(wide), {})).toMatchObject({ ok: true, args: { p999: 'x' } });
  });

  it('cannot inflate arguments with its defaults', async () => {
    const item = { type: 'object', properties: { text: { default: 'x'.repeat(100_000) } } };
    const schema = anObject({ a: { type: 'array', items: item } });
    const args = { a: Array.from({ length: 10_000 }, () => ({})) };

    expect(await checkArguments(schema, args)).toMatchObject({ ok: false });
  });

  it('reports at most ten faults', async () => {
    const schema = anObject({ a: { type: 'array', items: { type: 'number' } } });
    const checked = await checkArguments(schema, { a: Array.from({ length: 20_000 }, () => 'many') });

    expect(checked).toMatchObject({ ok: false });
    expect(checked.ok ? [] : checked.faults.split(';')).toHaveLength(10);
  });

  it('may share its id with another one', async () => {
    const named = (type: string): JsonSchemaObject =>
      anObject({ a: { type } }, { $id: 'https://example.com/one' });

    expect(await checkArguments(named('string'), { a: 'x' })).toEqual({ ok: true, args: { a: 'x' } });
    expect(await checkArguments(named('number'), { a: 'x' })).toMatchObject({ ok: false });
    expect(await findSchemaFault(named('string'))).toBeUndefined();
  });

  it.each<[string, object, RegExp]>([
    [
      'refers to another address',
      { a: { $ref: 'https://elsewhere.example/schema' } },
      /can't resolve reference/,
    ],
    ['is invalid', { a: { type: 'banana' } }, /allowed values/],
  ])('is refused if it %s', async (_, properties, fault) => {
    expect(await findSchemaFault(anObject(properties as JsonSchemaObject['properties']))).toMatch(fault);
  });

  it('cannot make its check asynchronous', async () => {
    const schema = anObject({ a: { type: 'number' } }, { $async: true });

    expect(await findSchemaFault(schema)).toMatch(/\$async/);
    expect(await checkArguments(schema, { a: 'x' })).toMatchObject({ ok: false });
  });

  it('may name its dialect', async () => {
    const dialect = 'https://json-schema.org/draft/2020-12/schema';

    expect(await findSchemaFault(anObject({}, { $schema: dialect }))).toBeUndefined();
  });
});
