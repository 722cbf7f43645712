import { checkArguments, checkOwnArguments } from '../../adapters/tool-schemas/check-schemas.js';
import { loopStyle } from '../../core/agents/agents.js';
import { waitsForClient } from '../../core/turns/approvals.js';
import { derivedId } from '../../core/ids.js';
import type { Message } from '../../core/threads/messages.js';
import type { FinishReason, ModelAnswer, ModelToolCall } from '../../core/models/model.js';
import {
  allowedTools,
  type PastCall,
  prefilledArguments,
  ruleViolation,
} from '../../core/agents/tool-rules.js';
import { builtinOf, canonicalArguments, speaksInText, splitArguments } from '../../core/tools/tools.js';
import type { Refusal } from '../../core/turns/turn.js';
import type { LoopAgent, LoopTool } from '../../schema/threads/loop-agent.js';
import type { Effect } from '../../schema/turns/records.js';
import { readArguments, type ReadArguments } from './read-arguments.js';
import { messageOf, type StepInput, stepIdOf } from './step-input.js';

/** An answer, split into what the transcript and the ledger store. */
export interface ReadAnswer {
  readonly message: Message;
  readonly effects: readonly Effect[];
  readonly refusals: readonly Message[];
}

interface ReadCall {
  readonly call: ModelToolCall;
  readonly effect: Effect;
  readonly thinking: string;
  readonly refusal?: string;
}

/**
 * Splits a model's answer. Arguments that are not quite JSON are repaired, never completed. What the loop added
 * (`thinking`, `request_heartbeat`) is removed. Calls of unknown tools, with unreadable arguments or against the
 * rules get a result for the model at once. For the rules, each call counts after those before it in the answer.
 */
export async function readAnswer(
  answer: ModelAnswer,
  context: {
    readonly input: StepInput;
    readonly messageId: string;
    readonly agent: LoopAgent;
    /** The names of the tools in the request. */
    readonly toolNames: readonly string[];
    /** The turn's calls before this answer. */
    readonly calls: readonly PastCall[];
  },
): Promise<ReadAnswer> {
  const { input, messageId, agent } = context;
  const read = await readCalls(answer.toolCalls, { ...context, finishReason: answer.finishReason });
  const calls = holdingBeside(read);
  const thoughts = thoughtsOf(answer, calls, agent);
  return {
    message: messageOf(input, messageId, {
      kind: 'assistant',
      ...thoughts,
      toolCalls: calls.map((read) => read.call),
      ...awaitedOf(calls),
    }),
    effects: calls.map((read) => read.effect),
    refusals: calls.flatMap(({ effect, refusal }) =>
      refusal === undefined
        ? []
        : [
            messageOf(input, effect.resultMessageId, {
              kind: 'tool',
              toolCallId: effect.call.id,
              toolName: effect.call.name,
              status: 'error',
              content: refusal,
            }),
          ],
    ),
  };
}

/**
 * If one call waits for a decision, the others in the answer wait too: a person sees the whole answer before
 * any of it runs.
 */
function holdingBeside(calls: readonly ReadCall[]): readonly ReadCall[] {
  if (!calls.some(({ effect }) => effect.state === 'awaiting')) return calls;
  return calls.map((read) =>
    read.effect.state === 'planned' ? { ...read, effect: { ...read.effect, state: 'held' } } : read,
  );
}

function awaitedOf(calls: readonly ReadCall[]): { awaited?: readonly string[] } {
  const awaited = calls.flatMap(({ effect }) => (effect.state === 'awaiting' ? [effect.call.id] : []));
  return awaited.length === 0 ? {} : { awaited };
}

function thoughtsOf(
  answer: ModelAnswer,
  calls: readonly ReadCall[],
  agent: LoopAgent,
): { text: string; spoken?: true; reasoning: string; nativeReasoning: boolean } {
  const speaks = speaksInText(agent);
  const said = speaks && answer.text !== '' ? { spoken: true as const } : {};
  if (answer.reasoning !== '') {
    return { text: answer.text, ...said, reasoning: answer.reasoning, nativeReasoning: true };
  }
  const thinking = calls.map((read) => read.thinking).filter((thought) => thought !== '');
  // Where only tools speak, the text beside a tool call is a thought.
  const isMute = loopStyle(agent.agentType) === 'tools' && !speaks;
  const isThought = isMute && calls.length > 0 && answer.text !== '';
  const reasoning = [...thinking, ...(isThought ? [answer.text] : [])].join('\n');
  return { text: isThought ? '' : answer.text, ...said, reasoning, nativeReasoning: false };
}

