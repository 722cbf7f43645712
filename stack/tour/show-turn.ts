import { type TourApi, TourError } from './api.js';
import { cut, entryWidth, type Screen } from './screen.js';
import type { ShownCall, ShownMessage, StreamEvent } from './shapes.js';

/** A turn as its stream showed it. */
export interface ShownTurn {
  readonly runId: string;
  readonly messages: readonly ShownMessage[];
}

/** What to do when something is seen. */
export interface TurnWatch {
  /** A tool's result came by, and this many messages of the turn so far. */
  readonly onResult?: (seen: { readonly runId: string; readonly messages: number }) => void;
}

interface Deps {
  readonly api: TourApi;
  readonly screen: Screen;
}

/** Says something to the agent and shows its turn as it streams. Throws TourError where the turn fails. */
export async function showTurn(
  { api, screen }: Deps,
  said: { readonly agentId: string; readonly text: string },
  { onResult }: TurnWatch = {},
): Promise<ShownTurn> {
  const messages: ShownMessage[] = [];
  const steps: string[] = [];
  let runId = '';
  screen.line();
  screen.entry('you', said.text);
  for await (const event of api.streamTurn(said.agentId, said.text)) {
    runId = event.run_id;
    if (isFailure(event)) throw new TourError(`The turn failed (${event.error_type}): ${event.message}`);
    if (!isMessage(event)) continue;
    messages.push(event);
    if (!steps.includes(event.step_id)) steps.push(event.step_id);
    showMessage(screen, event, steps.indexOf(event.step_id) + 1);
    if (event.message_type === 'tool_return_message') onResult?.({ runId, messages: messages.length });
  }
  return { runId, messages };
}

/** A call in one line: its name, the texts it was given, and a heart where it asks for a heartbeat. */
export function describeCall({ name, arguments: written }: ShownCall): string {
  const { request_heartbeat: heartbeat, ...args } = parseObject(written);
  const given = Object.values(args).map((value) =>
    cut(typeof value === 'string' ? value : JSON.stringify(value), 50),
  );
  return `${name}(${given.join(' | ')})${heartbeat === true ? ' ♥' : ''}`;
}

function showMessage(screen: Screen, message: ShownMessage, step: number): void {
  switch (message.message_type) {
    case 'reasoning_message':
      screen.entry(`step ${step}`, message.reasoning);
      return;
    case 'tool_call_message':
      for (const call of message.tool_calls) screen.entry('calls', cut(describeCall(call), entryWidth));
      return;
    case 'tool_return_message':
      screen.entry(message.status === 'success' ? 'result' : 'failed', describeResult(message.tool_return));
      return;
    case 'assistant_message':
      screen.entry('agent', message.content);
  }
}

/** What a tool returned, in one line: what a search found, or its first words. */
function describeResult(result: string): string {
  const found = parseJson(result);
  if (!Array.isArray(found)) return cut(result, entryWidth);
  const texts = found.map((one: unknown) => (one as { content?: unknown } | null)?.content);
  const shown = texts.map((text) => (typeof text === 'string' ? text : '')).join(' | ');
  return cut(`${found.length} found: ${shown}`, entryWidth);
}

function isFailure(event: StreamEvent): event is Extract<StreamEvent, { message_type: 'error_message' }> {
  return event.message_type === 'error_message';
}

function isMessage(event: StreamEvent): event is Extract<StreamEvent, ShownMessage> {
  return event.message_type !== 'stop_reason' && event.message_type !== 'usage_statistics';
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  const value = parseJson(json);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
