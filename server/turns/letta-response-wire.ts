import { z } from 'zod';
import { wireMessage } from '../threads/message-shapes-wire.js';
import { wireStopReason, wireUsage } from '../models/usage-wire.js';

/** The answer to a request that waited for a run's end. `error`: why the run failed; not Letta's, but its clients keep the field. */
export const lettaResponse = z
  .object({
    messages: z.array(wireMessage),
    stop_reason: wireStopReason,
    usage: wireUsage,
    error: z.object({ type: z.string(), message: z.string(), run_id: z.string() }).optional(),
  })
  .meta({ id: 'LettaResponse' });

export type LettaResponse = z.infer<typeof lettaResponse>;