async function readCalls(
  calls: readonly ModelToolCall[],
  context: CallContext,
): Promise<readonly ReadCall[]> {
  const read: ReadCall[] = [];
  for (const [index, call] of calls.entries()) {
    const earlier = read.map((one) => ({ name: one.call.name, failed: one.refusal !== undefined }));
    read.push(await readCall(call, index, { ...context, calls: [...context.calls, ...earlier] }));
  }
  return read;
}

type CallContext = Parameters<typeof readAnswer>[1] & { readonly finishReason: FinishReason };

async function readCall(call: ModelToolCall, index: number, context: CallContext): Promise<ReadCall> {
  const { input, agent } = context;
  const tool = agent.tools.find((candidate) => candidate.name === call.name);
  const given = readArguments(call.arguments, context.finishReason);
  const parsed = given.kind === 'read' ? given.value : undefined;
  const own = new Set(Object.keys(tool?.schema.parameters.properties ?? {}));
  const split = splitArguments(parsed ?? {}, own);
  const named = finalArguments(split.args, tool, context);
  const judged = await judge(call, { ...context, tool, given, args: named });
  const { refusal, args = named } = judged;
  const awaits = tool !== undefined && waitsForClient(tool, agent.toolRules);
  const effect: Effect = {
    id: derivedId('effect', input.turnId, input.index, index),
    turnId: input.turnId,
    stepId: stepIdOf(input),
    index,
    call: { id: call.id, name: call.name, arguments: '' },
    arguments: args,
    requestHeartbeat: split.requestHeartbeat,
    state: refusal !== undefined ? 'done' : awaits ? 'awaiting' : 'planned',
    status: refusal === undefined ? null : 'error',
    refusal: refusal?.kind ?? null,
    resultMessageId: derivedId('message', input.turnId, input.index, 'result', index),
  };
  return {
    call: { id: call.id, name: call.name, arguments: shownArguments(call, parsed) },
    effect,
    thinking: split.thinking,
    ...(refusal === undefined ? {} : { refusal: refusal.message }),
  };
}

function finalArguments(
  args: Record<string, unknown>,
  tool: LoopTool | undefined,
  context: CallContext,
): Record<string, unknown> {
  if (tool === undefined) return args;
  const builtin = builtinOf(tool);
  const named = builtin === undefined ? args : canonicalArguments(builtin, args);
  return { ...named, ...prefilledArguments(context.agent.toolRules, context.calls, tool.name) };
}

interface Judged {
  readonly refusal?: { readonly kind: Refusal; readonly message: string };
  readonly args?: Record<string, unknown>;
}

/** Whether a call may run: its arguments in the form for its tool, or why it is refused. */
async function judge(
  call: ModelToolCall,
  context: CallContext & {
    readonly tool: LoopTool | undefined;
    readonly given: ReadArguments;
    readonly args: Record<string, unknown>;
  },
): Promise<Judged> {
  const { tool, given, args, toolNames, calls, agent } = context;
  if (tool === undefined) {
    const names = agent.tools.map((candidate) => candidate.name).join(', ');
    const message = `There is no tool ${call.name}. Your tools are: ${names}.`;
    return { refusal: { kind: 'unknown_tool', message } };
  }
  if (given.kind !== 'read')
    return { refusal: { kind: 'arguments', message: unreadMessage(call.name, given) } };
  const { names } = allowedTools(agent.toolRules, toolNames, calls);
  if (!names.includes(tool.name))
    return { refusal: { kind: 'rule', message: ruleViolation(call.name, names) } };
  const own = builtinOf(tool);
  const checked =
    own === undefined
      ? await checkArguments(tool.schema.parameters, args)
      : checkOwnArguments(own.parameters, args);
  if (checked.ok) return { args: checked.args };
  const message = `The arguments of ${call.name} don't fit its schema, so it was not run: ${checked.faults}. Call it again, corrected.`;
  return { refusal: { kind: 'arguments', message } };
}

function unreadMessage(name: string, given: Exclude<ReadArguments, { kind: 'read' }>): string {
  switch (given.kind) {
    case 'cut':
      return `The arguments of ${name} were cut off after ${given.length} characters, so it was not run. Call it again with complete arguments. If they are long, split the work into several calls.`;
    case 'unreadable':
      return `The arguments of ${name} are not a JSON object, so it was not run. Call it again with valid JSON.`;
  }
}

/** The arguments for the transcript: the model's own, without its thoughts, which are stored separately. */
function shownArguments(call: ModelToolCall, parsed: Record<string, unknown> | undefined): string {
  if (parsed === undefined) return call.arguments;
  const shown = Object.fromEntries(Object.entries(parsed).filter(([name]) => !thoughts.has(name)));
  return JSON.stringify(shown);
}

const thoughts: ReadonlySet<string> = new Set(['thinking', 'inner_thoughts']);
