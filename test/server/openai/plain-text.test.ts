import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../../core/turns/events.js';
import { noUsage } from '../../../core/models/usage.js';
import { type Chunk, renderEvent, streamStart } from '../../../server/streams/chunks-wire.js';
import { toResponseEvents } from '../../../server/openai/response-stream.js';
import { plainTextStart, addToText } from '../../../server/openai/plain-text.js';
import type { ResponseHead } from '../../../server/openai/responses-wire.js';
import { toRendering } from '../../../server/threads/rendering-wire.js';

const rendering = toRendering({ agentType: 'letta_v1_agent', timezone: 'UTC', toolRules: [] }, {}, []);

const idOf = (attempt: number): string => `message-00000000-0000-4000-8000-0000000000a${attempt}`;

/** The chunks of these attempts. All but the last are abandoned. */
function chunksOf(attempts: readonly (readonly string[])[]): readonly Chunk[] {
  const events = attempts.flatMap((texts, index): TurnEvent[] => {
    const place = { stepId: 'step-1', attempt: index, messageId: idOf(index) };
    const begun: TurnEvent[] =
      index === 0
        ? []
        : [{ ...place, kind: 'attempt_abandoned', attempt: index - 1, messageId: idOf(index - 1) }];
    return [
      ...begun,
      ...texts.map((text): TurnEvent => ({ ...place, kind: 'delta', delta: { kind: 'text', text } })),
    ];
  });
  const end: TurnEvent = { kind: 'ended', stopReason: 'end_turn', usage: noUsage, steps: 1 };
  let state = streamStart;
  const chunks: Chunk[] = [];
  for (const [index, event] of [...events, end].entries()) {
    const logged = { turnId: 'run-1', seq: index + 1, event };
    const view = { rendering, showsTokens: true };
    const rendered = renderEvent(state, logged, view, { at: new Date() });
    state = rendered.state;
    chunks.push(...rendered.chunks);
  }
  return chunks;
}

/** What a plain-text reader receives. */
function read(...attempts: readonly (readonly string[])[]): string {
  let [told, words] = [plainTextStart, ''];
  for (const { body } of chunksOf(attempts)) {
    const next = addToText(told, body);
    told = next.told;
    words += next.words;
  }
  return words;
}

const head: ResponseHead = {
  runId: 'run-1',
  model: 'm',
  at: new Date(),
  format: undefined,
  previousRunId: null,
};

/** What a client of OpenAI's Responses API receives: the joined deltas, the items and the number of ends. */
async function readResponse(...attempts: readonly (readonly string[])[]) {
  async function* chunks() {
    yield* await Promise.resolve(chunksOf(attempts));
  }
  const events = [];
  for await (const event of toResponseEvents(head, chunks())) events.push(event);
  return {
    deltas: events.map(({ delta }) => (typeof delta === 'string' ? delta : '')).join(''),
    items: events.flatMap(({ type, text }) => (type === 'response.output_text.done' ? [text] : [])),
    ends: events.filter(({ type }) => type === 'response.completed').length,
  };
}

describe('[turn.void-fragments] plain text after abandoned attempts', () => {
  it.each<[string, readonly (readonly string[])[], string]>([
    [
      'continues where the new attempt repeats the old one',
      [
        ['Hello ', 'B'],
        ['He', 'llo Bob!'],
      ],
      'Hello Bob!',
    ],
    ['adds nothing if the new attempt says nothing new', [['Hello'], ['Hel', 'lo']], 'Hello'],
    ['starts a paragraph for different words', [['Hello'], ['Hi', ' Bob']], 'Hello\n\nHi Bob'],
    [
      'starts a paragraph where the words begin to differ',
      [['Hello Bob'], ['Hello', ' Eve']],
      'Hello Bob\n\nHello Eve',
    ],
    ['continues after several attempts', [['Hello'], ['He'], ['Hello Bob']], 'Hello Bob'],
    ['is unchanged without an abandoned attempt', [['Hello', ' Bob']], 'Hello Bob'],
  ])('%s', (_, attempts, words) => {
    expect(read(...attempts)).toBe(words);
  });

  it.each<[readonly (readonly string[])[], string]>([
    [
      [
        ['Hello ', 'B'],
        ['He', 'llo Bob!'],
      ],
      'Hello Bob!',
    ],
    [[['Hello'], ['Hel', 'lo']], 'Hello'],
    [[['Hello'], ['Hi', ' Bob']], 'Hello\n\nHi Bob'],
    [[['Hello', ' Bob']], 'Hello Bob'],
  ])('becomes one item of an OpenAI response: %j', async (attempts, words) => {
    expect(await readResponse(...attempts)).toEqual({ deltas: words, items: [words], ends: 1 });
  });
});
