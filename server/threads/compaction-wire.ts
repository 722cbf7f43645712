import { z } from 'zod';
import { int32 } from '../http/fields-wire.js';
import { modelSettingsBody } from '../models/model-configs-wire.js';

/** Letta's settings for compaction. `toCompaction` says which of them have an effect. */
export const compactionSettings = z.looseObject({
  model: z.string().nullish(),
  model_settings: modelSettingsBody.nullish(),
  prompt: z.string().nullish(),
  prompt_acknowledgement: z.boolean().nullish(),
  clip_chars: int32.min(1).nullish(),
  mode: z.enum(['all', 'sliding_window', 'self_compact_all', 'self_compact_sliding_window']).nullish(),
  sliding_window_percentage: z.number().min(0).max(1).nullish(),
});
