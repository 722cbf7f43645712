import { type AgentReply, incomingText, replyEntry } from '../../core/groups/agent-talk.js';
import { agentsByTags } from '../../schema/agents/tag-search.js';
import type { Db, Tx } from '../../schema/db/database.js';
import { askAgent, collectReplies, tellAgent } from '../../schema/turns/edges.js';
import { supervisedAgents } from '../../schema/groups/supervised-agents.js';
import type { Effect } from '../../schema/turns/records.js';
import type { Waker } from '../deps.js';
import { fenced } from '../failures.js';
import {
  type AskingTool,
  done,
  listArgument,
  refused,
  type SearchingTool,
  textArgument,
  type ToolOutcome,
} from './outcome.js';

interface TalkDeps {
  readonly db: Db;
  readonly waker: Waker;
  readonly replyTimeoutMs?: number;
}

/** How long an agent, or a talk, waits for an agent's turn, in ms. */
export const defaultReplyTimeoutMs = 20 * 60 * 1000;

/** Asks one agent and waits for its answer. */
export function askOneAgent(deps: TalkDeps): AskingTool {
  return {
    kind: 'asking',
    ask: (context) => askAll(deps, context, [textArgument(context.effect, 'other_agent_id')]),
    async run({ tx, effect }) {
      const [reply] = await collectReplies(tx, effect.id);
      return reply === undefined ? refused('Nobody was asked.') : toOutcome(reply);
    },
  };
}

/** Asks all agents with certain tags and waits for their answers. */
export function askAgentsByTags(deps: TalkDeps): AskingTool {
  return {
    kind: 'asking',
    async ask(context) {
      const tags = tagsOf(context.effect);
      if (tags.all.length + tags.some.length === 0) return;
      await askAll(deps, context, await agentsByTags(deps.db, { ...tags, except: context.agent.id }));
    },
    async run({ tx, effect }) {
      const tags = tagsOf(effect);
      if (tags.all.length + tags.some.length === 0)
        return refused('Give at least one tag in match_all or match_some.');
      return collectAll(tx, effect, 'No other agent has these tags.');
    },
  };
}

/** Asks all agents of the group that the agent leads and waits for their answers. */
export function askAgentsOfGroup(deps: TalkDeps): AskingTool {
  return {
    kind: 'asking',
    ask: async (context) => askAll(deps, context, await supervisedAgents(deps.db, context)),
    run: ({ tx, effect }) => collectAll(tx, effect, 'There is no other agent in a group that you lead.'),
  };
}

async function collectAll(tx: Tx, effect: Effect, ifNone: string): Promise<ToolOutcome> {
  const replies = await collectReplies(tx, effect.id);
  if (replies.length === 0) return done(ifNone);
  return done(JSON.stringify(replies.map((reply) => replyEntry(reply).entry)));
}

/** Sends one agent a message without waiting. */
export function tellOneAgent({ db, waker }: TalkDeps): SearchingTool {
  return {
    kind: 'searching',
    async prepare({ agent, threadId, effect, fence }) {
      const toAgentId = textArgument(effect, 'other_agent_id');
      if (toAgentId === threadId) return () => Promise.resolve(refused('This is you. Nobody was told.'));
      const text = incomingText({ agentId: agent.id, waits: false }, textArgument(effect, 'message'));
      const told = await tellAgent(db, { fence, threadId, agentId: agent.id, effect, toAgentId, text });
      if (told === 'fenced') throw fenced();
      if (told === 'unknown') return () => Promise.resolve(refused('There is no agent with this ID.'));
      await waker.ring({ threadId: toAgentId, agentId: toAgentId });
      return () => Promise.resolve(done('Successfully sent message'));
    },
  };
}

async function askAll(
  { db, waker, replyTimeoutMs = defaultReplyTimeoutMs }: TalkDeps,
  { threadId, agent, effect, fence }: Parameters<AskingTool['ask']>[0],
  toAgentIds: readonly string[],
): Promise<void> {
  const text = incomingText({ agentId: agent.id, waits: true }, textArgument(effect, 'message'));
  for (const toAgentId of toAgentIds) {
    const call = { fence, threadId, agentId: agent.id, effect, toAgentId, text };
    // One transaction each, because it locks the edges of all agents.
    const asked = await askAgent(db, call, replyTimeoutMs);
    if (asked === 'fenced') throw fenced();
    // Only for an existing agent: an invented id must not become a workflow's id.
    if (asked === 'asked') await waker.ring({ threadId: toAgentId, agentId: toAgentId });
  }
}

function tagsOf(effect: Effect): { readonly all: readonly string[]; readonly some: readonly string[] } {
  return { all: listArgument(effect, 'match_all') ?? [], some: listArgument(effect, 'match_some') ?? [] };
}

function toOutcome(reply: AgentReply): ToolOutcome {
  const { ok, entry } = replyEntry(reply);
  return ok ? done(JSON.stringify(entry)) : refused(`${reply.agentId}: ${String(entry['error'])}`);
}
