import { z } from 'zod';
import { idOf } from '../http/ids-wire.js';
import type { SendBody } from '../threads/message-requests-wire.js';
import { refusedOption, type Content, responseFormat, toImage, toUnheard } from './requests-wire.js';

const part = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
    z.object({ type: z.literal('refusal'), refusal: z.string() }),
    z.object({ type: z.literal('input_image'), image_url: z.string() }),
  ],
  { error: 'only input_text and input_image parts, with an image_url, can be read here' },
);

/** A message, or another item of an earlier answer, which the agent knows already. */
const item = z.looseObject({
  role: z.string().optional(),
  content: z.union([z.string(), z.array(part)]).nullish(),
});

/** The response format of OpenAI's newer API, converted to that of the older one. */
const textFormat = z.preprocess(fromNewer, responseFormat);

function fromNewer(format: unknown): unknown {
  if (typeof format !== 'object' || format === null || !('type' in format)) return format;
  const { type, ...schema } = format;
  return type === 'json_schema' ? { type, json_schema: schema } : format;
}

/**
 * OpenAI's request for a response, with an agent as the model. Sampling settings are ignored, because an
 * agent has its own. Fields that can't be honoured are refused.
 */
export const responseBody = z
  .looseObject({
    /** An agent's id or name, or a conversation's id. */
    model: z.string().min(1),
    input: z.union([z.string(), z.array(item).min(1)]),
    stream: z.boolean().nullish(),
    text: z.looseObject({ format: textFormat.nullish() }).nullish(),
    /** The run of an earlier answer, whose thread this request continues. */
    previous_response_id: idOf('run').nullish(),
    conversation: refusedOption('give the conversation’s id as `model`'),
    background: z
      .literal(false, {
        error: 'is not supported: use POST /v1/agents/{agent_id}/messages/async and GET /v1/runs/{run_id}',
      })
      .nullish(),
    prompt: refusedOption('is not supported: there are no stored prompts'),
    tools: refusedOption('the agent has tools of its own. Attach a tool to it instead'),
  })
  .meta({ id: 'ResponseRequest' });

export type ResponseBody = z.infer<typeof responseBody>;

/** The messages of a request that the agent has not heard yet; undefined where there are none. */
export function toResponseSend({ input }: ResponseBody): SendBody | undefined {
  if (typeof input === 'string') return toUnheard([{ role: 'user', content: input }]);
  // Items without a role are calls, results and reasoning of earlier answers: the agent knows them.
  return toUnheard(input.map(({ role = 'assistant', content }) => ({ role, content: toContent(content) })));
}

function toContent(content: z.infer<typeof item>['content']): Content | null {
  if (content == null || typeof content === 'string') return content ?? null;
  return content.map((one) => {
    if (one.type === 'input_image') return toImage(one.image_url);
    return { type: 'text', text: one.type === 'refusal' ? one.refusal : one.text };
  });
}
