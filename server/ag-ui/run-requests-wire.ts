import { z } from 'zod';
import type { ShownCalls } from '../ai-sdk/ui-chunks-wire.js';
import { chatId } from '../ai-sdk/chat-requests-wire.js';
import { RequestRefusedError } from '../http/problems.js';
import { type SendBody, whenBusy } from '../threads/message-requests-wire.js';

const message = z.looseObject({
  id: z.string().min(1),
  role: z.string(),
  content: z.unknown().optional(),
  toolCalls: z.array(z.looseObject({ id: z.string() })).optional(),
});

const resumeEntry = z.looseObject({
  interruptId: z.string(),
  status: z.enum(['resolved', 'cancelled']),
  payload: z.looseObject({ approved: z.boolean(), reason: z.string().optional() }).optional(),
});

/** What a client of AG-UI sends to run an agent. */
export const runBody = z
  .looseObject({
    threadId: chatId,
    runId: z.string().min(1),
    messages: z.array(message),
    resume: z.array(resumeEntry).optional(),
    forwardedProps: z.looseObject({ when_busy: whenBusy.nullish() }).nullish(),
  })
  .meta({ id: 'RunAgentInput' });

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });

/** What a run's request brings that the agent has not heard yet. */
export interface RunSend {
  readonly body: SendBody;
  readonly key: string;
  readonly shown: ShownCalls;
}

/** The last message of a run, or the answers to its interrupts, as a request to the agent. Throws RequestRefusedError. */
export function toRunSend(asked: z.infer<typeof runBody>): RunSend {
  const { messages, resume = [], forwardedProps } = asked;
  const ids = new Set(messages.flatMap((one) => (one.toolCalls ?? []).map(({ id }) => id)));
  if (resume.length > 0) {
    const approvals = resume.map(({ interruptId, status, payload }) => ({
      ...{ type: 'approval' as const, tool_call_id: interruptId },
      ...{ approve: status === 'resolved' && payload?.approved === true, reason: payload?.reason ?? null },
    }));
    const denied = approvals.filter(({ approve }) => !approve).map((one) => one.tool_call_id);
    return {
      body: { messages: [{ type: 'approval', approvals }] },
      key: `ag-ui:${resume.map((one) => one.interruptId).join(':')}`,
      shown: { ids: new Set([...ids, ...resume.map((one) => one.interruptId)]), denied: new Set(denied) },
    };
  }
  const last = messages.at(-1);
  if (last?.role !== 'user') {
    throw new RequestRefusedError(
      422,
      'body.messages: the last message must be the user’s. The agent remembers what came before.',
    );
  }
  const body = { input: textOf(last.content), when_busy: forwardedProps?.when_busy };
  return { body, key: `ag-ui:${last.id}`, shown: { ids, denied: new Set() } };
}

function textOf(content: unknown): string {
  const given = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const parts = z.array(textPart).min(1).safeParse(given);
  if (parts.success) return parts.data.map(({ text }) => text).join('\n');
  throw new RequestRefusedError(422, 'body.messages: the content of the last message must be text.');
}
