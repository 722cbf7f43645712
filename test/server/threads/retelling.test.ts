import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../../core/turns/events.js';
import { noUsage } from '../../../core/turns/usage.js';
import { renderEvent, streamStart } from '../../../server/streams/chunks.js';
import { nothingTold, retell } from '../../../server/streams/retelling.js';
import { toRendering } from '../../../server/threads/rendering-wire.js';

const rendering = toRendering({ agentType: 'letta_v1_agent', timezone: 'UTC', toolRules: [] }, {}, []);

const idOf = (attempt: number): string => `message-00000000-0000-4000-8000-0000000000a${attempt}`;

/** What a reader of plain text has of attempts that broke off, but for the last one. */
function read(...attempts: readonly (readonly string[])[]): string {
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
  let [state, told, words] = [streamStart, nothingTold, ''];
  for (const [index, event] of [...events, end].entries()) {
    const logged = { turnId: 'run-1', seq: index + 1, event };
    const view = { rendering, showsTokens: true };
    const rendered = renderEvent(state, logged, view, { at: new Date() });
    state = rendered.state;
    for (const { body } of rendered.chunks) {
      const next = retell(told, body);
      told = next.told;
      words += next.words;
    }
  }
  return words;
}

describe('[turn.void-fragments] what a reader of plain text has of an answer that broke off', () => {
  it.each<[string, readonly (readonly string[])[], string]>([
    [
      'goes on where it says the same',
      [
        ['Hello ', 'B'],
        ['He', 'llo Bob!'],
      ],
      'Hello Bob!',
    ],
    ['is the same where nothing is new', [['Hello'], ['Hel', 'lo']], 'Hello'],
    ['is a paragraph where it says other words', [['Hello'], ['Hi', ' Bob']], 'Hello\n\nHi Bob'],
    ['is a paragraph where it turns', [['Hello Bob'], ['Hello', ' Eve']], 'Hello Bob\n\nHello Eve'],
    ['goes on after several', [['Hello'], ['He'], ['Hello Bob']], 'Hello Bob'],
    ['is what it was where nothing broke', [['Hello', ' Bob']], 'Hello Bob'],
  ])('%s', (_, attempts, words) => {
    expect(read(...attempts)).toBe(words);
  });
});
