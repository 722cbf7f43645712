import type { FinishReason, ModelAnswer, ModelDelta } from '../../core/models/model.js';
import { noUsage, type Usage } from '../../core/models/usage.js';
import { createToolCallFragments } from './tool-call-fragments.js';
import type { WireCompletion, WireDelta, WireUsage } from './wire.js';

/** Builds a model's answer from what a server sends, and reports each new fragment. */
export interface AnswerBuilder {
  /** Takes a chunk, or a whole completion. */
  add(completion: WireCompletion): void;
  /** The answer; undefined while the server has not said why it stopped, because the stream was cut. */
  finish(): ModelAnswer | undefined;
}

/** Creates a builder for one answer. */
export function createAnswerBuilder(onDelta: (delta: ModelDelta) => void): AnswerBuilder {
  const calls = createToolCallFragments();
  let text = '';
  let reasoning = '';
  let usage = noUsage;
  let stopped: string | undefined;

  const addDelta = (delta: WireDelta): void => {
    const thought = delta.reasoning_content ?? delta.reasoning ?? '';
    if (thought !== '') {
      reasoning += thought;
      onDelta({ kind: 'reasoning', text: thought });
    }
    const said = toText(delta);
    if (said !== '') {
      text += said;
      onDelta({ kind: 'text', text: said });
    }
    for (const fragment of delta.tool_calls ?? []) onDelta(calls.add(fragment));
  };

  return {
    add(completion) {
      if (completion.usage != null) usage = toUsage(completion.usage);
      const choice = completion.choices?.[0];
      if (choice === undefined) return;
      const delta = choice.delta ?? choice.message;
      if (delta != null) addDelta(delta);
      stopped = choice.finish_reason ?? stopped;
    },
    finish() {
      // Routers report an upstream's failure in this field. Then there is no answer.
      if (stopped === undefined || stopped === 'error') return undefined;
      const toolCalls = calls.toolCalls();
      const finishReason = toFinishReason(stopped, toolCalls.length > 0);
      return { text, reasoning, toolCalls, finishReason, usage };
    },
  };
}

function toText({ content, refusal }: WireDelta): string {
  if (typeof content === 'string' && content !== '') return content;
  if (Array.isArray(content)) {
    return (content as readonly { type?: string; text?: string }[]).map((part) => part.text ?? '').join('');
  }
  return refusal ?? '';
}

/** Other words than OpenAI's (`eos`, `end_turn`, `stop_sequence`) all mean that the model was done. */
function toFinishReason(word: string, hasCalls: boolean): FinishReason {
  switch (word) {
    case 'length':
    case 'max_tokens':
      return 'length';
    case 'content_filter':
    case 'safety':
      return 'content_filter';
    default:
      return hasCalls ? 'tool_calls' : 'stop';
  }
}

function toUsage(wire: WireUsage): Usage {
  const promptTokens = wire.prompt_tokens ?? 0;
  const completionTokens = wire.completion_tokens ?? 0;
  return {
    promptTokens,
    completionTokens,
    totalTokens: wire.total_tokens ?? promptTokens + completionTokens,
    cachedTokens: wire.prompt_tokens_details?.cached_tokens ?? wire.prompt_cache_hit_tokens ?? 0,
    reasoningTokens: wire.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}
