import type { ModelSettings } from '../turns/model.js';

/** How an agent's context is compacted: what its maker, or who asks for it once, sets otherwise than usual. */
export interface Compaction {
  /** Handle of the summariser; null: the agent's own model. */
  readonly model: string | null;
  readonly settings: ModelSettings;
  /** Instructions of the summariser in place of the usual ones. */
  readonly prompt: string | null;
  /** Characters that a summary has at most. */
  readonly summaryLimit: number;
  /** The share of the queue that stays at the first cut. */
  readonly keeps: number;
  /** Nothing stays that the running turn can go on without. */
  readonly leavesNothing: boolean;
}

/** A summary has this many characters at most where nobody says: about 700 words, a page of a context that is thousands. */
const usualSummaryLimit = 5_000;
/** What a summary's block is made for: no setting allows more. */
export const greatestSummaryLimit = 50_000;
const usualShare = 0.7;

export const usualCompaction: Compaction = {
  model: null,
  settings: {},
  prompt: null,
  summaryLimit: usualSummaryLimit,
  keeps: usualShare,
  leavesNothing: false,
};

/**
 * The settings as requests bring them, in Letta's words, read by what they mean: those that were asked for once over those
 * kept with the agent. A prompt is for one mode, so that a request for another mode does without the agent's.
 */
export function toCompaction(kept: unknown, asked: unknown): Compaction {
  const [own, wish] = [fieldsOf(kept), fieldsOf(asked)];
  const changesMode = wish['mode'] !== undefined && wish['mode'] !== own['mode'];
  const { prompt, ...rest } = own;
  const merged: Fields = { ...rest, ...(changesMode ? {} : { prompt }), ...wish };
  const mode = textOf(merged['mode']) ?? 'sliding_window';
  const share = numberOf(merged['sliding_window_percentage']);
  const limit = numberOf(merged['clip_chars']);
  return {
    // The self modes are those in which an agent summarises itself.
    model: mode.startsWith('self_') ? null : textOf(merged['model']),
    settings: toSettings(fieldsOf(merged['model_settings'])),
    prompt: textOf(merged['prompt']),
    summaryLimit: limit === null ? usualSummaryLimit : Math.min(limit, greatestSummaryLimit),
    // Letta's name for it says what is kept, its code what leaves; programs are tuned to the code.
    keeps: share === null ? usualShare : 1 - share,
    leavesNothing: mode.endsWith('all'),
  };
}

function toSettings(fields: Fields): ModelSettings {
  const [temperature, maxOutputTokens] = [
    numberOf(fields['temperature']),
    numberOf(fields['max_output_tokens']),
  ];
  return {
    ...(temperature === null ? {} : { temperature }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields that have a value. */
function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field != null));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
