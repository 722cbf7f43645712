import type { StopReason } from '../turns/stop-reasons.js';

/** Introduces a message from another agent: who sends it, and whether the sender gets the answer. */
export function incomingText(
  sender: { readonly agentId: string; readonly waits: boolean },
  message: string,
): string {
  const how = sender.waits
    ? 'your response will be delivered to the sender'
    : "to reply to this message, use the 'send_message_to_agent_async' tool, or the sender will not receive your response";
  return `[Incoming message from agent with ID '${sender.agentId}' - ${how}] ${message}`;
}

/** One agent's reply, as part of a tool result. */
export interface AgentReply {
  readonly agentId: string;
  /** `waiting`: the deadline has passed. */
  readonly outcome:
    | { readonly kind: 'ended'; readonly stopReason: StopReason; readonly said: readonly string[] }
    | { readonly kind: 'waiting' }
    | { readonly kind: 'refused'; readonly why: Refused };
}

/** Why an agent was not asked. */
export type Refused = 'unknown' | 'cycle' | 'self';

/** The reply as the asking model reads it: the other agent's words, or why there are none. */
export function replyEntry({ agentId, outcome }: AgentReply): {
  readonly ok: boolean;
  readonly entry: Readonly<Record<string, unknown>>;
} {
  switch (outcome.kind) {
    case 'ended': {
      if (outcome.said.length > 0) return { ok: true, entry: { agent_id: agentId, response: outcome.said } };
      if (isOrderly(outcome.stopReason)) {
        return { ok: true, entry: { agent_id: agentId, response: ['<no response>'] } };
      }
      return failed(agentId, `It said nothing: its turn ended as ${outcome.stopReason}.`);
    }
    case 'waiting':
      return failed(
        agentId,
        'It did not answer in time. It may still do what you asked, but you will not get its answer.',
      );
    case 'refused':
      return failed(agentId, refusalText(outcome.why));
  }
}

function failed(agentId: string, error: string) {
  return { ok: false, entry: { agent_id: agentId, error } };
}

function isOrderly(reason: StopReason): boolean {
  return reason === 'end_turn' || reason === 'tool_rule' || reason === 'max_steps';
}

function refusalText(why: Refused): string {
  switch (why) {
    case 'unknown':
      return 'There is no agent with this ID.';
    case 'self':
      return 'This is you. Nobody else was asked.';
    case 'cycle':
      return 'It is waiting for you, directly or through other agents, so you would wait for each other for ever. It was not asked. Answer it by finishing your turn, or use send_message_to_agent_async.';
  }
}
