import { randomUUID } from 'node:crypto';
import type { ModelDelta, ModelToolCall } from '../../core/models/model.js';
import type { WireToolCall } from './wire.js';

interface GrowingCall {
  readonly wireIndex: number | undefined;
  readonly id: string;
  /** The server's id. We assign one where it is missing or already used. */
  readonly givenId: string;
  name: string;
  arguments: string;
}

/** Assembles tool calls from fragments, however a server splits and numbers them. */
export interface ToolCallFragments {
  /** Adds a fragment and returns what it added. */
  add(fragment: WireToolCall): ModelDelta;
  /** The calls so far. */
  toolCalls(): ModelToolCall[];
}

/** Creates an empty assembly. */
export function createToolCallFragments(): ToolCallFragments {
  const calls: GrowingCall[] = [];
  return {
    add(fragment) {
      const name = fragment.function?.name ?? '';
      const text = toText(fragment.function?.arguments);
      const known = findCall(calls, fragment);
      if (known === undefined) {
        const call = openCall(calls, fragment, name, text);
        const index = calls.push(call) - 1;
        return { kind: 'tool_call', index, id: call.id, name, ...(text === '' ? {} : { arguments: text }) };
      }
      const isNamed = known.name !== '' || name === '';
      if (!isNamed) known.name = name;
      known.arguments += text;
      return {
        kind: 'tool_call',
        index: calls.indexOf(known),
        ...(isNamed ? {} : { name }),
        ...(text === '' ? {} : { arguments: text }),
      };
    },
    toolCalls: () =>
      calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text === '' ? '{}' : text })),
  };
}

/** The call that the fragment continues; undefined where it begins one. */
function findCall(calls: readonly GrowingCall[], fragment: WireToolCall): GrowingCall | undefined {
  const id = fragment.id ?? '';
  const candidate =
    typeof fragment.index === 'number'
      ? calls.findLast((call) => call.wireIndex === fragment.index)
      : (calls.find((call) => id !== '' && call.givenId === id) ?? calls.at(-1));
  return candidate === undefined || begins(candidate, fragment) ? undefined : candidate;
}

/** Whether the fragment begins another call despite its index: some servers number every call 0, or none. */
function begins(call: GrowingCall, fragment: WireToolCall): boolean {
  const id = fragment.id ?? '';
  const name = fragment.function?.name ?? '';
  if (name === '') return false;
  if (id !== '' && call.givenId !== '') return id !== call.givenId;
  return call.name !== '' && (call.name !== name || isJsonObject(call.arguments));
}

function openCall(
  calls: readonly GrowingCall[],
  fragment: WireToolCall,
  name: string,
  text: string,
): GrowingCall {
  const givenId = fragment.id ?? '';
  const isUsable = givenId !== '' && !calls.some((call) => call.id === givenId);
  return {
    wireIndex: fragment.index ?? undefined,
    id: isUsable ? givenId : `call_${randomUUID().replaceAll('-', '')}`,
    givenId,
    name,
    arguments: text,
  };
}

/** Arguments should be a text. Some servers send the object itself. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
