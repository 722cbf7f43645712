import { describe, expect, it } from '@jest/globals';
import { type Compaction, toCompaction, usualCompaction } from '../../../core/threads/compaction.js';

describe('toCompaction', () => {
  it.each<[string, unknown, unknown, Partial<Compaction>]>([
    ['no settings', null, null, {}],
    ['unset fields', { model: null, clip_chars: null }, undefined, {}],
    [
      'a summariser’s model',
      { model: 'openai/small', mode: 'sliding_window' },
      null,
      { model: 'openai/small' },
    ],
    [
      'an agent that summarises itself',
      { model: 'openai/small', mode: 'self_compact_sliding_window' },
      null,
      {},
    ],
    ['a mode that leaves nothing', { mode: 'all' }, null, { leavesNothing: true }],
    [
      'a mode in which the agent itself leaves nothing',
      { mode: 'self_compact_all', model: 'openai/small' },
      null,
      { leavesNothing: true },
    ],
    ['the share that is evicted', { sliding_window_percentage: 0.25 }, null, { keeps: 0.75 }],
    ['a summary limit', { clip_chars: 800 }, null, { summaryLimit: 800 }],
    ['a summary limit above the maximum', { clip_chars: 2_000_000 }, null, { summaryLimit: 50_000 }],
    [
      'model settings',
      { model_settings: { provider_type: 'openai', temperature: 0, max_output_tokens: 900 } },
      null,
      { settings: { temperature: 0, maxOutputTokens: 900 } },
    ],
    [
      'the settings of a request over the stored ones',
      { model: 'openai/small', prompt: 'Be brief.' },
      { model: 'openai/large' },
      { model: 'openai/large', prompt: 'Be brief.' },
    ],
    [
      'another mode without the prompt of the stored one',
      { mode: 'sliding_window', prompt: 'Be brief.' },
      { mode: 'all' },
      { leavesNothing: true },
    ],
  ])('[agents.compaction] reads %s', (_what, kept, asked, expected) => {
    expect(toCompaction(kept, asked)).toEqual({ ...usualCompaction, ...expected });
  });
});
