import { broadcastTool } from './supervising.js';
import { parameters, type BuiltinTool } from './builtin-tool.js';

const message = {
  type: 'string',
  description: 'What you say to the other agent. It sees nothing else of you.',
};
const otherAgentId = { type: 'string', description: 'The other agent’s id, such as agent-123e4567-….' };
const shared = { toolType: 'letta_multi_agent_core', tags: ['letta_multi_agent_core'] } as const;

/** Asks another agent and waits for its answer. */
export const sendMessageToAgentAndWaitForReply: BuiltinTool = {
  ...shared,
  name: 'send_message_to_agent_and_wait_for_reply',
  description:
    'Sends a message to another agent and waits until it has answered. Returns what it said. It must not be an agent that is waiting for you.',
  parameters: parameters({ message, other_agent_id: otherAgentId }),
  effect: 'asking',
};

/** Sends another agent a message without waiting. */
export const sendMessageToAgentAsync: BuiltinTool = {
  ...shared,
  name: 'send_message_to_agent_async',
  description:
    'Sends a message to another agent without waiting for an answer. If it answers, it does so by a message of its own, later.',
  parameters: parameters({ message, other_agent_id: otherAgentId }),
  effect: 'searching',
};

const tagList = { type: 'array', items: { type: 'string' } };

/** Asks all agents with these tags and waits for their answers. */
export const sendMessageToAgentsMatchingTags: BuiltinTool = {
  ...shared,
  name: 'send_message_to_agents_matching_tags',
  description:
    'Sends a message to all agents that have certain tags, and waits until each has answered. Returns a list of what they said.',
  parameters: parameters({
    message,
    match_all: { ...tagList, description: 'Tags of which an agent must have every one. May be empty.' },
    match_some: { ...tagList, description: 'Tags of which an agent must have at least one. May be empty.' },
  }),
  effect: 'asking',
};

/** Asks all agents of the group that the agent leads. The leader always has this tool in a group's turn. */
export const sendMessageToAllAgentsInGroup: BuiltinTool = {
  ...shared,
  name: broadcastTool,
  description:
    'Sends a message to all agents of the group that you lead, and waits until each has answered. Returns a list of what they said.',
  parameters: parameters({ message }),
  effect: 'asking',
};
