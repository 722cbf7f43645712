import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ModelAnswer, ModelDescription, ModelRequest, ToolSchema } from '../../../core/models/model.js';
import type { CompleteOptions, Model } from '../model.js';
import { toCall, toForcedCall, toThought, type Action, type ReadyCall } from './actions.js';
import { writeAnswer } from './answer.js';
import { readConversation, type Conversation } from './conversation.js';
import { makePlan } from './plan.js';
import { wantsSummary, writeSummary } from './summary.js';

export const demoProvider = 'perdure';

export const demoDescription: ModelDescription = {
  handle: 'perdure/demo',
  provider: demoProvider,
  model: 'demo',
  contextWindow: 32_000,
};

/** A step of the demo model. */
interface Decision {
  readonly reasoning: string;
  readonly text: string;
  readonly call: ReadyCall | undefined;
}

/**
 * A model made of rules, for a first run without a key. It uses tool calls like any model, one per step, and decides
 * each from the request alone. It says what it is when it does not understand.
 */
export function createDemoModel(): Model {
  return {
    description: demoDescription,
    complete: (request, options = {}) => speak(request, decide(request), options),
  };
}

function decide(request: ModelRequest): Decision {
  if (wantsSummary(request)) return { reasoning: '', text: writeSummary(request), call: undefined };
  const { toolChoice } = request;
  const tools = toolChoice === 'none' ? [] : request.tools;
  const conversation = readConversation(request);
  const plan = makePlan(conversation, tools);
  const next = plan.find((step) => step.action !== undefined && step.call === undefined)?.action;
  const answer: Action = { kind: 'answer', text: writeAnswer(conversation, plan) };
  if (typeof toolChoice === 'object') {
    return decideForced(toolChoice.name, {
      tools,
      wishes: next === undefined ? [answer] : [next, answer],
      conversation,
    });
  }
  const action = next ?? answer;
  return express(action, toCall(action, tools));
}

/** If a request forces a tool, it is called: with the next action if that fits, else with what the user said. */
function decideForced(
  name: string,
  {
    tools,
    wishes,
    conversation,
  }: {
    readonly tools: readonly ToolSchema[];
    readonly wishes: readonly Action[];
    readonly conversation: Conversation;
  },
): Decision {
  const tool = tools.filter((candidate) => candidate.name === name);
  for (const wish of wishes) {
    const call = toCall(wish, tool);
    if (call !== undefined) return express(wish, call);
  }
  const call = tool[0] === undefined ? undefined : toForcedCall(tool[0], conversation.asked);
  return { reasoning: `I was told to call ${name}.`, text: '', call };
}

function express(action: Action, call: ReadyCall | undefined): Decision {
  return {
    reasoning: call?.carriesThought === true ? '' : toThought(action),
    text: call === undefined ? action.text : '',
    call,
  };
}

/** Sends the decision in small fragments, as a model does, and yields to other work between them. */
async function speak(
  request: ModelRequest,
  decision: Decision,
  options: CompleteOptions,
): Promise<ModelAnswer> {
  const { signal, onDelta } = options;
  const stream = async (text: string, tell: (piece: string) => void): Promise<void> => {
    for (const piece of cutIntoPieces(text)) {
      await setImmediate();
      signal?.throwIfAborted();
      tell(piece);
    }
  };
  signal?.throwIfAborted();
  const { reasoning, text, call } = decision;
  await stream(reasoning, (piece) => onDelta?.({ kind: 'reasoning', text: piece }));
  await stream(text, (piece) => onDelta?.({ kind: 'text', text: piece }));
  const toolCalls = call === undefined ? [] : [toToolCall(call)];
  for (const { id, name, arguments: written } of toolCalls) {
    onDelta?.({ kind: 'tool_call', index: 0, id, name });
    await stream(written, (piece) => onDelta?.({ kind: 'tool_call', index: 0, arguments: piece }));
  }
  const said = reasoning.length + text.length + (toolCalls[0]?.arguments.length ?? 0);
  return {
    text,
    reasoning,
    toolCalls,
    finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    usage: estimateUsage(request, said),
  };
}

/** Random ids, as from any provider. The model's decisions do not depend on them. */
function toToolCall(call: ReadyCall): ModelAnswer['toolCalls'][number] {
  const id = `call_${randomUUID().replaceAll('-', '')}`;
  return { id, name: call.name, arguments: JSON.stringify(call.arguments) };
}

function cutIntoPieces(text: string): string[] {
  return text.match(/[\s\S]{1,12}(?![\uDC00-\uDFFF])/g) ?? [];
}

/** Four characters per token. Nobody is billed, but zero usage would hide a full context. */
function estimateUsage({ messages, tools }: ModelRequest, said: number): ModelAnswer['usage'] {
  const promptTokens = Math.ceil((JSON.stringify(messages).length + JSON.stringify(tools).length) / 4);
  const completionTokens = Math.ceil(said / 4);
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedTokens: 0,
    reasoningTokens: 0,
  };
}
