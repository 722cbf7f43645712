import type { ModelSettings } from '../models/model.js';

/** How an agent's context is compacted: the agent's settings, or those of a single request. */
export interface Compaction {
  /** Handle of the summariser; null: the agent's own model. */
  readonly model: string | null;
  readonly settings: ModelSettings;
  /** The summariser's instructions; null: the usual ones. */
  readonly prompt: string | null;
  /** The most characters of a summary. */
  readonly summaryLimit: number;
  /** The share of the queue that is kept at the first cut. */
  readonly keeps: number;
  /** Whether everything leaves that the running turn doesn't need. */
  readonly leavesNothing: boolean;
}

/** The default limit of a summary in characters: about 700 words, a page of a context of thousands of tokens. */
const usualSummaryLimit = 5_000;
/** The limit of the block that holds a summary. No setting allows more. */
export const greatestSummaryLimit = 50_000;
const usualShare = 0.7;

/** The default settings. */
export const usualCompaction: Compaction = {
  model: null,
  settings: {},
  prompt: null,
  summaryLimit: usualSummaryLimit,
  keeps: usualShare,
  leavesNothing: false,
};

/**
 * Reads the settings of requests, in Letta's words. Settings of a single request override the agent's. A prompt
 * belongs to one mode: if the request names another mode, the agent's prompt does not apply.
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
    // In the self modes, the agent's own model summarises.
    model: mode.startsWith('self_') ? null : textOf(merged['model']),
    settings: toSettings(fieldsOf(merged['model_settings'])),
    prompt: textOf(merged['prompt']),
    summaryLimit: limit === null ? usualSummaryLimit : Math.min(limit, greatestSummaryLimit),
    // Letta documents this as the share to keep, but its code evicts that share. Programs are tuned to the code.
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
