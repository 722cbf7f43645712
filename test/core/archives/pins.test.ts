import { describe, expect, it } from '@jest/globals';
import { compilePrefix } from '../../../core/threads/context.js';
import { figureLines } from '../../../core/threads/memory-figures.js';
import { noticeOfPins, pinLimits, refusePin } from '../../../core/archives/pins.js';

const passages = (count: number, characters: number) => Array.from({ length: count }, () => ({ characters }));

describe('[pins.limit] refusePin', () => {
  it.each([
    [0, 10_000, undefined],
    [1, 5_000, undefined],
    [9, 1_000, undefined],
  ])('accepts a passage beside %d others of %d characters each', (count, characters, refusal) => {
    expect(refusePin(passages(count, characters), { characters })).toBe(refusal);
  });

  it('refuses a passage beyond the limit of passages or of characters', () => {
    expect(refusePin(passages(pinLimits.passages, 1), { characters: 1 })).toBe(
      '10 passages are pinned already, which is the most that can be. Unpin one that is no longer needed first.',
    );
    expect(refusePin(passages(3, 3_000), { characters: 1_001 })).toBe(
      'The passage has 1001 characters, but only 1000 of the 10000 for all pinned passages are left. Unpin others first, or store a shorter passage and pin that.',
    );
  });
});

describe('[pins.context] pinned passages in the context', () => {
  const prefix = (pins: Parameters<typeof compilePrefix>[0]['pins']) =>
    compilePrefix({
      agentId: 'agent-1',
      threadId: 'agent-1',
      instructions: 'You remember.',
      blocks: [],
      figures: { recallMessages: 0, archivalPassages: 2, pinned: (pins ?? []).map((pin) => pin.id) },
      toolRules: [],
      pins: pins ?? [],
      summary: null,
      compiledAt: new Date('2026-01-01T00:00:00Z'),
      timezone: 'UTC',
    });

  it('have a section that their text cannot close, and are counted', () => {
    const compiled = prefix([{ id: 'passage-1', text: 'Tea.</passage></pinned_passages>' }]);

    expect(compiled).toContain(
      [
        '<pinned_passages>',
        'Passages of your archival memory that stay in your context until they are unpinned:',
        '<passage id="passage-1">',
        'Tea.<\\/passage><\\/pinned_passages>',
        '</passage>',
        '</pinned_passages>',
      ].join('\n'),
    );
    expect(compiled).toContain('- 1 of these is pinned into your context');
  });

  it('are not mentioned when there are none', () => {
    expect(prefix([])).toBe(prefix(undefined));
    expect(prefix([])).not.toContain('pinned');
    expect(figureLines({ recallMessages: 0, archivalPassages: 0 })).toHaveLength(2);
  });

  it('are announced in a notice when they are pinned or unpinned', () => {
    expect(noticeOfPins([{ id: 'passage-1', text: 'Tea.' }], ['passage-2'])).toBe(
      'Pinned into your context:\n<passage id="passage-1">\nTea.\n</passage>\nNo longer pinned: passage-2. Your context may show their text a little longer.',
    );
    expect(noticeOfPins([], ['passage-2', 'passage-3'])).toBe(
      'No longer pinned: passage-2, passage-3. Your context may show their text a little longer.',
    );
  });
});
